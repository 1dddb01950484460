"""Resource groups."""

from msgspec.structs import replace

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.bodies import location_of, tags_of
from forewarn.arm.errors import ArmError, no_group, no_location
from forewarn.arm.filters import kept_by
from forewarn.arm.jobs import accepted
from forewarn.arm.paging import listed
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.domain.access import covers
from forewarn.domain.resources import GROUP, Resource, group_id
from forewarn.wire.arm_ids import check_group


def tell(group: Resource) -> Json:
    state = "Deleting" if group.leaving else "Succeeded"
    return {
        "id": group.id,
        "name": group.name,
        "type": GROUP,
        "location": group.location,
        **group.body,
        "properties": {"provisioningState": state},
    }


async def find_group(desk: Desk, ask: Ask) -> Resource:
    group = await desk.estate.resource(key_of(desk, ask))
    if group is None:
        raise no_group(ask.path["group"])
    return group


def key_of(desk: Desk, ask: Ask) -> str:
    return group_id(desk.subscription, ask.path["group"]).lower()


async def list_groups(desk: Desk, ask: Ask) -> Reply:
    return await listed(desk, ask, tell, kind=GROUP, keep=kept_by(ask))


async def get_group(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=tell(await find_group(desk, ask)))


async def has_group(desk: Desk, ask: Ask) -> Reply:
    return Reply(status=204 if await desk.estate.resource(key_of(desk, ask)) else 404)


async def put_group(desk: Desk, ask: Ask) -> Reply:
    name, body = ask.path["group"], ask.body
    check_group(name)
    location = location_of(body)

    def revise(known: Resource | None) -> Resource:
        if known is None:
            return _new_group(desk, name, location, body)
        _check_present(known)
        if location not in ("", known.location):
            raise ArmError(
                409,
                "InvalidResourceGroupLocation",
                f"Invalid resource group location '{location}'. The Resource group already exists in location "
                f"'{known.location}'.",
            )
        return replace(known, body=_kept(body), version=known.version + 1)

    if await desk.estate.resource(key_of(desk, ask)) is None:
        await _forget_roles(desk, ask, group_id(desk.subscription, name))
    group = await desk.estate.put(key_of(desk, ask), revise)
    return Reply(status=201 if group.version == 1 else 200, body=tell(group))


async def patch_group(desk: Desk, ask: Ask) -> Reply:
    def revise(known: Resource | None) -> Resource:
        if known is None:
            raise no_group(ask.path["group"])
        _check_present(known)
        return replace(known, body={**known.body, **_kept(ask.body)}, version=known.version + 1)

    return Reply(body=tell(await desk.estate.put(key_of(desk, ask), revise)))


async def delete_group(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    job = await desk.estate.delete([group.key], ask.by)
    return accepted(desk, ask, job, group.location)


def _new_group(desk: Desk, name: str, location: str, body: Json) -> Resource:
    if not location:
        raise no_location()
    return Resource(
        id=group_id(desk.subscription, name),
        type=GROUP,
        name=name,
        location=location,
        body=_kept(body),
        created_at=desk.clock.now(),
    )


async def _forget_roles(desk: Desk, ask: Ask, group: str) -> None:
    """Those in a group of the same name that is no more say nothing about a new one."""
    for given in desk.access.assignments.list():
        if covers(group, given.scope):
            await desk.access.assignments.delete(given.id, ask.by)


def _check_present(group: Resource) -> None:
    if group.leaving:
        raise ArmError(
            409,
            "ResourceGroupBeingDeleted",
            f"The resource group '{group.name}' is in deprovisioning state and cannot perform this operation.",
        )


def _kept(body: Json) -> Json:
    tags = tags_of(body)
    return {} if tags is None else {"tags": tags}


ROWS: Rows = (
    Row(method="GET", path=f"{S}/resourceGroups", handler=list_groups, open=True),
    Row(method="GET", path=RG, handler=get_group),
    Row(method="HEAD", path=RG, handler=has_group),
    Row(method="PUT", path=RG, handler=put_group),
    Row(method="PATCH", path=RG, handler=patch_group),
    Row(method="DELETE", path=RG, handler=delete_group),
)
