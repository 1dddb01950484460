"""An unhealthy instance, reported over the API."""

import pytest

from tests.control.rig import Rig

MACHINES = "/forewarn/v1/machines"


def a_set(rig: Rig, *, policy: object = None) -> None:
    """Three instances with eight minutes of notice, out of their grace period."""
    profile = {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT8M"}}}
    properties = {"virtualMachineProfile": profile, "automaticRepairsPolicy": policy}
    rig.describe("rg", {"location": "eastus"})
    rig.describe(
        "rg/providers/Microsoft.Compute/virtualMachineScaleSets/app",
        {"location": "eastus", "sku": {"name": "Standard_D2s_v5", "capacity": 3}, "properties": properties},
    )
    rig.enrol("rg/app:0")
    rig.post("/forewarn/v1/clock/advance", {"by": "10m"})


def names(rig: Rig) -> list[str]:
    return [machine["name"] for machine in rig.get(f"{MACHINES}?scope=rg/app:0")["items"]]


def test_an_unhealthy_instance_is_replaced_at_once_and_goes_with_its_notice(rig: Rig) -> None:
    a_set(rig, policy={"enabled": True})
    operation = rig.post(f"{MACHINES}/app_1/unhealthy")
    assert (operation["impact"], operation["replacement"]) == ("Terminate", "rg/app:0/app_3")
    assert names(rig) == ["app_0", "app_1", "app_2", "app_3"]
    event = rig.get(f"/forewarn/v1/events/{operation['event']}")
    assert (event["source"], event["resources"], event["phase"]) == ("Platform", ["app_1"], "Scheduled")
    assert event["not_before"] == "2030-01-01T12:18:00Z"
    rig.post(f"/forewarn/v1/events/{event['id']}/approve")
    rig.post("/forewarn/v1/clock/advance", {"by": "5s"})
    assert names(rig) == ["app_0", "app_2", "app_3"]


def test_it_is_reported_again_and_again_and_repaired_once(rig: Rig) -> None:
    a_set(rig, policy={"enabled": True})
    first = rig.post(f"{MACHINES}/app_1/unhealthy", key="k")
    assert rig.post(f"{MACHINES}/rg/app:0/app_1/unhealthy") == first
    rig.post("/forewarn/v1/clock/advance", {"by": "10m"})
    again = rig.post(f"{MACHINES}/app_1/unhealthy", key="k")
    assert (again["id"], again["state"], again["replacement"]) == (first["id"], "Succeeded", first["replacement"])
    assert len(names(rig)) == 3


def test_a_restart_is_another_way_to_repair(rig: Rig) -> None:
    a_set(rig, policy={"enabled": True, "repairAction": "Restart"})
    operation = rig.post(f"{MACHINES}/app_1/unhealthy")
    assert (operation["impact"], operation["replacement"]) == ("Reboot", None)
    assert names(rig) == ["app_0", "app_1", "app_2"]


@pytest.mark.parametrize(
    ("machine", "policy", "status", "says"),
    [
        pytest.param("app_1", None, 409, "az vmss update -g rg -n app --enable-automatic-repairs true", id="no-policy"),
        pytest.param("app_1", {"enabled": False}, 409, "Automatic repairs are not enabled on app", id="switched-off"),
        pytest.param(
            "app_1", {"enabled": True, "gracePeriod": "PT20M"}, 409, "until 2030-01-01 12:20:00Z", id="too-early"
        ),
        pytest.param("db-0", None, 409, "db-0 is not an instance of a scale set", id="no-instance"),
        pytest.param("web_0", None, 409, "Automatic repairs are not enabled on web", id="of-a-fleet-file"),
        pytest.param("app_9", None, 404, "There is no machine app_9", id="nobody"),
    ],
)
def test_a_report_that_leads_to_nothing_says_why(
    rig: Rig, machine: str, policy: object, status: int, says: str
) -> None:
    a_set(rig, policy=policy)
    refused, message = rig.refused("POST", f"{MACHINES}/{machine}/unhealthy")
    assert (refused, says in message) == (status, True), message
