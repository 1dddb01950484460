"""Which resources there are, and the scopes and machines behind them."""

from collections.abc import Iterable, Iterator, Sequence

from forewarn.domain import outcomes
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.machines import Machine
from forewarn.domain.resources import GROUP, SCALE_SET, Resource
from forewarn.engine.ports import Reader

Target = tuple[str, str]
"""A machine: its scope and its name there."""
FEW = 20
"""Resources looked at at a time where mostly there is nothing to find."""


def known(reader: Reader, key: str) -> Resource:
    resource = reader.resource(key)
    if resource is None:
        raise NotFound("There is no resource {resource}.", key="no_resource", resource=key)
    return resource


def usable(resource: Resource | None) -> Resource | None:
    """What is being deleted is neither changed nor made anew before it is gone."""
    if resource is not None and resource.leaving:
        raise Conflict("{name} is being deleted: wait until it is gone.", key="being_deleted", name=resource.name)
    return resource


def check_group(reader: Reader, resource: Resource) -> None:
    """Nothing is put into a group that is not there, or about to go."""
    if not resource.group:
        return
    group = reader.resource(resource.group)
    if group is None:
        raise NotFound(
            "Resource group '{group}' could not be found.", key="no_group", group=resource.group.rpartition("/")[2]
        )
    if group.leaving:
        raise Conflict(
            "The resource group '{group}' is being deleted: wait until it is gone.",
            key="group_being_deleted",
            group=group.name,
        )


def scope_ids(reader: Reader, resource: Resource | None) -> list[str]:
    """The scopes in which its machines are."""
    if resource is None or not resource.scope:
        return []
    if resource.type == SCALE_SET:
        return [scope.id for scope in reader.scopes_of_scale_set(resource.scope)]
    return [resource.scope]


def machines(reader: Reader, resource: Resource) -> list[Machine]:
    if resource.machine:
        return list(reader.machines(resource.scope, [resource.machine]))
    return [machine for scope in scope_ids(reader, resource) for machine in reader.machines(scope)]


def find_machines(reader: Reader, targets: Sequence[Target]) -> list[Machine]:
    """Each of them once; NotFound if one is not there."""
    found: list[Machine] = []
    for scope, name in dict.fromkeys(targets):
        here = reader.machines(scope, [name])
        if not here:
            raise NotFound(
                "There is no machine {machine} in {scope}. `forewarn fleet` lists those there are.",
                key="no_machine",
                machine=name,
                scope=scope,
            )
        found.extend(here)
    return found


def with_contents(reader: Reader, keys: Sequence[str]) -> list[Resource]:
    """These, and what is in those of them that are resource groups."""
    found: dict[str, Resource] = {}
    for key in keys:
        resource = known(reader, key)
        found[resource.key] = resource
        if resource.type == GROUP:
            found |= {inside.key: inside for inside in contents(reader, resource)}
    return list(found.values())


def contents(reader: Reader, group: Resource) -> Iterator[Resource]:
    after = ""
    while page := reader.list_resources(group=group.key, after=after):
        yield from page
        after = page[-1].key


def inside(reader: Reader, resource: Resource) -> list[str]:
    """The keys of the resources whose ids begin with that of this one."""
    found: list[str] = []
    after = prefix = f"{resource.key}/"
    while page := reader.list_resources(group=resource.group, after=after, limit=FEW):
        found += [each.key for each in page if each.key.startswith(prefix)]
        if not page[-1].key.startswith(prefix):
            break
        after = page[-1].key
    return found


def recount(reader: Reader, draft: Draft, scopes: Iterable[str]) -> None:
    """Whether any machine of these scopes runs, after what the draft did to them."""
    touched = len(draft.machines) + len(draft.gone)
    outcomes.recount(draft, scopes, lambda scope: reader.some_machines(scope, touched + 1))
