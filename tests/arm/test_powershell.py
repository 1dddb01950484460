"""The requests that the cmdlets of Azure PowerShell make, in the order of the tutorial. PowerShell itself does not run.

Bodies are as its serialiser writes them: everything that a cmdlet was not told is left out, and ids are texts.
"""

from typing import Any

import pytest

from tests.access.asking import ask
from tests.access.making import SECRET
from tests.arm.compute import SET, Cloud, a_cloud
from tests.arm.rig import RG

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
METADATA = "/metadata/endpoints?api-version="
NOTICES = {5: "PT5M", 10: "PT10M", 15: "PT15M"}
VERSION = "2023-09-01"


def notifications(minutes: int | None, *, enable: bool = True) -> dict[str, Any]:
    """-TerminateScheduledEvents, and -TerminateScheduledEventNotBeforeTimeoutInMinutes if it is given."""
    time = {} if minutes is None else {"notBeforeTimeout": NOTICES.get(minutes, f"PT{minutes}M")}
    return {"scheduledEventsProfile": {"terminateNotificationProfile": {**time, "enable": enable}}}


def new_vmss(cloud: Cloud, *, upgrade: str = "Automatic", minutes: int | None = 10, **model: Any) -> Any:
    """New-AzVmssConfig asks nobody; New-AzVmss sends what it described."""
    body = {
        "sku": {"name": "Standard_DS2", "capacity": 2},
        "properties": {
            "upgradePolicy": {"mode": upgrade},
            "virtualMachineProfile": {**notifications(minutes), **model},
            "orchestrationMode": "Uniform",
        },
        "location": "eastus",
    }
    return cloud.ask("PUT", SET, body, version=VERSION)


def update_vmss(cloud: Cloud, minutes: int | None, *, enable: bool = True) -> Any:
    """Update-AzVmss without an object: a PATCH."""
    body = {"properties": {"virtualMachineProfile": notifications(minutes, enable=enable)}}
    return cloud.ask("PATCH", SET, body, version=VERSION)


def profile(answer: Any) -> Any:
    assert answer.status in (200, 201), answer.body
    return answer.json["properties"]["virtualMachineProfile"]["scheduledEventsProfile"]


def told(minutes: int) -> Any:
    return {"terminateNotificationProfile": {"notBeforeTimeout": NOTICES[minutes], "enable": True}}


@pytest.mark.parametrize("version", ["1.0", "2015-01-01"])
def test_add_az_environment_reads_the_metadata_in_their_older_shape(version: str) -> None:
    """It stops at any of these that is missing or empty."""
    found = ask(a_cloud().app, "GET", f"{METADATA}{version}").json
    assert all(found[name].startswith("https://") for name in ("galleryEndpoint", "graphEndpoint", "portalEndpoint"))
    assert found["authentication"]["loginEndpoint"] == "https://localhost:8443/adfs"
    assert all(found["authentication"]["audiences"])


def test_newer_releases_read_them_in_the_newer_shape() -> None:
    found = ask(a_cloud().app, "GET", f"{METADATA}2022-09-01").json
    assert found["resourceManager"] == "https://localhost:8443/"
    assert found["authentication"]["identityProvider"] == "ADFS"


def test_connect_az_account_gets_a_token_and_finds_the_subscription() -> None:
    cloud = a_cloud()
    login = ask(cloud.app, "GET", "/adfs/.well-known/openid-configuration").json["token_endpoint"]
    form = f"grant_type=client_credentials&client_id=local&client_secret={SECRET}"
    token = ask(cloud.app, "POST", login.partition("localhost:8443")[2], FORM, form.encode()).json["access_token"]
    found = ask(cloud.app, "GET", "/subscriptions?api-version=2021-01-01", {"Authorization": f"Bearer {token}"})
    assert [one["state"] for one in found.json["value"]] == ["Enabled"]


def test_new_az_resource_group_looks_before_it_makes() -> None:
    cloud = a_cloud()
    other = RG.replace("/rg", "/other")
    assert cloud.ask("HEAD", other, version="2021-04-01").status == 404
    assert cloud.ask("PUT", other, {"location": "eastus"}, version="2021-04-01").status == 201
    assert cloud.ask("HEAD", other, version="2021-04-01").status == 204


