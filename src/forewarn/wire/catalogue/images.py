"""Marketplace images: the alias document the CLI downloads, and the lists `az vm image` walks through.

`UbuntuLTS` and the other aliases without a version have left Azure's own document; they are here because years of
examples use them. Of each image one version is listed; any other that looks like one is believed to exist.
"""

import re
from typing import Any

from msgspec import Struct

Json = dict[str, Any]


class Image(Struct, frozen=True):
    os: str
    aliases: tuple[str, ...]
    publisher: str
    offer: str
    sku: str
    version: str
    architecture: str = "x64"
    generation: str = "V2"
    disk_gb: int = 30


_LINUX = (
    Image("Linux", ("UbuntuLTS",), "Canonical", "UbuntuServer", "18.04-LTS", "18.04.202401161", generation="V1"),
    Image("Linux", (), "Canonical", "UbuntuServer", "18_04-lts-gen2", "18.04.202401161"),
    Image("Linux", (), "Canonical", "0001-com-ubuntu-server-focal", "20_04-lts", "20.04.202505200", generation="V1"),
    Image("Linux", ("Ubuntu2004",), "Canonical", "0001-com-ubuntu-server-focal", "20_04-lts-gen2", "20.04.202505200"),
    Image("Linux", (), "Canonical", "0001-com-ubuntu-server-jammy", "22_04-lts", "22.04.202510020", generation="V1"),
    Image("Linux", ("Ubuntu2204",), "Canonical", "0001-com-ubuntu-server-jammy", "22_04-lts-gen2", "22.04.202510020"),
    Image("Linux", ("Ubuntu2404",), "Canonical", "ubuntu-24_04-lts", "server", "24.04.202510010"),
    Image("Linux", (), "Canonical", "ubuntu-24_04-lts", "server-gen1", "24.04.202510010", generation="V1"),
    Image("Linux", (), "Canonical", "ubuntu-24_04-lts", "server-arm64", "24.04.202510010", "Arm64"),
    Image("Linux", ("Debian", "Debian11"), "Debian", "debian-11", "11-backports-gen2", "0.20250701.2160"),
    Image("Linux", (), "Debian", "debian-11", "11-gen2", "0.20250701.2160"),
    Image("Linux", ("Debian12",), "Debian", "debian-12", "12-gen2", "0.20250911.2232"),
    Image("Linux", (), "Debian", "debian-12", "12", "0.20250911.2232", generation="V1"),
    Image("Linux", ("CentOS", "CentOS85Gen2"), "OpenLogic", "CentOS", "8_5-gen2", "8.5.2022012101"),
    Image("Linux", (), "OpenLogic", "CentOS", "7.5", "7.5.201808150", generation="V1"),
    Image("Linux", ("RHEL", "RHELRaw8LVMGen2"), "RedHat", "RHEL", "8-lvm-gen2", "8.10.2025060512", disk_gb=64),
    Image("Linux", (), "RedHat", "RHEL", "9-lvm-gen2", "9.6.2025091012", disk_gb=64),
    Image("Linux", ("OpenSuseLeap154Gen2",), "SUSE", "openSUSE-leap-15-4", "gen2", "2023.11.08"),
    Image("Linux", ("SuseSles15SP5",), "SUSE", "sles-15-sp5", "gen2", "2025.05.07"),
    Image(
        "Linux",
        ("FlatcarLinuxFreeGen2",),
        "kinvolk",
        "flatcar-container-linux-free",
        "stable-gen2",
        "4230.2.3",
    ),
)


def _windows(sku: str, version: str, *aliases: str, generation: str = "V2") -> Image:
    publisher, offer = "MicrosoftWindowsServer", "WindowsServer"
    return Image("Windows", aliases, publisher, offer, sku, version, generation=generation, disk_gb=127)


IMAGES = (
    *_LINUX,
    _windows("2022-datacenter-g2", "20348.4171.250903", "Win2022Datacenter"),
    _windows("2022-datacenter-azure-edition", "20348.4171.250903", "Win2022AzureEdition"),
    _windows("2022-datacenter-azure-edition-core", "20348.4171.250903", "Win2022AzureEditionCore"),
    _windows("2022-Datacenter", "20348.4171.250903", generation="V1"),
    _windows("2019-datacenter-gensecond", "17763.7792.250903"),
    _windows("2019-Datacenter", "17763.7792.250903", "Win2019Datacenter", generation="V1"),
    _windows("2016-datacenter-gensecond", "14393.8422.250903"),
    _windows("2016-Datacenter", "14393.8422.250903", "Win2016Datacenter", generation="V1"),
)

