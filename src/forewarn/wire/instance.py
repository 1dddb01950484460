"""What a machine is told about itself at `/metadata/instance`: every scalar a string, what does not apply `""`.

`_COMPUTE` is the table of fields, and says with which api-version each one came. Api-versions are dates, so their
order is that of their text.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from forewarn.domain.machines import Machine
from forewarn.domain.scopes import ScopeKind
from forewarn.wire import answers
from forewarn.wire.answers import Answer


class ScopeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What a machine's metadata says of the scope it is in."""

    kind: ScopeKind
    name: str = ""  # of the cloud service; the metadata does not name an availability set
    scale_set: str = ""
    placement_group_id: str = ""
    flexible: bool = False  # a flexible scale set's instances are plain VMs


def resource_id(machine: Machine, scope: ScopeFacts) -> str:
    """The machine's id in ARM."""
    group = _group_id(machine)
    if scope.kind is ScopeKind.CLOUD_SERVICE:
        return f"{group}/cloudServices/{scope.name}/roleInstances/{machine.name}"
    if scope.scale_set and not scope.flexible:
        instance = machine.name.removeprefix(f"{scope.scale_set}_")
        return f"{group}/virtualMachineScaleSets/{scope.scale_set}/virtualMachines/{instance}"
    return f"{group}/virtualMachines/{machine.name}"


def _flexible_set_id(machine: Machine, scope: ScopeFacts) -> str:
    return f"{_group_id(machine)}/virtualMachineScaleSets/{scope.scale_set}" if scope.flexible else ""


def _group_id(machine: Machine) -> str:
    profile = machine.profile
    group = f"/subscriptions/{profile.subscription_id}/resourceGroups/{profile.resource_group}"
    return f"{group}/providers/Microsoft.Compute"


def _image(machine: Machine, scope: ScopeFacts) -> object:
    profile = machine.profile
    return {
        "id": "",
        "offer": profile.offer,
        "publisher": profile.publisher,
        "sku": profile.sku,
        "version": profile.version,
    }


def _os_disk(machine: Machine, scope: ScopeFacts) -> object:
    return {
        "caching": "ReadWrite",
        "createOption": "FromImage",
        "diffDiskSettings": {"option": ""},
        "diskSizeGB": "",
        "encryptionSettings": {"enabled": "false"},
        "image": {"uri": ""},
        "managedDisk": {"id": "", "storageAccountType": ""},
        "name": "",
        "osType": machine.profile.os_type,
        "vhd": {"uri": ""},
        "writeAcceleratorEnabled": "false",
    }


def _always(value: object) -> Callable[[Machine, ScopeFacts], object]:
    return lambda machine, scope: value


_NONE = _always("")
_NO = _always("false")

