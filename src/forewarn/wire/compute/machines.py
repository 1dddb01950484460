"""A virtual machine as its owner sees it, and what the platform sees of it."""

from forewarn.domain.machines import Machine, Power
from forewarn.domain.resources import Resource, group_id
from forewarn.wire.catalogue import find_image
from forewarn.wire.compute.digging import Json, dig
from forewarn.wire.compute.states import Provisioning, powered, provisioned
from forewarn.wire.dates import moment


def machine_view(
    resource: Resource, machine: Machine | None, state: Provisioning, *, instance_view: Json | None = None
) -> Json:
    """`machine` is None for a moment, while its resource is about to follow it."""
    properties = {**dig(resource.body, "properties"), "provisioningState": state.value}
    if machine is not None:
        properties["vmId"] = machine.profile.vm_id
        properties["storageProfile"] = with_disk(storage_view(properties.get("storageProfile") or {}), machine)
    if instance_view is not None:
        properties["instanceView"] = instance_view
    if resource.created_at is not None:
        properties["timeCreated"] = moment(resource.created_at)
    return {
        "name": resource.name,
        "id": resource.id,
        "type": resource.type,
        "location": resource.location,
        "tags": {},
        **resource.body,
        "properties": properties,
        "etag": f'"{resource.version}"',
    }


def instance_view(machine: Machine, state: Provisioning, *, domains: bool, group: str = "") -> Json:
    """`domains`: whether its place in a set is told; `group` is the id of its placement group."""
    view: Json = {"placementGroupId": group} if group else {}
    if domains:
        view |= {"platformUpdateDomain": machine.update_domain, "platformFaultDomain": machine.fault_domain}
    if machine.power is Power.RUNNING:
        view |= _from_inside(machine)
    at = machine.created_at
    disk = {"name": disk_name(machine), "statuses": [provisioned(Provisioning.SUCCEEDED, at)]}
    return {
        **view,
        "disks": [disk],
        "hyperVGeneration": _generation(machine),
        "statuses": [provisioned(state, at), powered(machine.power)],
    }


def storage_view(storage: Json) -> Json:
    """With the version that `latest` was."""
    image = storage.get("imageReference")
    if not isinstance(image, dict) or "publisher" not in image:
        return storage
    known = find_image(*(str(image.get(part, "")) for part in ("publisher", "offer", "sku")))
    exact = image.get("version")
    if str(exact).lower() == "latest":
        exact = known.version if known else None
    return {**storage, "imageReference": {**image, "exactVersion": exact}} if exact else storage


def with_disk(storage: Json, machine: Machine) -> Json:
    """The machine's own disk has a name, and if it is managed an id."""
    disk = storage.get("osDisk")
    if not isinstance(disk, dict):
        return storage
    profile = machine.profile
    disk = {**disk, "osType": profile.os_type, "name": disk.get("name") or disk_name(machine)}
    if isinstance(disk.get("managedDisk"), dict):
        group = group_id(profile.subscription_id, profile.resource_group)
        own = f"{group}/providers/Microsoft.Compute/disks/{disk['name']}"
        disk["managedDisk"] = {**disk["managedDisk"], "id": own}
    return {**storage, "osDisk": disk}


def disk_name(machine: Machine) -> str:
    return f"{machine.name}_OsDisk_1_{machine.profile.vm_id.replace('-', '')}"


def _from_inside(machine: Machine) -> Json:
    """What only a machine that runs can tell."""
    system = machine.profile.offer or machine.profile.os_type
    ready: Json = {
        "code": "ProvisioningState/succeeded",
        "level": "Info",
        "displayStatus": "Ready",
        "message": "Guest Agent is running",
    }
    if machine.created_at is not None:
        ready["time"] = moment(machine.created_at)
    agent = {"vmAgentVersion": "2.13.1.1", "statuses": [ready], "extensionHandlers": []}
    return {
        "computerName": machine.computer_name or machine.name,
        "osName": "ubuntu" if "ubuntu" in system.lower() else system.lower(),
        "osVersion": machine.profile.sku,
        "vmAgent": agent,
    }


def _generation(machine: Machine) -> str:
    profile = machine.profile
    image = find_image(profile.publisher, profile.offer, profile.sku)
    return image.generation if image else "V2"
