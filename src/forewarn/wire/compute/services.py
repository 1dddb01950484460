"""Cloud services: roles, their instances, and how their owner sees them."""

from collections.abc import Mapping

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import Machine, Profile
from forewarn.domain.resources import Resource
from forewarn.wire.arm_ids import check_machine_name
from forewarn.wire.compute.digging import Json, a_number, a_text, objects
from forewarn.wire.compute.reading import Place
from forewarn.wire.compute.states import Provisioning, powered

ROLE_INSTANCE = "Microsoft.Compute/cloudServices/roleInstances"
MOST_INSTANCES = 1000


def role_instances(body: Json, scope: str, place: Place) -> tuple[Machine, ...]:
    """Every instance that the description asks for: FrontEnd_IN_0, FrontEnd_IN_1…"""
    roles = objects(body, "properties", "roleProfile", "roles")
    found = {machine.name: machine for role in roles for machine in _instances(role, scope, place)}
    if len(found) > MOST_INSTANCES:
        raise Invalid(f"A cloud service has at most {MOST_INSTANCES} role instances.")
    return tuple(found.values())


def _instances(role: Json, scope: str, place: Place) -> list[Machine]:
    name, count = a_text(role, "name"), a_number(role, "sku", "capacity")
    check_machine_name(name)
    if count is None or not 0 <= count <= MOST_INSTANCES:
        raise Invalid(f"'sku.capacity' of the role {name} must be from 0 to {MOST_INSTANCES}.")
    profile = Profile(
        location=place.location,
        resource_group=place.group,
        subscription_id=place.subscription,
        size=a_text(role, "sku", "name") or Profile().size,
        os_type="Windows",
        publisher="",
        offer="",
        sku="",
        version="",
    )
    names = [f"{name}_IN_{number}" for number in range(count)]
    return [Machine(scope=scope, name=each, computer_name=each, profile=profile) for each in names]


def service_view(resource: Resource, state: Provisioning) -> Json:
    return {
        "name": resource.name,
        "id": resource.id,
        "type": resource.type,
        "location": resource.location,
        **resource.body,
        "properties": {**resource.body["properties"], "provisioningState": state.value},
    }


def role_instance_view(resource: Resource, machine: Machine) -> Json:
    return {
        "name": machine.name,
        "id": f"{resource.id}/roleInstances/{machine.name}",
        "type": ROLE_INSTANCE,
        "location": resource.location,
        "sku": {"name": machine.profile.size, "tier": "Standard"},
        "properties": {
            "networkProfile": {"networkInterfaces": []},
            "instanceView": role_instance_instance_view(machine),
        },
    }


def role_instance_instance_view(machine: Machine) -> Json:
    power = powered(machine.power)
    return {
        "platformUpdateDomain": machine.update_domain,
        "platformFaultDomain": machine.fault_domain,
        "privateId": machine.profile.vm_id,
        "statuses": [{**power, "displayStatus": "RoleInstance " + machine.power.value.capitalize()}],
    }


def service_instance_view(machines: list[Machine]) -> Json:
    counted: Mapping[str, int] = {
        power: sum(machine.power.value == power for machine in machines) for power in {m.power.value for m in machines}
    }
    told = [{"code": f"PowerState/{power}", "count": count} for power, count in sorted(counted.items())]
    return {"roleInstance": {"statusesSummary": told}, "sdkVersion": "", "privateIds": [], "statuses": []}
