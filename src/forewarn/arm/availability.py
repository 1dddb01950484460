"""Availability sets. Nothing about them takes time, so every answer is the last one."""

from forewarn.arm.acting import order
from forewarn.arm.applying import put_availability_set
from forewarn.arm.asking import Ask, Desk, Reply
from forewarn.arm.finding import find, look_for
from forewarn.arm.groups import find_group
from forewarn.arm.paging import looked_up
from forewarn.arm.routing import COMPUTE, Row, Rows, S
from forewarn.arm.showing import availability_set, show, telling
from forewarn.domain.resources import AVAILABILITY_SET

ALL = f"{COMPUTE}/availabilitySets"
ONE = f"{ALL}/{{name}}"


async def list_sets(desk: Desk, ask: Ask) -> Reply:
    group = (await find_group(desk, ask)).key if "group" in ask.path else None
    tell = telling(lambda facts, resource: availability_set(desk, facts, resource))
    return await looked_up(desk, ask, tell, group=group, kind=AVAILABILITY_SET)


async def get_set(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=await show(desk, await find(desk, ask, AVAILABILITY_SET)))


async def put_set(desk: Desk, ask: Ask) -> Reply:
    """200 even for a new one: the clients accept nothing else."""
    applied = await put_availability_set(desk, order(desk, ask, AVAILABILITY_SET))
    return Reply(body=await show(desk, applied.resource))


async def delete_set(desk: Desk, ask: Ask) -> Reply:
    resource = await look_for(desk, ask, AVAILABILITY_SET)
    if resource is None:
        return Reply(status=204)
    await desk.estate.delete([resource.key], ask.by)
    return Reply(status=200)


ROWS: Rows = (
    Row(method="GET", path=f"{S}/providers/Microsoft.Compute/availabilitySets", handler=list_sets, open=True),
    Row(method="GET", path=ALL, handler=list_sets),
    Row(method="GET", path=ONE, handler=get_set),
    Row(method="PUT", path=ONE, handler=put_set),
    Row(method="PATCH", path=ONE, handler=put_set),
    Row(method="DELETE", path=ONE, handler=delete_set),
)