_SYSTEMS = ("Linux", "Windows")
_BY_NAME = {(image.publisher.lower(), image.offer.lower(), image.sku.lower()): image for image in IMAGES}
_VERSION = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,10}){2}")


def alias_document() -> Json:
    """The document behind `vmImageAliasDoc`; the CLI wants an architecture with each alias."""
    value = {os: _aliases(os) for os in _SYSTEMS}
    return {
        "$schema": "https://schema.management.azure.com/schemas/2015-01-01/deploymentTemplate.json",
        "contentVersion": "1.0.0.0",
        "parameters": {},
        "variables": {},
        "resources": [],
        "outputs": {"aliases": {"type": "object", "value": value}},
    }


def find_image(publisher: str, offer: str, sku: str) -> Image | None:
    return _BY_NAME.get((publisher.lower(), offer.lower(), sku.lower()))


def image_publishers(subscription: str, location: str) -> list[Json]:
    names = dict.fromkeys(image.publisher for image in IMAGES)
    return [_entry(subscription, location, (name,)) for name in names]


def image_offers(subscription: str, location: str, publisher: str) -> list[Json]:
    found = [image for image in IMAGES if image.publisher.lower() == publisher.lower()]
    paths = dict.fromkeys((image.publisher, image.offer) for image in found)
    return [_entry(subscription, location, path) for path in paths]


def image_skus(subscription: str, location: str, publisher: str, offer: str) -> list[Json]:
    wanted = (publisher.lower(), offer.lower())
    found = [image for image in IMAGES if (image.publisher.lower(), image.offer.lower()) == wanted]
    return [_entry(subscription, location, (image.publisher, image.offer, image.sku)) for image in found]


def image_versions(
    subscription: str, location: str, publisher: str, offer: str, sku: str, *, properties: bool = False
) -> list[Json] | None:
    """A bare array, as Azure has it; `properties` is what `$expand=properties` asks for."""
    image = find_image(publisher, offer, sku)
    if image is None:
        return None
    entry = _version_entry(subscription, location, image, image.version)
    return [{**entry, "properties": _properties(image)} if properties else entry]


def image_version(subscription: str, location: str, publisher: str, offer: str, sku: str, version: str) -> Json | None:
    image = find_image(publisher, offer, sku)
    if version.lower() == "latest" and image is not None:
        version = image.version
    if image is None or not _VERSION.fullmatch(version):
        return None
    return {**_version_entry(subscription, location, image, version), "properties": _properties(image)}


def _aliases(os: str) -> Json:
    return {alias: _alias(image) for image in IMAGES if image.os == os for alias in image.aliases}


def _alias(image: Image) -> Json:
    return {
        "publisher": image.publisher,
        "offer": image.offer,
        "sku": image.sku,
        "version": "latest",
        "architecture": image.architecture,
    }


def _version_entry(subscription: str, location: str, image: Image, version: str) -> Json:
    return _entry(subscription, location, (image.publisher, image.offer, image.sku, version))


def _entry(subscription: str, location: str, path: tuple[str, ...]) -> Json:
    """Azure capitalises the words of these ids, and of no others."""
    words = ("Publishers", "ArtifactTypes/VMImage/Offers", "Skus", "Versions")
    tail = "/".join(f"{word}/{name}" for word, name in zip(words, path, strict=False))
    identity = f"/Subscriptions/{subscription}/Providers/Microsoft.Compute/Locations/{location}/{tail}"
    return {"location": location, "name": path[-1], "id": identity}


def _properties(image: Image) -> Json:
    return {
        "architecture": image.architecture,
        "hyperVGeneration": image.generation,
        "replicaType": "Managed",
        "disallowed": {"vmDiskType": "None"},
        "automaticOSUpgradeProperties": {"automaticOSUpgradeSupported": True},
        "imageDeprecationStatus": {"imageState": "Active"},
        "features": [{"name": "IsAcceleratedNetworkSupported", "value": "True"}],
        "osDiskImage": {"operatingSystem": image.os, "sizeInGb": image.disk_gb},
        "dataDiskImages": [],
    }
