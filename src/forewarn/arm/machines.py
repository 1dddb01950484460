"""Virtual machines."""

from functools import partial

from forewarn.arm import showing
from forewarn.arm.acting import act, delete, put
from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.facts import Facts
from forewarn.arm.finding import find, known
from forewarn.arm.groups import find_group
from forewarn.arm.jobs import accepted
from forewarn.arm.paging import looked_up
from forewarn.arm.routing import COMPUTE, Row, Rows, S
from forewarn.domain.resources import VIRTUAL_MACHINE, Resource

ALL = f"{COMPUTE}/virtualMachines"
ONE = f"{ALL}/{{name}}"
ACTIONS = (
    "restart",
    "redeploy",
    "reapply",
    "start",
    "powerOff",
    "deallocate",
    "performMaintenance",
    "reimage",
)


def expanded(ask: Ask) -> bool:
    return "instanceview" in ask.query.get("$expand", "").lower()


async def list_machines(desk: Desk, ask: Ask) -> Reply:
    group = (await find_group(desk, ask)).key if "group" in ask.path else None
    expand = expanded(ask) or ask.query.get("statusonly", "").lower() == "true"

    def tell(facts: Facts, resource: Resource) -> Json:
        return showing.machine(desk, facts, resource, expand=expand)

    return await looked_up(desk, ask, showing.telling(tell), group=group, kind=VIRTUAL_MACHINE)


async def get_machine(desk: Desk, ask: Ask) -> Reply:
    resource, expand = await find(desk, ask, VIRTUAL_MACHINE), expanded(ask)
    body = await desk.estate.store.read(lambda r: showing.machine(desk, Facts(r), resource, expand=expand))
    return Reply(body=body, headers={"ETag": f'"{resource.version}"'})


async def get_instance_view(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, VIRTUAL_MACHINE)
    return Reply(body=await desk.estate.store.read(lambda r: showing.machine_instance_view(Facts(r), resource)))


async def put_machine(desk: Desk, ask: Ask) -> Reply:
    return await put(desk, ask, VIRTUAL_MACHINE)


async def delete_machine(desk: Desk, ask: Ask) -> Reply:
    return await delete(desk, ask, VIRTUAL_MACHINE)


async def evict(desk: Desk, ask: Ask) -> Reply:
    await _act(desk, ask, "simulateEviction")
    return Reply(status=204)


async def _act(desk: Desk, ask: Ask, word: str) -> Reply:
    resource = await find(desk, ask, VIRTUAL_MACHINE)
    machine, _ = await desk.estate.store.read(lambda r: Facts(r).machine(resource))
    job = await act(desk, ask, word, resource.id, [known(machine)])
    return accepted(desk, ask, job, resource.location)


ROWS: Rows = (
    Row(method="GET", path=f"{S}/providers/Microsoft.Compute/virtualMachines", handler=list_machines, open=True),
    Row(method="GET", path=ALL, handler=list_machines),
    Row(method="GET", path=ONE, handler=get_machine),
    Row(method="GET", path=f"{ONE}/instanceView", handler=get_instance_view),
    Row(method="PUT", path=ONE, handler=put_machine),
    Row(method="PATCH", path=ONE, handler=put_machine),
    Row(method="DELETE", path=ONE, handler=delete_machine),
    Row(method="POST", path=f"{ONE}/simulateEviction", handler=evict),
    *(Row(method="POST", path=f"{ONE}/{word}", handler=partial(_act, word=word)) for word in ACTIONS),
)