_COMPUTE: tuple[tuple[str, str, Callable[[Machine, ScopeFacts], object]], ...] = (
    ("additionalCapabilities.hibernationEnabled", "2021-11-01", _NO),
    ("azEnvironment", "2018-10-01", _always("AzurePublicCloud")),
    ("customData", "2019-02-01", _NONE),
    ("evictionPolicy", "2020-12-01", lambda m, _: m.eviction_policy.value if m.is_spot else ""),
    ("extendedLocation.name", "2021-03-01", _NONE),
    ("extendedLocation.type", "2021-03-01", _NONE),
    ("host.id", "2021-11-15", _NONE),  # of a dedicated host; a guest has no business to know which one it shares
    ("hostGroup.id", "2021-11-15", _NONE),
    ("isHostCompatibilityLayerVm", "2020-06-01", _NO),
    ("licenseType", "2020-09-01", _NONE),
    ("location", "2017-03-01", lambda m, _: m.profile.location),
    ("name", "2017-03-01", lambda m, _: m.name),
    ("offer", "2017-03-01", lambda m, _: m.profile.offer),
    ("osProfile.adminUsername", "2020-07-15", _NONE),
    ("osProfile.computerName", "2020-07-15", lambda m, _: m.computer_name or m.name),
    ("osProfile.disablePasswordAuthentication", "2020-10-01", _NONE),
    ("osType", "2017-03-01", lambda m, _: m.profile.os_type),
    ("physicalZone", "2023-11-15", _NONE),
    ("placementGroupId", "2017-08-01", lambda _, s: s.placement_group_id),
    ("plan.name", "2018-04-02", _NONE),
    ("plan.product", "2018-04-02", _NONE),
    ("plan.publisher", "2018-04-02", _NONE),
    ("platformFaultDomain", "2017-03-01", lambda m, _: str(m.fault_domain)),
    ("platformSubFaultDomain", "2021-10-01", _NONE),
    ("platformUpdateDomain", "2017-03-01", lambda m, _: str(m.update_domain)),
    ("priority", "2020-12-01", lambda m, _: m.priority.value),
    ("provider", "2018-10-01", _always("Microsoft.Compute")),
    ("publicKeys", "2018-04-02", _always([])),
    ("publisher", "2017-03-01", lambda m, _: m.profile.publisher),
    ("resourceGroupName", "2017-08-01", lambda m, _: m.profile.resource_group),
    ("resourceId", "2019-03-11", resource_id),
    ("securityProfile.encryptionAtHost", "2021-11-01", _NO),
    ("securityProfile.secureBootEnabled", "2020-06-01", _NO),
    ("securityProfile.securityType", "2021-12-13", _NONE),
    ("securityProfile.virtualTpmEnabled", "2020-06-01", _NO),
    ("sku", "2017-03-01", lambda m, _: m.profile.sku),
    ("storageProfile.dataDisks", "2019-06-01", _always([])),
    ("storageProfile.imageReference", "2019-06-01", _image),
    ("storageProfile.imageReference.communityGalleryImageId", "2023-07-01", _NONE),
    ("storageProfile.imageReference.exactVersion", "2023-07-01", _NONE),
    ("storageProfile.imageReference.sharedGalleryImageId", "2023-07-01", _NONE),
    ("storageProfile.osDisk", "2019-06-01", _os_disk),
    ("storageProfile.resourceDisk.size", "2021-02-01", _always("0")),
    ("subscriptionId", "2017-08-01", lambda m, _: m.profile.subscription_id),
    ("tags", "2017-08-01", lambda m, _: ";".join(f"{name}:{value}" for name, value in m.profile.tags.items())),
    ("tagsList", "2019-06-04", lambda m, _: [{"name": n, "value": v} for n, v in m.profile.tags.items()]),
    ("userData", "2021-01-01", _NONE),
    ("version", "2017-03-01", lambda m, _: m.profile.version),
    ("virtualMachineScaleSet.id", "2021-03-01", _flexible_set_id),
    ("vmId", "2017-03-01", lambda m, _: m.profile.vm_id),
    ("vmScaleSetName", "2017-12-01", lambda _, s: s.scale_set),
    ("vmSize", "2017-03-01", lambda m, _: m.profile.size),
    ("zone", "2017-12-01", lambda m, _: m.zone),
)


def instance_document(machine: Machine, scope: ScopeFacts, version: str) -> dict[str, object]:
    compute: dict[str, object] = {}
    for path, since, tell in _COMPUTE:
        if since <= version:
            _put(compute, path.split("."), tell(machine, scope))
    return {"compute": compute, "network": _network(machine)}


def _put(tree: dict[str, object], path: Sequence[str], value: object) -> None:
    *parents, leaf = path
    for name in parents:
        branch = tree.setdefault(name, {})
        assert isinstance(branch, dict), f"{name} is a value, not a branch"
        tree = branch
    tree[leaf] = value


def private_address(machine: Machine) -> tuple[str, str]:
    """The machine's address in its virtual network, and that of its network card."""
    address = machine.profile.private_ip or _own_address(machine.address)
    return address, machine.profile.mac or ("" if ":" in address else _own_mac(address))


def _network(machine: Machine) -> dict[str, object]:
    address, mac = private_address(machine)
    ipv4, ipv6 = ("", address) if ":" in address else (address, "")
    interface = {
        "ipv4": {
            "ipAddress": [{"privateIpAddress": ipv4, "publicIpAddress": ""}] if ipv4 else [],
            "subnet": [{"address": f"{ipv4.rpartition('.')[0]}.0", "prefix": "24"}] if ipv4 else [],
        },
        "ipv6": {"ipAddress": [{"privateIpAddress": ipv6}] if ipv6 else []},
        "macAddress": mac,
    }
    return {"interface": [interface]}


def _own_address(address: str) -> str:
    """Where a machine is known by a loopback address, its own looks like one of a virtual network."""
    return f"10.{address.removeprefix('127.')}" if address.startswith("127.") else address


def _own_mac(ipv4: str) -> str:
    return "000D3A" + "".join([f"{int(part):02X}" for part in ipv4.split(".")[1:]]) if ipv4 else ""


def lookup(document: dict[str, object], path: Sequence[str], as_text: bool) -> Answer:
    """The element at `path`, letter case as it is: a sub-tree as JSON, a single value as text and only so.

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