def test_new_az_vmss_makes_a_set_with_notifications() -> None:
    cloud = a_cloud()
    answer = new_vmss(cloud)
    assert (answer.status, profile(answer)) == (201, told(10))
    assert answer.json["sku"]["capacity"] == 2
    assert cloud.ids() == ["0", "1"]


def test_update_az_vmss_changes_the_time_or_switches_it_off() -> None:
    cloud = a_cloud()
    new_vmss(cloud, minutes=None)
    assert profile(update_vmss(cloud, 15)) == told(15)
    assert profile(update_vmss(cloud, None)) == told(15)
    assert profile(update_vmss(cloud, None, enable=False)) == {}
    assert profile(update_vmss(cloud, None)) == told(5)


def test_update_az_vmss_with_an_object_puts_the_whole_set() -> None:
    cloud = a_cloud()
    view = new_vmss(cloud).json
    view["properties"]["virtualMachineProfile"] |= notifications(15)
    answer = cloud.ask("PUT", SET, view, version=VERSION)
    assert (answer.status, profile(answer)) == (200, told(15))


@pytest.mark.parametrize(
    ("minutes", "model", "says"),
    [
        pytest.param(4, {}, "from PT5M to PT15M, not PT4M", id="too-short"),
        pytest.param(16, {}, "from PT5M to PT15M, not PT16M", id="too-long"),
        pytest.param(10, {"priority": "Spot"}, "cannot be enabled on Spot", id="spot"),
    ],
)
def test_new_az_vmss_is_refused_what_cannot_be(minutes: int, model: dict[str, Any], says: str) -> None:
    answer = new_vmss(a_cloud(), minutes=minutes, **model)
    assert (answer.status, answer.code) == (400, "InvalidParameter")
    assert says in answer.json["error"]["message"]


@pytest.mark.parametrize(
    ("upgrade", "updated", "minutes"),
    [
        pytest.param("Automatic", False, 15, id="automatic"),
        pytest.param("Manual", False, 10, id="manual"),
        pytest.param("Manual", True, 15, id="manual-and-updated"),
    ],
)
def test_remove_az_vmss_gives_an_instance_the_time_of_its_own_model(upgrade: str, updated: bool, minutes: int) -> None:
    cloud = a_cloud()
    new_vmss(cloud, upgrade=upgrade)
    cloud.enrol("rg/web:0")
    update_vmss(cloud, 15)
    if updated:  # Update-AzVmssInstance
        assert cloud.post(f"{SET}/manualupgrade", {"instanceIds": ["0", "1"]}).status == 202
    answer = cloud.post(f"{SET}/delete?forceDeletion=false", {"instanceIds": ["1"]})
    assert (answer.status, cloud.wait(answer)) == (202, "InProgress")
    assert cloud.events("rg/web:0") == [("Terminate", "Scheduled", ("web_1",))]
    cloud.advance(minutes=minutes - 0.1)
    assert cloud.wait(answer) == "InProgress"
    cloud.advance(minutes=0.1)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ids() == ["0"]


def test_remove_az_vmss_without_an_instance_deletes_the_set() -> None:
    cloud = a_cloud()
    new_vmss(cloud)
    cloud.enrol("rg/web:0")
    answer = cloud.ask("DELETE", f"{SET}?forceDeletion=false", version=VERSION)
    assert [names for _, _, names in cloud.events("rg/web:0")] == [("web_0",), ("web_1",)]
    cloud.advance(minutes=10)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.refused("GET", SET) == (404, "ResourceNotFound")
    assert cloud.ask("DELETE", SET).status == 204


def test_get_az_vmss_vm_and_restart_az_vmss() -> None:
    cloud = a_cloud()
    new_vmss(cloud)
    cloud.enrol("rg/web:0")
    one = cloud.get(f"{SET}/virtualMachines/1?$expand=instanceView", version=VERSION)
    assert (one["instanceId"], one["properties"]["latestModelApplied"]) == ("1", True)
    assert cloud.post(f"{SET}/restart", {"instanceIds": ["1"]}).status == 202
    assert cloud.events("rg/web:0") == [("Reboot", "Scheduled", ("web_1",))]
