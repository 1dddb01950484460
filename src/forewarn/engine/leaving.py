"""What goes when machines go: the resources that stood for them, and whatever was only waiting for them to be gone.

A resource that is being deleted is leaving until its last machine has gone. If one of them stays after all, because its
end was called off or no driver could bring it about, so does the resource: it is no longer leaving, and can be used.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from forewarn.domain import outcomes
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict
from forewarn.domain.events import EventType, OperationState
from forewarn.domain.machines import Machine
from forewarn.domain.resources import AVAILABILITY_SET, GROUP, WITH_MACHINES, Resource
from forewarn.domain.scopes import Scope
from forewarn.engine import behind
from forewarn.engine.ports import Reader, Transaction

EPOCH_NOTE = "epoch-of-the-dissolved"  # the greatest that a scope which is no more ever had


def follow(tx: Transaction, draft: Draft) -> None:
    """Part of every command: what follows from the machines and resources it took away, and the deletes it ended."""
    _keep_what_stays(tx, draft)
    for scope, machine in draft.gone:
        for resource in tx.resources_of_machine(scope, machine):
            drop(tx, draft, resource)
    for scope in dict.fromkeys(scope for scope, _ in draft.gone):
        owner = _resource(tx, draft, draft.scopes[scope].owner)
        if owner is not None and owner.leaving and not _has_machines(tx, draft, owner):
            drop(tx, draft, owner)
    for group in _groups_touched(tx, draft):
        if group.leaving and not _left_in(tx, draft, group):
            draft.dropped |= {inside.key for inside in behind.contents(tx, group)}
            draft.dropped.add(group.key)


def begin(tx: Transaction, draft: Draft, resources: Sequence[Resource], keys: Sequence[str]) -> list[Machine]:
    """These are to go, of which those with these keys were named: what no machine stands behind goes at once.

    The machines that have to go first.
    """
    machines: dict[tuple[str, str], Machine] = {}
    for resource in resources:
        here = behind.machines(tx, resource)
        if here and resource.type == AVAILABILITY_SET and resource.key in keys:
            raise Conflict(f"{resource.name} still has virtual machines in it: delete those first.")
        if here or resource.type == GROUP:
            mark(draft, resource)
        elif resource.key in keys or resource.scope:
            drop(tx, draft, resource)
        machines |= {(machine.scope, machine.name): machine for machine in here}
    return list(machines.values())


def mark(draft: Draft, resource: Resource) -> None:
    """The resource is leaving: it is shown as such until it is gone."""
    if not resource.leaving:
        draft.put_resource(replace(resource, leaving=True, version=resource.version + 1))


def drop(tx: Transaction, draft: Draft, resource: Resource) -> None:
    """The resource is no more, and neither is what is inside it, nor the scopes made for it, which the draft holds."""
    draft.dropped |= {resource.key, *behind.inside(tx, resource)}
    for scope in _scopes_of(draft, resource):
        if not scope.declared:
            outcomes.abandon(draft, scope.id)
            draft.dissolved.append(scope.id)
            tx.put_note(EPOCH_NOTE, str(max(_last_epoch(tx), scope.epoch)))


def next_epoch(tx: Transaction) -> int:
    """For a new scope: greater than that of any that is no more, so that one of the same name is newer."""
    return _last_epoch(tx) + 1


def _last_epoch(reader: Reader) -> int:
    return int(reader.note(EPOCH_NOTE) or 0)


def _keep_what_stays(tx: Transaction, draft: Draft) -> None:
    gone = set(draft.gone)
    for operation in draft.ended:
        if operation.impact is not EventType.TERMINATE or operation.state is OperationState.SUCCEEDED:
            continue
        for name in operation.machines:
            if (operation.scope, name) not in gone:
                _keep(draft, _all_above(tx, draft, operation.scope, name))


def _keep(draft: Draft, resources: Iterable[Resource]) -> None:
    for resource in resources:
        if resource.leaving:
            draft.put_resource(replace(resource, leaving=False, version=resource.version + 1))


def _all_above(tx: Transaction, draft: Draft, scope: str, machine: str) -> Iterator[Resource]:
    """What stands for the machine, what it is in, and the resource groups of these."""
    keys = [resource.key for resource in tx.resources_of_machine(scope, machine)]
    for key in dict.fromkeys((*keys, draft.scopes[scope].owner)):
        resource = _resource(tx, draft, key)
        if resource is not None:
            yield resource
            group = _resource(tx, draft, resource.group)
            if group is not None:
                yield group


def _groups_touched(tx: Transaction, draft: Draft) -> list[Resource]:
    """The resource groups that are about to go, or that something has gone from."""
    keys = {key for key, resource in draft.resources.items() if resource.type == GROUP}
    keys |= {resource.group for key in draft.dropped if (resource := tx.resource(key)) is not None}
    found = (_resource(tx, draft, key) for key in sorted(keys))
    return [group for group in found if group is not None]


def _left_in(tx: Transaction, draft: Draft, group: Resource) -> bool:
    """Whether anything is left there that machines stand behind; the rest goes with the group."""
    enough = len(draft.dropped) + 1
    return any(
        resource.key not in draft.dropped
        for kind in WITH_MACHINES
        for resource in tx.list_resources(group=group.key, kind=kind, limit=enough)
    )


def _has_machines(tx: Transaction, draft: Draft, owner: Resource) -> bool:
    gone = set(draft.gone)
    return any(
        (machine.scope, machine.name) not in gone
        for scope in _scopes_of(draft, owner)
        for machine in tx.some_machines(scope.id, len(gone) + 1)
    )


def _scopes_of(draft: Draft, owner: Resource) -> list[Scope]:
    """Who holds one scope of a resource holds them all."""
    return [scope for scope in draft.scopes.values() if scope.owner == owner.key and scope.id not in draft.dissolved]


def _resource(tx: Transaction, draft: Draft, key: str) -> Resource | None:
    """As the draft has it."""
    if not key or key in draft.dropped:
        return None
    return draft.resources.get(key) or tx.resource(key)
