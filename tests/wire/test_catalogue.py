"""What the clients look up before they create anything."""

from typing import Any

import pytest

from forewarn.domain.machines import Profile
from forewarn.wire import catalogue
from forewarn.wire.catalogue.types import TYPES

S = "00000000-0000-0000-0000-000000000001"


def aliases() -> dict[str, dict[str, dict[str, str]]]:
    value: dict[str, dict[str, dict[str, str]]] = catalogue.alias_document()["outputs"]["aliases"]["value"]
    return value


@pytest.mark.parametrize("text", ["eastus", "EASTUS", "East US", "east us"])
def test_a_location_is_found_by_either_name_in_any_case(text: str) -> None:
    found = catalogue.find_location(text)
    assert found is not None
    assert found.name == "eastus"


def test_there_are_azures_regions_and_the_local_one() -> None:
    listed = {location["name"]: location for location in catalogue.locations(S)["value"]}
    assert {"eastus", "westus2", "westeurope", "northeurope", "local"} <= listed.keys()
    assert catalogue.find_location("atlantis") is None
    assert Profile().location in listed
    east = listed["eastus"]
    assert (east["displayName"], east["regionalDisplayName"]) == ("East US", "(US) East US")
    assert east["id"] == f"/subscriptions/{S}/locations/eastus"
    assert east["metadata"]["pairedRegion"][0]["name"] == "westus"
    assert [mapping["logicalZone"] for mapping in east["availabilityZoneMappings"]] == ["1", "2", "3"]
    assert "availabilityZoneMappings" not in listed["westus"]


def test_each_namespace_is_a_registered_provider() -> None:
    listed = catalogue.providers(S)["value"]
    assert [entry["namespace"] for entry in listed] == list(TYPES)
    assert {entry["registrationState"] for entry in listed} == {"Registered"}
    assert catalogue.provider(S, "microsoft.compute") == listed[0]
    assert catalogue.provider(S, "Microsoft.Nothing") is None


def test_a_resource_type_tells_its_api_versions_newest_first() -> None:
    found = catalogue.provider_type("microsoft.compute", "virtualmachinescalesets")
    assert found is not None
    assert found["resourceType"] == "virtualMachineScaleSets"
    assert found["apiVersions"][0] == "2026-04-01"
    assert "East US" in found["locations"]
    assert catalogue.provider_type("Microsoft.Compute", "teapots") is None
    assert catalogue.provider_type("Microsoft.Nothing", "teapots") is None


@pytest.mark.parametrize("namespace", TYPES)
def test_api_versions_are_in_order(namespace: str) -> None:
    for versions in TYPES[namespace].values():
        assert list(versions) == sorted(set(versions), reverse=True)


def test_the_cli_finds_zones_for_its_default_size_where_there_are_zones() -> None:
    entries = [entry for entry in catalogue.skus()["value"] if entry["name"] == "Standard_D2s_v5"]
    zones = {entry["locations"][0]: entry["locationInfo"][0]["zones"] for entry in entries}
    assert zones.keys() == {location.name for location in catalogue.LOCATIONS}
    assert (zones["eastus"], zones["westus"]) == (["1", "2", "3"], [])
    assert {entry["resourceType"] for entry in entries} == {"virtualMachines"}
    assert all(entry["restrictions"] == [] for entry in entries)


def test_skus_of_one_region_only() -> None:
    entries = catalogue.skus("West Europe")["value"]
    assert {location for entry in entries for location in entry["locations"]} == {"westeurope"}
    assert {entry["resourceType"] for entry in entries} == {"availabilitySets", "virtualMachines"}
    assert catalogue.skus("atlantis") == {"value": []}


def test_capabilities_are_texts() -> None:
    [sku] = [entry for entry in catalogue.skus("eastus")["value"] if entry["name"] == "Standard_DS1_v2"]
    found = {capability["name"]: capability["value"] for capability in sku["capabilities"]}
    assert found["vCPUs"] == "1"
    assert found["MemoryGB"] == "3.5"
    assert found["CpuArchitectureType"] == "x64"
    assert all(isinstance(value, str) for value in found.values())


def test_sizes_and_usages() -> None:
    found = catalogue.find_size("standard_d2S_V5")
    assert found is not None
    assert (found.cores, found.memory_gb) == (2, 8)
    assert catalogue.find_size("Huge") is None
    assert catalogue.find_size(Profile().size) is not None
    [entry] = [entry for entry in catalogue.vm_sizes()["value"] if entry["name"] == "Standard_DS1_v2"]
    assert entry["memoryInMB"] == 3584
    used = catalogue.usages(cores=4, machines=2, scale_sets=1, availability_sets=0)["value"]
    assert {row["name"]["value"]: row["currentValue"] for row in used} == {
        "availabilitySets": 0,
        "cores": 4,
        "virtualMachines": 2,
        "virtualMachineScaleSets": 1,
    }


