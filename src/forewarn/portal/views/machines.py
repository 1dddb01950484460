"""One machine: what it is, what happens to it, and what can be done to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.events import Actor, Event, Operation, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Verb
from forewarn.domain.scopes import Scope, idle_since
from forewarn.portal.views.rehearsing import Owner, Preview, Stage, repair_preview, request_preview


class Deed(Enum):
    """What a person can have done to a machine."""

    RESTART = "restart"
    REDEPLOY = "redeploy"
    EVICT = "evict"
    DELETE = "delete"
    UNHEALTHY = "unhealthy"  # report it so: its scale set repairs it


VERBS = {
    Deed.RESTART: Verb.RESTART,
    Deed.REDEPLOY: Verb.REDEPLOY,
    Deed.EVICT: Verb.EVICT,
    Deed.DELETE: Verb.DELETE,
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    deed: Deed
    preview: Preview


@dataclass(frozen=True, kw_only=True, slots=True)
class MachineView:
    machine: Machine
    scope: Scope
    metadata_url: str
    last_poll: datetime | None
    events: tuple[Event, ...]
    """Live, in the order in which they start."""
    operations: tuple[Operation, ...]
    """Under way without an event."""
    offers: tuple[Offer, ...]


def machine_view(
    machine: Machine,
    scope: Scope,
    *,
    metadata_url: str,
    heard: datetime | None = None,
    offers: Sequence[Offer] = (),
) -> MachineView:
    polls = [at for at in (idle_since(scope), heard) if at is not None]
    mine = [event for event in scope.events if event.phase.is_live and machine.name in event.resources]
    return MachineView(
        machine=machine,
        scope=scope,
        metadata_url=metadata_url,
        last_poll=max(polls, default=None),
        events=tuple(sorted(mine, key=lambda e: (e.phase is not Phase.STARTED, e.not_before))),
        operations=tuple(o for o in scope.operations if o.is_live and o.event is None and machine.name in o.machines),
        offers=tuple(offers),
    )


def offers_for(machine: Machine, stage: Stage, owner: Owner | None, by: Actor) -> tuple[Offer, ...]:
    """What can be done to it, each with what would come of it. Only Spot machines are evicted, and only a scale set
    with automatic repairs wants to know of its instances' health."""
    deeds = [Deed.RESTART, Deed.REDEPLOY, *([Deed.EVICT] if machine.is_spot else []), Deed.DELETE]
    offers = [Offer(deed=deed, preview=request_preview(VERBS[deed], machine, stage, by)) for deed in deeds]
    if owner is not None and owner.spec.repairs.enabled:
        offers.append(Offer(deed=Deed.UNHEALTHY, preview=repair_preview(machine, stage, owner)))
    return tuple(offers)
