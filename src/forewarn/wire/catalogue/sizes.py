"""Sizes of virtual machines: `Microsoft.Compute/skus`, the older `vmSizes`, and how much is used.

Nothing here limits what may be created; a size that is not listed is as good as one that is.
"""

from typing import Any

from msgspec import Struct

from forewarn.wire.catalogue.locations import LOCATIONS, Location, find_location

Json = dict[str, Any]


class Size(Struct, frozen=True):
    name: str
    family: str
    cores: int
    memory_gb: float
    temporary_disk_mb: int
    data_disks: int
    architecture: str = "x64"
    generations: str = "V1,V2"
    premium: bool = True


SIZES = (
    Size("Standard_B1s", "standardBSFamily", 1, 1, 4096, 2),
    Size("Standard_B2s", "standardBSFamily", 2, 4, 8192, 4),
    Size("Standard_D2_v2", "standardDv2Family", 2, 7, 102400, 8, generations="V1", premium=False),
    Size("Standard_DS1_v2", "standardDSv2Family", 1, 3.5, 7168, 4),
    Size("Standard_DS2_v2", "standardDSv2Family", 2, 7, 14336, 8),
    Size("Standard_D2s_v3", "standardDSv3Family", 2, 8, 16384, 4),
    Size("Standard_D2s_v5", "standardDSv5Family", 2, 8, 0, 4),
    Size("Standard_D4s_v5", "standardDSv5Family", 4, 16, 0, 8),
    Size("Standard_D8s_v5", "standardDSv5Family", 8, 32, 0, 16),
    Size("Standard_D2ds_v5", "standardDDSv5Family", 2, 8, 76800, 4),
    Size("Standard_D2ps_v5", "standardDPSv5Family", 2, 8, 0, 4, architecture="Arm64", generations="V2"),
    Size("Standard_E2s_v5", "standardESv5Family", 2, 16, 0, 4),
    Size("Standard_F2s_v2", "standardFSv2Family", 2, 4, 16384, 4),
    Size("Standard_NC4as_T4_v3", "Standard NCASv3_T4 Family", 4, 28, 180224, 8),
)

_BY_NAME = {size.name.lower(): size for size in SIZES}
_OS_DISK_MB = 1047552


def find_size(name: str) -> Size | None:
    return _BY_NAME.get(name.lower())


def skus(location: str = "") -> Json:
    """One entry per size and region, as Azure has it; of one region only, if it is named."""
    places = LOCATIONS if not location else tuple(filter(None, (find_location(location),)))
    sets = [_set_sku(name, place) for place in places for name in ("Aligned", "Classic")]
    return {"value": sets + [_sku(size, place) for place in places for size in SIZES]}


def vm_sizes() -> Json:
    return {"value": [_vm_size(size) for size in SIZES]}


def usages(cores: int, machines: int, scale_sets: int, availability_sets: int) -> Json:
    """How much of the quota is used; the quota itself is more than anybody's machine can hold."""
    rows = (
        ("availabilitySets", "Availability Sets", availability_sets),
        ("cores", "Total Regional vCPUs", cores),
        ("virtualMachines", "Virtual Machines", machines),
        ("virtualMachineScaleSets", "Virtual Machine Scale Sets", scale_sets),
    )
    return {"value": [_usage(*row) for row in rows]}


def _sku(size: Size, location: Location) -> Json:
    tier, _, short = size.name.partition("_")
    return {
        "resourceType": "virtualMachines",
        "name": size.name,
        "tier": tier,
        "size": short,
        "family": size.family,
        "locations": [location.name],
        "locationInfo": [{"location": location.name, "zones": list(location.zones), "zoneDetails": []}],
        "capabilities": [{"name": name, "value": value} for name, value in _capabilities(size).items()],
        "restrictions": [],
    }


def _capabilities(size: Size) -> dict[str, str]:
    return {
        "MaxResourceVolumeMB": str(size.temporary_disk_mb),
        "OSVhdSizeMB": str(_OS_DISK_MB),
        "vCPUs": str(size.cores),
        "vCPUsAvailable": str(size.cores),
        "MemoryPreservingMaintenanceSupported": "True",
        "HyperVGenerations": size.generations,
        "MemoryGB": f"{size.memory_gb:g}",
        "MaxDataDiskCount": str(size.data_disks),
        "CpuArchitectureType": size.architecture,
        "LowPriorityCapable": "True",
        "PremiumIO": str(size.premium),
        "VMDeploymentTypes": "IaaS",
        "AcceleratedNetworkingEnabled": "True",
        "EphemeralOSDiskSupported": str(size.temporary_disk_mb > 0),
    }


def _set_sku(name: str, location: Location) -> Json:
    return {
        "resourceType": "availabilitySets",
        "name": name,
        "locations": [location.name],
        "locationInfo": [{"location": location.name, "zones": [], "zoneDetails": []}],
        "capabilities": [{"name": "MaximumPlatformFaultDomainCount", "value": "3"}],
        "restrictions": [],
    }


def _vm_size(size: Size) -> Json:
    return {
        "name": size.name,
        "numberOfCores": size.cores,
        "osDiskSizeInMB": _OS_DISK_MB,
        "resourceDiskSizeInMB": size.temporary_disk_mb,
        "memoryInMB": int(size.memory_gb * 1024),
        "maxDataDiskCount": size.data_disks,
    }


def _usage(name: str, shown: str, value: int) -> Json:
    return {
        "limit": 100_000,
        "unit": "Count",
        "currentValue": value,
        "name": {"value": name, "localizedValue": shown},
    }
