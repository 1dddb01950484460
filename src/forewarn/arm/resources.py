"""`az resource list`: what there is of any type, without its properties."""

from collections.abc import Callable

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.filters import kept_by
from forewarn.arm.groups import find_group
from forewarn.arm.paging import Keep, listed
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.domain.resources import Resource
from forewarn.wire.arm_ids import parse_id
from forewarn.wire.dates import moment

SHOWN = ("tags", "sku", "kind", "plan", "zones", "identity", "managedBy", "extendedLocation")
HIDDEN = "microsoft.resources/"
"""Groups and deployments are no resources of a list."""


async def list_all(desk: Desk, ask: Ask) -> Reply:
    return await listed(desk, ask, _teller(ask), keep=_kept(ask))


async def list_in_group(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    return await listed(desk, ask, _teller(ask), group=group.key, keep=_kept(ask))


def _kept(ask: Ask) -> Keep:
    asked_for = kept_by(ask)
    return lambda resource: not resource.type.lower().startswith(HIDDEN) and asked_for(resource)


def _teller(ask: Ask) -> Callable[[Resource], Json]:
    expanded = {name.strip().lower() for name in ask.query.get("$expand", "").split(",")}

    def tell(resource: Resource) -> Json:
        more: Json = {
            "createdTime": moment(resource.created_at) if resource.created_at else None,
            "provisioningState": "Deleting" if resource.leaving else "Succeeded",
        }
        return {
            "id": resource.id,
            "name": parse_id(resource.id).full_name,
            "type": resource.type,
            **({"location": resource.location} if resource.location else {}),
            **{name: resource.body[name] for name in SHOWN if name in resource.body},
            **{name: value for name, value in more.items() if name.lower() in expanded and value},
        }

    return tell


ROWS: Rows = (
    Row(method="GET", path=f"{S}/resources", handler=list_all, open=True),
    Row(method="GET", path=f"{RG}/resources", handler=list_in_group),
)
