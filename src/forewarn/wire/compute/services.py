"""Cloud services: roles, their instances, and how their owner sees them."""

from collections.abc import Mapping

from msgspec.structs import replace

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import Machine, Profile
from forewarn.domain.resources import Resource
from forewarn.wire.arm_ids import check_name
from forewarn.wire.compute.digging import Json, a_number, a_text, an_object
from forewarn.wire.compute.reading import Place
from forewarn.wire.compute.states import Provisioning, powered

ROLE_INSTANCE = "Microsoft.Compute/cloudServices/roleInstances"
UPDATE_DOMAINS, FAULT_DOMAINS = 5, 2
MOST_INSTANCES = 1000


def role_instances(body: Json, scope: str, place: Place) -> tuple[Machine, ...]:
    """Every instance that the description asks for: FrontEnd_IN_0, FrontEnd_IN_1…"""
    roles = an_object(body, "properties", "roleProfile").get("roles", [])
    if not isinstance(roles, list) or not all(isinstance(role, dict) for role in roles):
        raise Invalid("'properties.roleProfile.roles' must be a list of objects.")
    found: dict[str, Machine] = {}
    for role in roles:
        name, count = a_text(role, "name"), a_number(role, "sku", "capacity")
        check_name(name)
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
        if count is None or not 0 <= count <= MOST_INSTANCES:
            raise Invalid(f"'sku.capacity' of the role {name} must be from 0 to {MOST_INSTANCES}.")
        for number in range(count):
            machine = _instance(f"{name}_IN_{number}", scope, number)
            found[machine.name] = replace(machine, profile=profile)
    if len(found) > MOST_INSTANCES:
        raise Invalid(f"A cloud service has at most {MOST_INSTANCES} role instances.")
    return tuple(found.values())


def _instance(name: str, scope: str, number: int) -> Machine:
    return Machine(
        scope=scope,
        name=name,
        computer_name=name,
        update_domain=number % UPDATE_DOMAINS,
        fault_domain=number % FAULT_DOMAINS,
    )


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
