"""How far along a resource is, as Compute says it: told by what its owner asked for, and by who is being deleted."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from enum import Enum

from forewarn.domain.events import EventType, Source
from forewarn.domain.machines import Power
from forewarn.domain.scopes import Scope
from forewarn.wire.compute.digging import Json
from forewarn.wire.dates import moment


class Provisioning(Enum):
    SUCCEEDED = "Succeeded"
    UPDATING = "Updating"  # something that its owner asked for is under way
    DELETING = "Deleting"


def states_of(scope: Scope) -> Mapping[str, Provisioning]:
    """Of those machines in the scope that something is being done to, by name. Who is not in it has succeeded."""
    states: dict[str, Provisioning] = {}
    for operation in scope.operations:
        leaves = operation.impact is EventType.TERMINATE
        if operation.is_live and (leaves or operation.source is Source.USER):
            for name in operation.machines:
                if leaves or name not in states:
                    states[name] = Provisioning.DELETING if leaves else Provisioning.UPDATING
    return states


def state_of_set(leaving: bool, scopes: Iterable[Scope]) -> Provisioning:
    if leaving:
        return Provisioning.DELETING
    return Provisioning.UPDATING if any(states_of(scope) for scope in scopes) else Provisioning.SUCCEEDED


def provisioned(state: Provisioning, at: datetime | None = None) -> Json:
    word = "succeeded" if state is Provisioning.SUCCEEDED else state.value
    status = {"code": f"ProvisioningState/{state.value.lower()}", "level": "Info", "displayStatus": _shown(word)}
    return status if at is None else {**status, "time": moment(at)}


def powered(power: Power) -> Json:
    return {"code": f"PowerState/{power.value}", "level": "Info", "displayStatus": f"VM {power.value}"}


def _shown(word: str) -> str:
    return f"Provisioning {word}" if word == "succeeded" else word
