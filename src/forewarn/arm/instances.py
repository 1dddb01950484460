"""Instances of a scale set, one by one. `*` in place of an id stands for all of them."""

from functools import partial

from msgspec.structs import replace

from forewarn.arm.acting import act
from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.facts import Facts, instance_order
from forewarn.arm.finding import find, no_entity
from forewarn.arm.jobs import accepted
from forewarn.arm.machines import expanded
from forewarn.arm.paging import PAGE, next_link, resumed
from forewarn.arm.routing import Row, Rows
from forewarn.arm.scalesets import ACTIONS, EVERYBODY, ONE
from forewarn.domain.machines import Machine
from forewarn.domain.resources import SCALE_SET, Resource
from forewarn.domain.scalesets import open_to_all
from forewarn.wire.compute.bodies import cleaned
from forewarn.wire.compute.digging import a_flag
from forewarn.wire.compute.interfaces import interfaces
from forewarn.wire.compute.scalesets import Instance, instance_instance_view, instance_views

ALL = f"{ONE}/virtualMachines"
EACH = f"{ALL}/{{instance}}"


async def list_instances(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    after = resumed(ask)
    found = await _instances(desk, resource)
    rest = [each for each in found if not after or instance_order(each.machine.instance) > instance_order(after)]
    body: Json = {"value": instance_views(resource, rest[:PAGE], expand=expanded(ask))}
    if len(rest) > PAGE:
        body["nextLink"] = next_link(ask, rest[PAGE - 1].machine.instance)
    return Reply(body=body)


async def get_instance(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    return Reply(body=_view(resource, await _one(desk, ask, resource), expand=expanded(ask)))


async def get_instance_view(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    return Reply(body=instance_instance_view(await _one(desk, ask, resource)))


async def get_interfaces(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    return Reply(body={"value": interfaces(resource, [(await _one(desk, ask, resource)).machine])})


async def put_instance(desk: Desk, ask: Ask) -> Reply:
    """Of an instance only its protection is its own; the rest is the model's."""
    resource = await find(desk, ask, SCALE_SET)
    instance = await _one(desk, ask, resource)
    wish = ("properties", "protectionPolicy")
    sent = cleaned(ask.body)

    def revise(machine: Machine) -> Machine:
        return replace(
            machine,
            keep_on_scale_in=a_flag(sent, *wish, "protectFromScaleIn", default=machine.keep_on_scale_in),
            keep_as_it_is=a_flag(sent, *wish, "protectFromScaleSetActions", default=machine.keep_as_it_is),
        )

    machine = await desk.estate.put_instance((instance.machine.scope, instance.machine.name), revise)
    return Reply(body=_view(resource, Instance(machine)))


async def delete_instance(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    machines = await _named(desk, ask, resource)
    if not machines:
        return Reply(status=204)
    return accepted(desk, ask, await act(desk, ask, "delete", resource.id, machines), resource.location)


async def evict(desk: Desk, ask: Ask) -> Reply:
    await _act(desk, ask, "simulateEviction")
    return Reply(status=204)


async def _act(desk: Desk, ask: Ask, word: str) -> Reply:
    resource = await find(desk, ask, SCALE_SET)
    machines = await _named(desk, ask, resource)
    if not machines and ask.path["instance"] != EVERYBODY:
        raise no_entity()
    return accepted(desk, ask, await act(desk, ask, word, resource.id, machines), resource.location)


async def _named(desk: Desk, ask: Ask, resource: Resource) -> list[Machine]:
    found = [instance.machine for instance in await _instances(desk, resource)]
    wanted = ask.path["instance"]
    if wanted == EVERYBODY:
        return open_to_all(found)
    return [machine for machine in found if machine.instance.lower() == wanted.lower()]


async def _one(desk: Desk, ask: Ask, resource: Resource) -> Instance:
    wanted = ask.path["instance"].lower()
    found = await _instances(desk, resource)
    instance = next((each for each in found if each.machine.instance.lower() == wanted), None)
    if instance is None:
        raise no_entity()
    return instance


async def _instances(desk: Desk, resource: Resource) -> list[Instance]:
    return await desk.estate.store.read(lambda reader: Facts(reader).instances(resource))


def _view(resource: Resource, instance: Instance, *, expand: bool = False) -> Json:
    return instance_views(resource, [instance], expand=expand, whole=True)[0]


ROWS: Rows = (
    Row(method="GET", path=ALL, handler=list_instances),
    Row(method="GET", path=EACH, handler=get_instance),
    Row(method="GET", path=f"{EACH}/instanceView", handler=get_instance_view),
    Row(method="GET", path=f"{EACH}/networkInterfaces", handler=get_interfaces),
    Row(method="PUT", path=EACH, handler=put_instance),
    Row(method="DELETE", path=EACH, handler=delete_instance),
    Row(method="POST", path=f"{EACH}/simulateEviction", handler=evict),
    *(Row(method="POST", path=f"{EACH}/{word}", handler=partial(_act, word=word)) for word in ACTIONS),
)
