"""From a path to what is there, or to ARM's words for what is not."""

from forewarn.arm.asking import Ask, Desk
from forewarn.arm.errors import ArmError
from forewarn.arm.groups import find_group
from forewarn.arm.keeping import not_found
from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.wire.arm_ids import ArmId, group_id

NO_ENTITY = "The entity was not found in this Azure location."


def id_at(desk: Desk, ask: Ask, kind: str) -> ArmId:
    """The id that a path names, in the caller's letter case."""
    return group_id(desk.subscription, ask.path["group"]).resource(kind, ask.path["name"])


async def look_for(desk: Desk, ask: Ask, kind: str) -> Resource | None:
    """None if there is no such thing in a group that is there."""
    resource = await desk.estate.resource(id_at(desk, ask, kind).key)
    if resource is None:
        await find_group(desk, ask)
    return resource


async def find(desk: Desk, ask: Ask, kind: str) -> Resource:
    resource = await look_for(desk, ask, kind)
    if resource is None:
        raise not_found(id_at(desk, ask, kind))
    return resource


def no_entity() -> ArmError:
    return ArmError(404, "NotFound", NO_ENTITY)


def known(machine: Machine | None) -> Machine:
    if machine is None:
        raise no_entity()
    return machine
