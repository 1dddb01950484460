"""What goes when machines go: the resources that stood for them, and whatever was only waiting for them to be gone."""

from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader, Transaction


def sweep(tx: Transaction, draft: Draft) -> None:
    """Part of every command in which a machine or a resource has gone."""
    groups = {resource.group for key in draft.dropped if (resource := tx.resource(key)) is not None}
    for scope, machine in draft.gone:
        for resource in tx.resources_of_machine(scope, machine):
            groups.add(resource.group)
            _drop(draft, resource)
    for scope in sorted({scope for scope, _ in draft.gone}):
        owner = _owner(tx, draft, scope)
        if owner is not None and _is_over(tx, draft, owner):
            groups.add(owner.group)
            _drop(draft, owner)
            dissolve(tx, draft, owner)
    for key in sorted(groups):
        group = tx.resource(key)
        if group is not None and group.leaving and not _left_in(tx, draft, group.key):
            _drop(draft, group)


def scopes_of(reader: Reader, draft: Draft, owner: Resource) -> list[Scope]:
    """The scopes made for a resource, as the draft has them."""
    named = {scope.id: scope for scope in reader.scopes_of_scale_set(owner.scope)}
    alone = reader.scope(owner.scope) if owner.scope else None
    if alone is not None:
        named[alone.id] = alone
    return [draft.scopes.get(key, scope) for key, scope in sorted(named.items()) if scope.owner == owner.key]


def dissolve(reader: Reader, draft: Draft, owner: Resource) -> None:
    draft.dissolved += [scope.id for scope in scopes_of(reader, draft, owner) if not scope.declared]


def mark(draft: Draft, resource: Resource) -> Resource:
    """The resource is leaving: it is shown as such until it is gone."""
    marked = replace(resource, leaving=True, version=resource.version + 1)
    draft.put_resource(marked)
    return marked


def _owner(tx: Transaction, draft: Draft, scope: str) -> Resource | None:
    held = draft.scopes.get(scope)
    if held is None or not held.owner:
        return None
    return draft.resources.get(held.owner) or tx.resource(held.owner)


def _is_over(tx: Transaction, draft: Draft, owner: Resource) -> bool:
    """Whether it is leaving, and has no machines left."""
    if not owner.leaving:
        return False
    gone = set(draft.gone)
    return all((m.scope, m.name) in gone for scope in scopes_of(tx, draft, owner) for m in tx.machines(scope.id))


def _left_in(tx: Transaction, draft: Draft, group: str) -> bool:
    """Whether anything of the group stays."""
    page = tx.list_resources(group=group, limit=len(draft.dropped) + 1)
    return any(resource.key not in draft.dropped for resource in page) or any(
        resource.group == group and key not in draft.dropped for key, resource in draft.resources.items()
    )


def _drop(draft: Draft, resource: Resource) -> None:
    if resource.key not in draft.dropped:
        draft.dropped.append(resource.key)
