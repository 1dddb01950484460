"""Scale sets, and what is asked of their instances in one go."""

from collections.abc import Sequence
from functools import partial

from forewarn.arm.acting import act, delete, put
from forewarn.arm.asking import Ask, Desk, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.facts import Facts
from forewarn.arm.finding import find
from forewarn.arm.groups import find_group
from forewarn.arm.jobs import accepted
from forewarn.arm.paging import looked_up
from forewarn.arm.routing import COMPUTE, Row, Rows, S
from forewarn.arm.showing import scale_set, show, telling
from forewarn.domain.machines import Machine
from forewarn.domain.resources import SCALE_SET, Resource
from forewarn.domain.scalesets import LARGEST, by_number, open_to_all
from forewarn.wire.catalogue import SIZES
from forewarn.wire.compute.digging import texts
from forewarn.wire.compute.interfaces import interfaces
from forewarn.wire.compute.reading import spec_of
from forewarn.wire.compute.scalesets import summary
from forewarn.wire.compute.states import state_of_set

ALL = f"{COMPUTE}/virtualMachineScaleSets"
ONE = f"{ALL}/{{name}}"
ACTIONS = (
    "restart",
    "redeploy",
    "start",
    "powerOff",
    "deallocate",
    "performMaintenance",
    "reimage",
    "reimageAll",
    "reapply",
)
EVERYBODY = "*"


async def list_sets(desk: Desk, ask: Ask) -> Reply:
    group = (await find_group(desk, ask)).key if "group" in ask.path else None
    tell = telling(lambda facts, resource: scale_set(desk, facts, resource))
    return await looked_up(desk, ask, tell, group=group, kind=SCALE_SET)


async def get_set(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    return Reply(body=await show(desk, resource), headers={"ETag": f'"{resource.version}"'})


async def get_instance_view(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)

    def read(facts: Facts) -> object:
        return summary(facts.instances(resource), state_of_set(resource.leaving, facts.scopes(resource)))

    return Reply(body=await desk.estate.store.read(lambda reader: read(Facts(reader))))


async def get_interfaces(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    return Reply(body={"value": interfaces(resource, await members(desk, resource))})


async def get_skus(desk: Desk, ask: Ask) -> Reply:
    await find(desk, ask, SCALE_SET)
    room = {"minimum": 0, "maximum": LARGEST, "defaultCapacity": 1, "scaleType": "Automatic"}
    skus = [{"resourceType": SCALE_SET, "sku": {"name": s.name, "tier": "Standard"}, "capacity": room} for s in SIZES]
    return Reply(body={"value": skus})


async def get_public_addresses(desk: Desk, ask: Ask) -> Reply:
    """Instances have none."""
    await find(desk, ask, SCALE_SET)
    return Reply(body={"value": []})


async def put_set(desk: Desk, ask: Ask) -> Reply:
    return await put(desk, ask, SCALE_SET)


async def delete_set(desk: Desk, ask: Ask) -> Reply:
    return await delete(desk, ask, SCALE_SET)


async def delete_instances(desk: Desk, ask: Ask) -> Reply:
    _named(ask)
    return await _act(desk, ask, "delete")


async def upgrade_instances(desk: Desk, ask: Ask) -> Reply:
    _named(ask)
    resource = await find(desk, ask, SCALE_SET)
    chosen = None if _wanted(ask) is None else [machine.instance for machine in await _chosen(desk, ask, resource)]
    return accepted(desk, ask, await desk.estate.upgrade(resource.key, spec_of, chosen), resource.location)


async def members(desk: Desk, resource: Resource) -> list[Machine]:
    instances = await desk.estate.store.read(lambda reader: Facts(reader).instances(resource))
    return [instance.machine for instance in instances]


async def _act(desk: Desk, ask: Ask, word: str) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    job = await act(desk, ask, word, resource.id, await _chosen(desk, ask, resource))
    return accepted(desk, ask, job, resource.location)


async def _chosen(desk: Desk, ask: Ask, resource: Resource) -> list[Machine]:
    """The instances that the body names, each once; all that are open to it if it names none, or `*`."""
    wanted = _wanted(ask)
    found = await members(desk, resource)
    if wanted is None:
        return open_to_all(found)
    by_id = {machine.instance.lower(): machine for machine in found}
    chosen: dict[str, Machine] = {}
    for instance in wanted:
        machine = by_id.get(instance.lower()) or by_number(found, instance)
        if machine is None:
            # Not 404: the CLI takes that for success when it deletes.
            told = f"The provided instanceId {instance[:80]} is not an active Virtual Machine Scale Set VM instanceId."
            raise ArmError(400, "InvalidParameter", told, "instanceIds")
        chosen[machine.instance] = machine
    return list(chosen.values())


def _wanted(ask: Ask) -> Sequence[str] | None:
    """None: all of them."""
    wanted = texts(ask.body, "instanceIds")
    return None if ask.body.get("instanceIds") is None or EVERYBODY in wanted else wanted


def _named(ask: Ask) -> None:
    """Where silence must not mean everybody."""
    if not texts(ask.body, "instanceIds"):
        raise ArmError(400, "InvalidParameter", "Required parameter 'instanceIds' is missing (null).", "instanceIds")


ROWS: Rows = (
    Row(method="GET", path=f"{S}/providers/Microsoft.Compute/virtualMachineScaleSets", handler=list_sets, open=True),
    Row(method="GET", path=ALL, handler=list_sets),
    Row(method="GET", path=ONE, handler=get_set),
    Row(method="GET", path=f"{ONE}/instanceView", handler=get_instance_view),
    Row(method="GET", path=f"{ONE}/networkInterfaces", handler=get_interfaces),
    Row(method="GET", path=f"{ONE}/publicIPAddresses", handler=get_public_addresses),
    Row(method="GET", path=f"{ONE}/skus", handler=get_skus),
    Row(method="PUT", path=ONE, handler=put_set),
    Row(method="PATCH", path=ONE, handler=put_set),
    Row(method="DELETE", path=ONE, handler=delete_set),
    Row(method="POST", path=f"{ONE}/delete", handler=delete_instances),
    Row(method="POST", path=f"{ONE}/manualUpgrade", handler=upgrade_instances),
    *(Row(method="POST", path=f"{ONE}/{word}", handler=partial(_act, word=word)) for word in ACTIONS),
)
