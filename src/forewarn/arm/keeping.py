"""How resources are kept that nothing happens to: described, described anew, found and dropped.

The children of network resources are in their parent's body, all others stand beside it.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from forewarn.arm import children
from forewarn.arm.asking import Desk, Json
from forewarn.arm.bodies import location_of, patched, properties_of, tags_of, without_nulls
from forewarn.arm.errors import ArmError, elsewhere, no_group
from forewarn.arm.network import NETWORK, addressed
from forewarn.domain.resources import AVAILABILITY_SET, CLOUD_SERVICE, SCALE_SET, VIRTUAL_MACHINE, Resource
from forewarn.engine.ports import Reader
from forewarn.wire.arm_ids import ArmId
from forewarn.wire.secrets import is_secret, without_secrets

NOT_KEPT = ("microsoft.resources/", "microsoft.authorization/", "microsoft.eventgrid/")
MACHINES = frozenset(
    kind.lower()
    for kind in (VIRTUAL_MACHINE, SCALE_SET, AVAILABILITY_SET, CLOUD_SERVICE, f"{SCALE_SET}/virtualMachines")
)
"""Machines stand behind these: they are described elsewhere, never only kept."""

_GIVEN = ("id", "name", "type", "location", "etag")
"""What a body repeats of the resource itself."""


def tell(resource: Resource) -> Json:
    body: Json = {"name": resource.name, "id": resource.id, "type": resource.type}
    if resource.location:
        body["location"] = resource.location
    properties = {"provisioningState": "Succeeded", **properties_of(resource.body)}
    if resource.type.startswith(f"{NETWORK}/"):
        etag = f'W/"{resource.version}"'
        body["etag"] = etag
        properties = children.dressed(properties, resource.id, resource.type, etag)
    return {**body, **resource.body, "properties": properties}


async def put(desk: Desk, where: ArmId, body: Json, *, patch: bool = False) -> tuple[Json, bool]:
    """A resource as it stands then, and whether it is new."""
    check_kept(where.type)
    check_body(body)
    inner = _inner(where)
    if inner:
        return await _put_child(desk, where, inner, body, patch)

    def revise(reader: Reader, known: Resource | None) -> Resource:
        group = _group(reader, where)
        _check_parent(reader, where)
        if known is None and patch:
            raise not_found(where)
        return addressed(reader, _described(desk, where, group, known, body, patch))

    resource = await desk.estate.put_among(where.key, revise)
    return tell(resource), resource.version == 1


async def find(desk: Desk, where: ArmId) -> Json | None:
    root = await desk.estate.resource(_root(where).key)
    inner = _inner(where)
    if root is None or not inner:
        return None if root is None else tell(root)
    return children.find(tell(root)["properties"], inner)


async def drop(desk: Desk, where: ArmId) -> bool:
    """Says whether it was there."""
    check_kept(where.type)
    inner = _inner(where)
    if not inner:
        return await desk.estate.drop(where.key)
    if await find(desk, where) is None:
        return False

    def revise(known: Resource | None) -> Resource:
        if known is None:
            raise not_found(where)
        return _with_child(known, inner, None)

    await desk.estate.put(_root(where).key, revise)
    return True


def check_kept(type: str) -> None:
    kind = type.lower()
    if kind.startswith(NOT_KEPT) or kind in MACHINES:
        raise ArmError(404, "InvalidResourceType", f"There are no resources of the type '{type[:200]}' at this path.")


def check_body(body: Json) -> None:
    """What is wrong with it is said before anything is done."""
    location_of(body)
    tags_of(body)
    properties_of(body)


def not_found(where: ArmId) -> ArmError:
    return ArmError(
        404,
        "ResourceNotFound",
        f"The Resource '{where.relative}' under resource group '{where.group}' was not found. "
        "For more details please go to https://aka.ms/ARMResourceNotFoundFix",
    )


def _described(desk: Desk, where: ArmId, group: Resource, known: Resource | None, body: Json, patch: bool) -> Resource:
    kept = _own(body)
    location = location_of(body)
    if known is None:
        return Resource(
            id=where.text,
            type=where.type,
            name=where.name,
            group=group.key,
            location=location or ("" if where.is_child or where.extends else group.location),
            body=without_nulls(kept),
            created_at=desk.clock.now(),
        )
    if location not in ("", known.location):
        raise elsewhere(known.name, group.name, known.location, location)
    after = patched(known.body, kept) if patch else _still_addressed(known, without_nulls(kept))
    return replace(known, body=after, version=known.version + 1)


def _own(body: Json) -> Json:
    """What of a body is its owner's description."""
    kept = {name: value for name, value in body.items() if name not in _GIVEN and not is_secret(name)}
    return {name: value if name == "tags" else without_secrets(value) for name, value in kept.items()}


def _still_addressed(known: Resource, body: Json) -> Json:
    """A public address stays the same for as long as its resource is there."""
    address = properties_of(known.body).get("ipAddress")
    if address is None or not known.type.startswith(f"{NETWORK}/"):
        return body
    return {**body, "properties": {"ipAddress": address, **properties_of(body)}}


async def _put_child(
    desk: Desk, where: ArmId, inner: Sequence[tuple[str, str]], body: Json, patch: bool
) -> tuple[Json, bool]:
    root = _root(where)
    new: list[bool] = []

    def revise(known: Resource | None) -> Resource:
        properties = properties_of(known.body) if known is not None else {}
        if known is None or (len(inner) > 1 and children.find(properties, inner[:-1]) is None):
            raise _no_parent(where)
        before = children.find(properties, inner)
        new[:] = [before is None]
        kept = _own(body)
        if patch and before is None:
            raise not_found(where)
        child = patched(before, kept) if patch and before is not None else without_nulls(kept)
        return _with_child(known, inner, {**child, "name": before["name"] if before else where.name})

    parent = await desk.estate.put(root.key, revise)
    child = children.find(tell(parent)["properties"], inner)
    assert child is not None, "it has just been put there"
    return child, new[0]


def _with_child(parent: Resource, inner: Sequence[tuple[str, str]], child: Json | None) -> Resource:
    properties = children.put(properties_of(parent.body), inner, child)
    return replace(parent, body={**parent.body, "properties": properties}, version=parent.version + 1)


def _root(where: ArmId) -> ArmId:
    """The resource in whose body it is kept: itself, unless it is a network resource's child."""
    parent = where.parent if _inner(where) else None
    return where if parent is None else _root(parent)


def _inner(where: ArmId) -> list[tuple[str, str]]:
    """The way from there to it."""
    if where.namespace != NETWORK or where.extends is not None:
        return []
    return list(zip(where.types[1:], where.names[1:], strict=True))


def _group(reader: Reader, where: ArmId) -> Resource:
    group = reader.resource(ArmId(subscription=where.subscription, group=where.group).key)
    if group is None:
        raise no_group(where.group)
    return group


def _check_parent(reader: Reader, where: ArmId) -> None:
    parent = where.parent
    if parent is not None and parent.names and reader.resource(_root(parent).key) is None:
        raise _no_parent(where)


def _no_parent(where: ArmId) -> ArmError:
    parent = where.parent
    assert parent is not None, "only children are asked for their parent"
    return ArmError(
        404,
        "ParentResourceNotFound",
        f"Failed to perform 'write' on resource(s) of type '{'/'.join(where.types)}', because the parent resource "
        f"'{parent.text}' could not be found.",
    )
