"""Resources that Forewarn keeps for their owner and does nothing with: networks, disks, identities, whatever comes.

`RG/providers/NAMESPACE/TYPE/NAME`, to any depth, also as an extension of another resource.
"""

from collections.abc import Sequence

from forewarn.arm import children
from forewarn.arm.asking import Ask, Desk, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.filters import kept_by
from forewarn.arm.groups import find_group
from forewarn.arm.keeping import check_kept, drop, find, not_found, put, tell
from forewarn.arm.network import NETWORK
from forewarn.arm.paging import listed
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.domain.resources import Resource
from forewarn.wire.arm_ids import ArmId, parse_id


async def get_resource(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    if _is_list(ask):
        return await _list_inside(desk, ask, group)
    where = _where(ask, group)
    check_kept(where.type)
    found = await find(desk, where)
    if found is None:
        raise not_found(where)
    return Reply(body=found)


async def has_resource(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    return Reply(status=404 if _is_list(ask) or await find(desk, _where(ask, group)) is None else 204)


async def put_resource(desk: Desk, ask: Ask) -> Reply:
    resource, new = await put(desk, _where(ask, await find_group(desk, ask)), ask.body)
    return Reply(status=201 if new else 200, body=resource)


async def patch_resource(desk: Desk, ask: Ask) -> Reply:
    resource, _ = await put(desk, _where(ask, await find_group(desk, ask)), ask.body, patch=True)
    return Reply(body=resource)


async def delete_resource(desk: Desk, ask: Ask) -> Reply:
    where = _where(ask, await find_group(desk, ask))
    return Reply(status=200 if await drop(desk, where) else 204)


async def no_action(desk: Desk, ask: Ask) -> Reply:
    """Those that Forewarn has are in other tables."""
    name = ask.url.rstrip("/").rpartition("/")[2]
    message = f"Forewarn has no action '{name[:100]}' here: {ask.url[:300]}."
    raise ArmError(405, "MethodNotAllowed", message, headers={"Allow": "DELETE, GET, HEAD, PATCH, PUT"})


async def list_everywhere(desk: Desk, ask: Ask) -> Reply:
    kind = f"{ask.path['namespace']}/{ask.path['type']}"
    check_kept(kind)
    return await listed(desk, ask, tell, kind=kind, keep=kept_by(ask))


async def _list_inside(desk: Desk, ask: Ask, group: Resource) -> Reply:
    """What is in a group, or in a resource; `…/virtualNetworks`, `…/virtualNetworks/v/subnets`."""
    parts = _parts(ask)
    if len(parts) == 2:
        kind = "/".join(parts)
        check_kept(kind)
        return await listed(desk, ask, tell, group=group.key, kind=kind, keep=kept_by(ask))
    start = _last_provider(parts)
    above = parts[: start - 1] if len(parts) - start == 2 else parts[:-1]
    parent = parse_id(f"{group.id}/providers/{'/'.join(above)}")
    found = await find(desk, parent)
    if found is None:
        raise not_found(parent)
    if parent.namespace == NETWORK and start == 0:
        return Reply(body={"value": children.children(found["properties"], parts[-1])})
    inside = f"{parent.key}/{'/'.join(parts[len(above) :]).lower()}/"
    return await listed(desk, ask, tell, group=group.key, keep=lambda resource: _directly_in(inside, resource))


def _where(ask: Ask, group: Resource) -> ArmId:
    if _is_list(ask):
        raise ArmError(405, "MethodNotAllowed", f"{ask.url[:300]} is a list: name one resource of it.")
    return parse_id(f"{group.id}/providers/{'/'.join(_parts(ask))}")


def _is_list(ask: Ask) -> bool:
    """Whether the path ends with a type, not with a name."""
    parts = _parts(ask)
    return (len(parts) - _last_provider(parts)) % 2 == 0


def _parts(ask: Ask) -> list[str]:
    return [ask.path["namespace"], *ask.path["rest"].split("/")]


def _last_provider(parts: Sequence[str]) -> int:
    """Where the last namespace of a path stands."""
    return max((at + 1 for at, part in enumerate(parts) if part.lower() == "providers"), default=0)


def _directly_in(inside: str, resource: Resource) -> bool:
    return resource.key.startswith(inside) and "/" not in resource.key[len(inside) :]


PATH = f"{RG}/providers/{{namespace}}/{{rest...}}"
ROWS: Rows = (
    Row(method="GET", path=PATH, handler=get_resource),
    Row(method="HEAD", path=PATH, handler=has_resource),
    Row(method="PUT", path=PATH, handler=put_resource),
    Row(method="PATCH", path=PATH, handler=patch_resource),
    Row(method="DELETE", path=PATH, handler=delete_resource),
    Row(method="POST", path=PATH, handler=no_action),
    Row(method="GET", path=f"{S}/providers/{{namespace}}/{{type}}", handler=list_everywhere, open=True),
)
