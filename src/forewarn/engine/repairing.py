"""Repairing an instance: its end or its restart, and the one that takes its place, in one commit."""

from collections.abc import Callable

from msgspec.structs import replace

from forewarn.domain import repairing, scaling
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict
from forewarn.domain.events import Actor, Operation
from forewarn.domain.history import What
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Request, request_all
from forewarn.domain.resources import SCALE_SET, Resource
from forewarn.domain.scalesets import RepairAction, SetSpec
from forewarn.domain.scaling import ScaleSet
from forewarn.domain.settings import Settings
from forewarn.engine import behind, seating
from forewarn.engine.behind import Target
from forewarn.engine.ports import Transaction


def repair(
    tx: Transaction,
    draft: Draft,
    target: Target,
    read: Callable[[Resource], SetSpec],
    by: Actor,
    settings: Settings,
    new_id: Callable[[], str],
) -> Operation:
    """The operation that makes the instance healthy, or takes it away; one that is under way if it does either."""
    (machine,) = behind.find_machines(tx, [target])
    resource = _set_of(tx, draft, machine)
    spec = read(resource)
    running = repairing.in_hand(draft, machine, spec)
    if running is not None:
        return running
    behind.usable(resource)
    members = behind.machines(tx, resource)
    staying = scaling.staying(draft, members)
    repairing.check(draft, machine, spec, staying)
    action = spec.repairs.action
    others = [member for member in staying if (member.scope, member.name) != target]
    scale_set = ScaleSet(resource=resource, spec=spec, members=members, staying=others)
    heir = _grown(tx, draft, scale_set, new_id) if action is RepairAction.REPLACE else None
    told = f"{action.value}: {heir} takes its place" if heir else action.value
    draft.note(machine.scope, by, What.UNHEALTHY, machine.name, detail=told)
    asked = Request(verb=repairing.VERBS[action], by=repairing.REPAIRER, id=new_id(), repair=True)
    (operation,) = request_all(draft, [machine], asked, settings, new_id)
    operation = replace(operation, replacement=heir)
    draft.put_operation(operation)
    return operation


def _set_of(tx: Transaction, draft: Draft, machine: Machine) -> Resource:
    owner = tx.resource(draft.scopes[machine.scope].owner)
    if owner is None or owner.type != SCALE_SET:
        raise Conflict(
            "{machine} is not an instance of a scale set: there is nobody to repair it.",
            key="nobody_repairs",
            machine=machine.name,
        )
    return owner


def _grown(tx: Transaction, draft: Draft, scale_set: ScaleSet, new_id: Callable[[], str]) -> str:
    """One more instance, from the latest model; SCOPE/NAME."""
    grown = seating.grow(tx, draft, scale_set, 1, new_id)
    draft.put_resource(grown.resource)
    seating.stand_for(tx, draft, grown.resource, grown.spec)
    return f"{draft.machines[-1].scope}/{draft.machines[-1].name}"
