"""Availability sets answer at once, and always with 200."""

from typing import Any

import pytest

from tests.arm.compute import AVAILABILITY_SET, COMPUTE, MACHINES, a_cloud, a_machine
from tests.arm.rig import S

BODY = {
    "location": "centraluseuap",
    "sku": {"name": "Aligned"},
    "tags": {},
    "properties": {"platformFaultDomainCount": 1, "platformUpdateDomainCount": 1, "virtualMachines": []},
}


def policy(publish: bool, reboot: bool) -> dict[str, Any]:
    return {
        "scheduledEventsAdditionalPublishingTargets": {"eventGridAndResourceGraph": {"enable": publish}},
        "userInitiatedReboot": {"automaticallyApprove": reboot},
    }


def test_a_set_is_made_and_told_as_recorded() -> None:
    cloud = a_cloud()
    answer = cloud.ask("PUT", AVAILABILITY_SET, BODY)
    assert answer.status == 200
    assert answer.json == {
        "name": "as1",
        "id": AVAILABILITY_SET,
        "type": "Microsoft.Compute/availabilitySets",
        "location": "centraluseuap",
        "tags": {},
        "properties": {"platformUpdateDomainCount": 1, "platformFaultDomainCount": 1, "virtualMachines": []},
        "sku": {"name": "Aligned"},
    }
    assert cloud.get(AVAILABILITY_SET) == answer.json


def test_its_policy_is_kept() -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, BODY)
    body = {**BODY, "properties": {"scheduledEventsPolicy": policy(True, False)}}
    view = cloud.made(AVAILABILITY_SET, body)
    assert view["properties"]["scheduledEventsPolicy"] == policy(True, False)
    assert view["properties"]["platformUpdateDomainCount"] == 1
    assert cloud.refused("PUT", AVAILABILITY_SET, body, version="2024-03-01") == (400, "BadRequest")


def test_its_members_are_listed() -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, {"location": "eastus"})
    cloud.made(f"{MACHINES}/a", a_machine(availabilitySet={"id": AVAILABILITY_SET}))
    assert cloud.get(AVAILABILITY_SET)["properties"]["virtualMachines"] == [{"id": f"{MACHINES}/a"}]
    assert cloud.refused("DELETE", AVAILABILITY_SET) == (409, "OperationNotAllowed")


def test_a_set_is_listed_and_deleted() -> None:
    cloud = a_cloud()
    cloud.made(AVAILABILITY_SET, {"location": "eastus"})
    assert cloud.names(f"{COMPUTE}/availabilitySets") == ["as1"]
    assert cloud.names(f"{S}/providers/Microsoft.Compute/availabilitySets") == ["as1"]
    assert cloud.ask("DELETE", AVAILABILITY_SET).status == 200
    assert cloud.ask("DELETE", AVAILABILITY_SET).status == 204
    assert cloud.refused("GET", AVAILABILITY_SET) == (404, "ResourceNotFound")


@pytest.mark.parametrize(
    "properties",
    [{"platformFaultDomainCount": 4}, {"platformUpdateDomainCount": 21}, {"platformUpdateDomainCount": "x"}],
)
def test_domains_are_few(properties: dict[str, Any]) -> None:
    body = {"location": "eastus", "properties": properties}
    assert a_cloud().refused("PUT", AVAILABILITY_SET, body) == (400, "InvalidParameter")
