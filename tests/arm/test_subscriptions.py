"""What clients ask about the cloud itself before they make anything."""

import pytest

from tests.access.making import SUBSCRIPTION, TENANT
from tests.arm.rig import S, a_rig

PLACE = f"{S}/providers/Microsoft.Compute/locations/eastus"
IMAGE = f"{PLACE}/publishers/Canonical/artifacttypes/vmimage/offers/UbuntuServer/skus/18.04-LTS/versions"


def test_the_subscription_and_its_tenant() -> None:
    rig = a_rig()
    (told,) = rig.get("/subscriptions")["value"]
    assert (told["id"], told["tenantId"], told["state"]) == (S, TENANT, "Enabled")
    assert rig.get(S)["subscriptionId"] == SUBSCRIPTION
    assert rig.get("/tenants")["value"][0]["tenantId"] == TENANT


def test_places_providers_and_sizes() -> None:
    rig = a_rig()
    assert "eastus" in rig.names(f"{S}/locations")
    assert "Microsoft.Compute" in [item["namespace"] for item in rig.get(f"{S}/providers")["value"]]
    provider = rig.get(f"{S}/providers/microsoft.network")
    assert (provider["namespace"], provider["registrationState"]) == ("Microsoft.Network", "Registered")
    assert rig.ask("POST", f"{S}/providers/Microsoft.Compute/register").json["registrationState"] == "Registered"
    assert rig.refused("GET", f"{S}/providers/Odd") == (404, "InvalidResourceNamespace")
    skus = rig.get(f"{S}/providers/Microsoft.Compute/skus?$filter=location eq 'eastus'")["value"]
    assert {place for sku in skus for place in sku["locations"]} == {"eastus"}
    assert "Standard_D2s_v5" in rig.names(f"{PLACE}/vmSizes")
    assert {usage["currentValue"] for usage in rig.get(f"{PLACE}/usages")["value"]} == {0}


def test_images_are_found_down_to_their_version() -> None:
    rig = a_rig()
    assert "Canonical" in [item["name"] for item in rig.get(f"{PLACE}/publishers")]
    assert "UbuntuServer" in [item["name"] for item in rig.get(IMAGE.split("/UbuntuServer")[0])]
    assert "18.04-LTS" in [item["name"] for item in rig.get(IMAGE.split("/18.04-LTS")[0])]
    (version,) = rig.get(f"{IMAGE}?$expand=properties&$orderby=name desc&$top=1")
    assert version["properties"]["osDiskImage"]["operatingSystem"] == "Linux"
    assert rig.get(f"{IMAGE}/{version['name']}")["name"] == version["name"]


@pytest.mark.parametrize(
    "path", [f"{IMAGE}/x", IMAGE.replace("Canonical", "Nobody"), f"{PLACE}/publishers/No/artifacttypes/vmimage/offers"]
)
def test_an_image_that_is_not_there(path: str) -> None:
    assert a_rig().refused("GET", path) == (404, "NotFound")
