"""Compute's resources as JSON, each with what stands behind it."""

from collections.abc import Callable

from forewarn.arm.asking import Desk, Json
from forewarn.arm.facts import Facts, staying
from forewarn.domain.access import machine_principal
from forewarn.domain.resources import AVAILABILITY_SET, CLOUD_SERVICE, SCALE_SET, VIRTUAL_MACHINE, Resource
from forewarn.domain.scopes import ScopeKind
from forewarn.engine.ports import Reader
from forewarn.wire.compute.availability import availability_set_view
from forewarn.wire.compute.machines import instance_view, machine_view
from forewarn.wire.compute.scalesets import set_view
from forewarn.wire.compute.services import service_view
from forewarn.wire.compute.states import state_of_set

Tell = Callable[[Desk, Facts, Resource], Json]


def telling(tell: Callable[[Facts, Resource], Json]) -> Callable[[Reader], Callable[[Resource], Json]]:
    """For lists: what stands behind the resources is looked up once for all of them."""

    def begin(reader: Reader) -> Callable[[Resource], Json]:
        facts = Facts(reader)
        return lambda resource: tell(facts, resource)

    return begin


def machine(desk: Desk, facts: Facts, resource: Resource, *, expand: bool = False) -> Json:
    found, state = facts.machine(resource)
    view = machine_instance_view(facts, resource) if expand and found else None
    told = machine_view(resource, found, state, instance_view=view)
    return _with_identity(desk, told, machine_principal(resource.scope, resource.machine))


def machine_instance_view(facts: Facts, resource: Resource) -> Json:
    """Empty once the machine is gone."""
    found, state = facts.machine(resource)
    home = facts.home(resource.scope)
    if found is None or home is None:
        return {}
    return instance_view(found, state, domains=home.scope.kind is not ScopeKind.STANDALONE)


def scale_set(desk: Desk, facts: Facts, resource: Resource) -> Json:
    instances = facts.instances(resource)
    state = state_of_set(resource.leaving, facts.scopes(resource))
    return _with_identity(desk, set_view(resource, staying(instances), state), resource.key)


def availability_set(desk: Desk, facts: Facts, resource: Resource) -> Json:
    return availability_set_view(resource, facts.ids_of_members(resource.scope))


def cloud_service(desk: Desk, facts: Facts, resource: Resource) -> Json:
    home = facts.home(resource.scope)
    return service_view(resource, state_of_set(resource.leaving, [home.scope] if home else []))


TELL: dict[str, Tell] = {
    VIRTUAL_MACHINE: machine,
    SCALE_SET: scale_set,
    AVAILABILITY_SET: availability_set,
    CLOUD_SERVICE: cloud_service,
}
"""By type: how whoever asks for the resource itself is answered."""


async def show(desk: Desk, resource: Resource) -> Json:
    tell = TELL[resource.type]
    return await desk.estate.store.read(lambda reader: tell(desk, Facts(reader), resource))


def _with_identity(desk: Desk, view: Json, principal: str) -> Json:
    identity = view.get("identity")
    if not isinstance(identity, dict) or "systemassigned" not in str(identity.get("type", "")).lower():
        return view
    own = {"principalId": desk.access.object_id(principal), "tenantId": desk.access.tenant}
    return {**view, "identity": {**identity, **own}}
