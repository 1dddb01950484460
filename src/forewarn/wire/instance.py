"""What a machine is told about itself at `/metadata/instance`: every scalar a string, what does not apply `""`.

Each api-version adds fields to the ones before it. `_SINCE` says when a field came; api-versions are dates, so their
order is that of their text.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from forewarn.domain.machines import Machine
from forewarn.domain.scopes import ScopeKind
from forewarn.wire import answers
from forewarn.wire.answers import Answer

_PROVIDERS = "providers/Microsoft.Compute"


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeFacts:
    """What a machine's metadata says of the scope it is in."""

    kind: ScopeKind
    name: str = ""  # of the availability set or cloud service
    scale_set: str = ""
    placement_group_id: str = ""
    flexible: bool = False  # a flexible scale set's instances are plain VMs


# In the real answers' order of keys.
_SINCE: dict[str, str] = {
    "additionalCapabilities": "2021-11-01",
    "azEnvironment": "2018-10-01",
    "customData": "2019-02-01",
    "evictionPolicy": "2020-12-01",
    "extendedLocation": "2021-03-01",
    "host": "2021-11-15",
    "hostGroup": "2021-11-15",
    "isHostCompatibilityLayerVm": "2020-06-01",
    "licenseType": "2020-09-01",
    "location": "2017-03-01",
    "name": "2017-03-01",
    "offer": "2017-03-01",
    "osProfile": "2020-07-15",
    "osType": "2017-03-01",
    "placementGroupId": "2017-08-01",
    "plan": "2018-04-02",
    "platformFaultDomain": "2017-03-01",
    "platformSubFaultDomain": "2021-10-01",
    "platformUpdateDomain": "2017-03-01",
    "priority": "2020-12-01",
    "provider": "2018-10-01",
    "publicKeys": "2018-04-02",
    "publisher": "2017-03-01",
    "resourceGroupName": "2017-08-01",
    "resourceId": "2019-03-11",
    "securityProfile": "2020-06-01",
    "sku": "2017-03-01",
    "storageProfile": "2019-06-01",
    "subscriptionId": "2017-08-01",
    "tags": "2017-08-01",
    "tagsList": "2019-06-04",
    "userData": "2021-01-01",
    "version": "2017-03-01",
    "virtualMachineScaleSet": "2021-03-01",
    "vmId": "2017-03-01",
    "vmScaleSetName": "2017-12-01",
    "vmSize": "2017-03-01",
    "zone": "2017-12-01",
}


def instance_document(machine: Machine, scope: ScopeFacts, version: str) -> dict[str, object]:
    values = _compute(machine, scope)
    return {
        "compute": {name: values[name] for name, since in _SINCE.items() if since <= version},
        "network": _network(machine),
    }


def resource_id(machine: Machine, scope: ScopeFacts) -> str:
    """The machine's id in ARM."""
    group = _group_id(machine)
    if scope.kind is ScopeKind.CLOUD_SERVICE:
        return f"{group}/cloudServices/{scope.name}/roleInstances/{machine.name}"
    if scope.scale_set and not scope.flexible:
        instance = machine.name.removeprefix(f"{scope.scale_set}_")
        return f"{group}/virtualMachineScaleSets/{scope.scale_set}/virtualMachines/{instance}"
    return f"{group}/virtualMachines/{machine.name}"


def _group_id(machine: Machine) -> str:
    profile = machine.profile
    return f"/subscriptions/{profile.subscription_id}/resourceGroups/{profile.resource_group}/{_PROVIDERS}"


def _compute(machine: Machine, scope: ScopeFacts) -> dict[str, object]:
    profile = machine.profile
    flexible_set = f"{_group_id(machine)}/virtualMachineScaleSets/{scope.scale_set}" if scope.flexible else ""
    return {
        "additionalCapabilities": {"hibernationEnabled": "false"},
        "azEnvironment": "AzurePublicCloud",
        "customData": "",
        "evictionPolicy": machine.eviction_policy.value if machine.is_spot else "",
        "extendedLocation": {"name": "", "type": ""},
        "host": {"id": machine.host},
        "hostGroup": {"id": ""},
        "isHostCompatibilityLayerVm": "false",
        "licenseType": "",
        "location": profile.location,
        "name": machine.name,
        "offer": profile.offer,
        "osProfile": {
            "adminUsername": "",
            "computerName": machine.computer_name or machine.name,
            "disablePasswordAuthentication": "true" if profile.os_type == "Linux" else "",
        },
        "osType": profile.os_type,
        "placementGroupId": scope.placement_group_id,
        "plan": {"name": "", "product": "", "publisher": ""},
        "platformFaultDomain": str(machine.fault_domain),
        "platformSubFaultDomain": "",
        "platformUpdateDomain": str(machine.update_domain),
        "priority": machine.priority.value,
        "provider": "Microsoft.Compute",
        "publicKeys": [],
        "publisher": profile.publisher,
        "resourceGroupName": profile.resource_group,
        "resourceId": resource_id(machine, scope),
        "securityProfile": {"secureBootEnabled": "false", "virtualTpmEnabled": "false"},
        "sku": profile.sku,
        "storageProfile": {},
        "subscriptionId": profile.subscription_id,
        "tags": ";".join(f"{name}:{value}" for name, value in profile.tags.items()),
        "tagsList": [{"name": name, "value": value} for name, value in profile.tags.items()],
        "userData": "",
        "version": profile.version,
        "virtualMachineScaleSet": {"id": flexible_set},
        "vmId": profile.vm_id,
        "vmScaleSetName": scope.scale_set,
        "vmSize": profile.size,
        "zone": machine.zone,
    }


def _network(machine: Machine) -> dict[str, object]:
    address = machine.profile.private_ip
    return {
        "interface": [
            {
                "ipv4": {
                    "ipAddress": [{"privateIpAddress": address, "publicIpAddress": ""}],
                    "subnet": [{"address": address.rpartition(".")[0] + ".0", "prefix": "24"}],
                },
                "ipv6": {"ipAddress": []},
                "macAddress": machine.profile.mac,
            }
        ]
    }


def lookup(document: dict[str, object], path: Sequence[str], as_text: bool) -> Answer:
    """The element at `path`: a sub-tree as JSON, a single value as text and only so.

    Asked as text, a sub-tree is the list of its parts, one to a line, with a slash after those that have parts too.
    """
    node: object = document
    for step in path:
        children = dict(_children(node))
        if step not in children:
            return answers.NO_SUCH_ELEMENT
        node = children[step]
    if isinstance(node, str):
        return answers.ok(node.encode(), answers.TEXT) if as_text else answers.LEAF_NEEDS_TEXT
    if as_text:
        return answers.ok(_listing(node).encode(), answers.TEXT)
    return answers.ok(msgspec.json.encode(node))


def _children(node: object) -> Iterator[tuple[str, object]]:
    if isinstance(node, dict):
        yield from node.items()
    elif isinstance(node, list):
        yield from ((str(index), child) for index, child in enumerate(node))


def _listing(node: object) -> str:
    return "\n".join(name if isinstance(child, str) else f"{name}/" for name, child in _children(node))
