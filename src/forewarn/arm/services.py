"""Cloud services and their role instances, as the classic pages know them."""

from functools import partial

from forewarn.arm.acting import act, delete, put
from forewarn.arm.asking import Ask, Desk, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.finding import find, no_entity
from forewarn.arm.groups import find_group
from forewarn.arm.jobs import accepted
from forewarn.arm.paging import looked_up
from forewarn.arm.routing import COMPUTE, Row, Rows, S
from forewarn.arm.showing import cloud_service, show, telling
from forewarn.domain.machines import Machine
from forewarn.domain.resources import CLOUD_SERVICE, Resource
from forewarn.wire.compute.digging import texts
from forewarn.wire.compute.services import role_instance_instance_view, role_instance_view, service_instance_view

ALL = f"{COMPUTE}/cloudServices"
ONE = f"{ALL}/{{name}}"
EACH = f"{ONE}/roleInstances/{{instance}}"
ACTIONS = ("restart", "reimage", "rebuild")


async def list_services(desk: Desk, ask: Ask) -> Reply:
    group = (await find_group(desk, ask)).key if "group" in ask.path else None
    tell = telling(lambda facts, resource: cloud_service(desk, facts, resource))
    return await looked_up(desk, ask, tell, group=group, kind=CLOUD_SERVICE)


async def get_service(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=await show(desk, await find(desk, ask, CLOUD_SERVICE)))


async def get_instance_view(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    return Reply(body=service_instance_view(await _members(desk, resource)))


async def put_service(desk: Desk, ask: Ask) -> Reply:
    return await put(desk, ask, CLOUD_SERVICE)


async def delete_service(desk: Desk, ask: Ask) -> Reply:
    return await delete(desk, ask, CLOUD_SERVICE)


async def list_instances(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    return Reply(body={"value": [role_instance_view(resource, machine) for machine in await _members(desk, resource)]})


async def get_instance(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    return Reply(body=role_instance_view(resource, await _one(desk, ask, resource)))


async def get_role_instance_view(desk: Desk, ask: Ask) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    return Reply(body=role_instance_instance_view(await _one(desk, ask, resource)))


async def _on_one(desk: Desk, ask: Ask, word: str) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    machine = await _one(desk, ask, resource)
    return accepted(desk, ask, await act(desk, ask, word, resource.id, [machine]), resource.location)


async def _on_named(desk: Desk, ask: Ask, word: str) -> Reply:
    resource = await find(desk, ask, CLOUD_SERVICE)
    machines = _chosen(ask, await _members(desk, resource))
    return accepted(desk, ask, await act(desk, ask, word, resource.id, machines), resource.location)


def _chosen(ask: Ask, members: list[Machine]) -> list[Machine]:
    wanted = texts(ask.body, "roleInstances")
    if not wanted:
        raise ArmError(400, "InvalidParameter", "Required parameter 'roleInstances' is missing (null).")
    if "*" in wanted:
        return members
    by_name = {machine.name.lower(): machine for machine in members}
    for name in wanted:
        if name.lower() not in by_name:
            raise ArmError(400, "InvalidParameter", f"The cloud service has no role instance {name[:80]}.")
    return [by_name[name] for name in dict.fromkeys(name.lower() for name in wanted)]


async def _members(desk: Desk, resource: Resource) -> list[Machine]:
    return list(await desk.estate.store.read(lambda reader: reader.machines(resource.scope)))


async def _one(desk: Desk, ask: Ask, resource: Resource) -> Machine:
    wanted = ask.path["instance"].lower()
    found = next((machine for machine in await _members(desk, resource) if machine.name.lower() == wanted), None)
    if found is None:
        raise no_entity()
    return found


ROWS: Rows = (
    Row(method="GET", path=f"{S}/providers/Microsoft.Compute/cloudServices", handler=list_services, open=True),
    Row(method="GET", path=ALL, handler=list_services),
    Row(method="GET", path=ONE, handler=get_service),
    Row(method="GET", path=f"{ONE}/instanceView", handler=get_instance_view),
    Row(method="PUT", path=ONE, handler=put_service),
    Row(method="PATCH", path=ONE, handler=put_service),
    Row(method="DELETE", path=ONE, handler=delete_service),
    Row(method="GET", path=f"{ONE}/roleInstances", handler=list_instances),
    Row(method="GET", path=EACH, handler=get_instance),
    Row(method="GET", path=f"{EACH}/instanceView", handler=get_role_instance_view),
    Row(method="DELETE", path=EACH, handler=partial(_on_one, word="delete")),
    *(Row(method="POST", path=f"{EACH}/{word}", handler=partial(_on_one, word=word)) for word in ACTIONS),
    *(Row(method="POST", path=f"{ONE}/{word}", handler=partial(_on_named, word=word)) for word in ACTIONS),
    Row(method="POST", path=f"{ONE}/delete", handler=partial(_on_named, word="delete")),
)