@pytest.mark.parametrize(
    ("alias", "os", "urn"),
    [
        ("UbuntuLTS", "Linux", "Canonical:UbuntuServer:18.04-LTS"),
        ("Ubuntu2204", "Linux", "Canonical:0001-com-ubuntu-server-jammy:22_04-lts-gen2"),
        ("Ubuntu2404", "Linux", "Canonical:ubuntu-24_04-lts:server"),
        ("Debian11", "Linux", "Debian:debian-11:11-backports-gen2"),
        ("Debian12", "Linux", "Debian:debian-12:12-gen2"),
        ("CentOS", "Linux", "OpenLogic:CentOS:8_5-gen2"),
        ("RHEL", "Linux", "RedHat:RHEL:8-lvm-gen2"),
        ("Win2019Datacenter", "Windows", "MicrosoftWindowsServer:WindowsServer:2019-Datacenter"),
        ("Win2022Datacenter", "Windows", "MicrosoftWindowsServer:WindowsServer:2022-datacenter-g2"),
    ],
)
def test_aliases_the_examples_use(alias: str, os: str, urn: str) -> None:
    entry = aliases()[os][alias]
    assert f"{entry['publisher']}:{entry['offer']}:{entry['sku']}" == urn
    assert (entry["version"], entry["architecture"]) == ("latest", "x64")


def test_every_alias_names_an_image_whose_versions_and_system_are_told() -> None:
    for os, entries in aliases().items():
        for entry in entries.values():
            urn = (entry["publisher"], entry["offer"], entry["sku"])
            versions = catalogue.image_versions(S, "eastus", *urn)
            assert versions is not None
            version: dict[str, Any] | None = catalogue.image_version(S, "eastus", *urn, versions[0]["name"])
            assert version is not None
            assert version["properties"]["osDiskImage"]["operatingSystem"] == os


def test_an_image_is_walked_to_from_its_publisher() -> None:
    publishers = catalogue.image_publishers(S, "eastus")
    assert "MicrosoftWindowsServer" in [entry["name"] for entry in publishers]
    offers = catalogue.image_offers(S, "eastus", "canonical")
    assert "UbuntuServer" in [entry["name"] for entry in offers]
    skus = catalogue.image_skus(S, "eastus", "canonical", "ubuntuserver")
    assert [entry["name"] for entry in skus] == ["18.04-LTS", "18_04-lts-gen2"]
    assert skus[0]["id"] == (
        f"/Subscriptions/{S}/Providers/Microsoft.Compute/Locations/eastus/Publishers/Canonical"
        "/ArtifactTypes/VMImage/Offers/UbuntuServer/Skus/18.04-LTS"
    )
    versions = catalogue.image_versions(S, "eastus", "canonical", "UBUNTUSERVER", "18.04-lts", properties=True)
    assert versions is not None
    assert [(entry["name"], entry["properties"]["hyperVGeneration"]) for entry in versions] == [
        ("18.04.202401161", "V1")
    ]


@pytest.mark.parametrize(
    ("version", "answered"),
    [
        pytest.param("latest", "18.04.202401161", id="latest"),
        pytest.param("18.04.201910100", "18.04.201910100", id="another is believed to exist"),
        pytest.param("newest", None, id="no version at all"),
    ],
)
def test_one_version_of_an_image(version: str, answered: str | None) -> None:
    found = catalogue.image_version(S, "eastus", "Canonical", "UbuntuServer", "18.04-LTS", version)
    assert (found and found["name"]) == answered


def test_an_unknown_image_is_not_there() -> None:
    assert catalogue.find_image("Nobody", "x", "y") is None
    assert catalogue.image_offers(S, "eastus", "Nobody") == []
    assert catalogue.image_skus(S, "eastus", "Nobody", "x") == []
    assert catalogue.image_versions(S, "eastus", "Nobody", "x", "y") is None
    assert catalogue.image_version(S, "eastus", "Nobody", "x", "y", "latest") is None


def test_the_image_of_a_fleet_file_is_known() -> None:
    profile = Profile()
    found = catalogue.find_image(profile.publisher, profile.offer, profile.sku)
    assert found is not None
    assert found.os == profile.os_type
