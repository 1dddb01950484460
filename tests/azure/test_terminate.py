"""Terminate notifications, as seed page 001 teaches them, by the commands it prints."""

from datetime import timedelta
from typing import Any

import pytest

from tests.azure.driving import Shell, nothing_is_announced, notice

pytestmark = pytest.mark.azure

IMAGE = ("--image", "UbuntuLTS", "--admin-username", "azureuser", "--generate-ssh-keys")
LEAN = ("--lb", "", "--vnet-name", "v1", "--subnet", "s1")
UNIFORM = ("--orchestration-mode", "Uniform", *IMAGE, *LEAN)


@pytest.fixture(scope="module", autouse=True)
def group(shell: Shell) -> None:
    assert shell.json("group", "create", "--name", "rg1", "--location", "eastus")["location"] == "eastus"


def of(name: str) -> tuple[str, ...]:
    return "-g", "rg1", "-n", name


def instances(shell: Shell, name: str) -> list[str]:
    return sorted(instance["name"] for instance in shell.json("vmss", "list-instances", *of(name)))


def terminate_profile(model: Any) -> Any:
    return model["virtualMachineProfile"]["scheduledEventsProfile"].get("terminateNotificationProfile")


def test_the_scale_set_of_the_documentation_gives_a_deleted_instance_its_ten_minutes(shell: Shell) -> None:
    made = shell.json(
        "vmss", "create", "--resource-group", "rg1", "--name", "web", *IMAGE, "--terminate-notification-time", "10"
    )
    assert terminate_profile(made["vmss"]) == {"enable": True, "notBeforeTimeout": "PT10M"}
    names = instances(shell, "web")
    assert shell.events(names[0]) == []
    deleting = shell.start("vmss", "delete-instances", *of("web"), "--instance-ids", "1")
    event = shell.wait_for_event(names[0], "Terminate")
    (goes,) = event["Resources"]
    (stays,) = [name for name in names if name != goes]
    assert event["ResourceType"] == "VirtualMachine"
    assert notice(shell, event) == timedelta(minutes=10)
    assert not deleting.is_over
    shell.approve(goes, event["EventId"])
    shell.wait_for_event(stays, "Terminate", "Started")
    shell.advance("30m")
    assert deleting.result().code == 0
    assert instances(shell, "web") == [stays]
    assert shell.events(stays) == []


def test_a_uniform_set_s_delete_comes_by_itself_when_nobody_approves(shell: Shell) -> None:
    shell.json("vmss", "create", *of("uni"), *UNIFORM, "--instance-count", "3", "--terminate-notification-time", "5")
    assert instances(shell, "uni") == ["uni_0", "uni_1", "uni_2"]
    shell.events("uni_0")
    assert shell.run("vmss", "delete-instances", *of("uni"), "--instance-ids", "1", "--no-wait").code == 0
    event = shell.wait_for_event("uni_0", "Terminate")
    assert event["Resources"] == ["uni_1"]
    assert notice(shell, event) == timedelta(minutes=5)
    shell.advance("4m59s")
    assert [e["EventStatus"] for e in shell.events("uni_0")] == ["Scheduled"]
    shell.advance("30m")
    assert instances(shell, "uni") == ["uni_0", "uni_2"]
    assert shell.json("vmss", "show", *of("uni"))["sku"]["capacity"] == 2


def test_an_approved_delete_waits_for_the_other_one(shell: Shell) -> None:
    shell.json("vmss", "create", *of("pair"), *UNIFORM, "--instance-count", "3", "--terminate-notification-time", "5")
    shell.events("pair_0")
    shell.run("vmss", "delete-instances", *of("pair"), "--instance-ids", "1", "2", "--no-wait")
    first = shell.wait_for_event("pair_0", "Terminate")
    events = shell.events("pair_0")
    assert len({event["NotBefore"] for event in events}) == 1
    shell.approve("pair_0", first["EventId"])
    assert [event["EventStatus"] for event in shell.events("pair_0")] == ["Scheduled", "Scheduled"]
    for event in events:
        shell.approve("pair_0", event["EventId"])
    assert [event["EventStatus"] for event in shell.events("pair_0")] == ["Started", "Started"]


def test_scaling_in_terminates_the_chosen_instance_and_scaling_out_nobody(shell: Shell) -> None:
    shell.json("vmss", "create", *of("scale"), *UNIFORM, "--instance-count", "3", "--terminate-notification-time", "6")
    assert shell.json("vmss", "scale", *of("scale"), "--new-capacity", "4")["sku"]["capacity"] == 4
    assert instances(shell, "scale") == ["scale_0", "scale_1", "scale_2", "scale_3"]
    assert shell.events("scale_0") == []
    protected = shell.json("vmss", "update", *of("scale"), "--instance-id", "3", "--protect-from-scale-in", "true")
    assert protected["protectionPolicy"]["protectFromScaleIn"] is True
    scaling = shell.start("vmss", "scale", *of("scale"), "--new-capacity", "3")
    event = shell.wait_for_event("scale_0", "Terminate")
    assert event["Resources"] == ["scale_2"]
    assert notice(shell, event) == timedelta(minutes=6)
    assert not scaling.is_over
    shell.advance("1h")
    assert scaling.result().json["sku"]["capacity"] == 3
    assert instances(shell, "scale") == ["scale_0", "scale_1", "scale_3"]


def test_a_new_time_holds_for_an_instance_only_once_its_model_is_the_latest(shell: Shell) -> None:
    shell.json("vmss", "create", *of("model"), *UNIFORM, "--instance-count", "3", "--terminate-notification-time", "5")
    updated = shell.json(
        "vmss", "update", "--resource-group", "rg1", "--name", "model",
        "--enable-terminate-notification", "true", "--terminate-notification-time", "15",
    )  # fmt: skip
    assert terminate_profile(updated) == {"enable": True, "notBeforeTimeout": "PT15M"}
    latest = {i["name"]: i["latestModelApplied"] for i in shell.json("vmss", "list-instances", *of("model"))}
    assert latest == {"model_0": False, "model_1": False, "model_2": False}
    shell.json("vmss", "update-instances", *of("model"), "--instance-ids", "1")
    shell.events("model_0")
    shell.run("vmss", "delete-instances", *of("model"), "--instance-ids", "1", "2", "--no-wait")
    shell.wait_for_event("model_0", "Terminate")
    notices = {event["Resources"][0]: notice(shell, event) for event in shell.events("model_0")}
    assert notices == {"model_1": timedelta(minutes=15), "model_2": timedelta(minutes=5)}


def test_an_automatic_set_takes_the_new_model_by_itself(shell: Shell) -> None:
    shell.json("vmss", "create", *of("auto"), *UNIFORM, "--instance-count", "2", "--upgrade-policy-mode", "Automatic")
    shell.json(
        "vmss", "update", *of("auto"), "--enable-terminate-notification", "true", "--terminate-notification-time", "9"
    )
    assert all(i["latestModelApplied"] for i in shell.json("vmss", "list-instances", *of("auto")))
    shell.events("auto_0")
    shell.run("vmss", "delete-instances", *of("auto"), "--instance-ids", "1", "--no-wait")
    assert notice(shell, shell.wait_for_event("auto_0", "Terminate")) == timedelta(minutes=9)


def test_switched_off_it_is_gone_from_the_model_and_deletes_run_at_once(shell: Shell) -> None:
    shell.json("vmss", "create", *of("off"), *UNIFORM, "--instance-count", "2", "--terminate-notification-time", "5")
    updated = shell.json("vmss", "update", *of("off"), "--enable-terminate-notification", "false")
    assert updated["virtualMachineProfile"].get("scheduledEventsProfile") in ({}, None)
    shell.json("vmss", "update-instances", *of("off"), "--instance-ids", "*")
    shell.events("off_0")
    deleting = shell.start("vmss", "delete-instances", *of("off"), "--instance-ids", "1")
    assert shell.play_out(deleting, lambda: nothing_is_announced(shell, "off_0")).code == 0
    assert instances(shell, "off") == ["off_0"]


def test_nobody_asks_so_nothing_waits(shell: Shell) -> None:
    """Troubleshooting in seed page 001: no Terminate events where the instances never asked for any."""
    shell.json("vmss", "create", *of("quiet"), *UNIFORM, "--instance-count", "2", "--terminate-notification-time", "5")
    deleting = shell.start("vmss", "delete-instances", *of("quiet"), "--instance-ids", "1")
    assert shell.play_out(deleting).code == 0
    assert instances(shell, "quiet") == ["quiet_0"]


@pytest.mark.parametrize("minutes", ["3", "16"])
def test_a_time_that_is_not_from_5_to_15_minutes_is_refused(minutes: str, shell: Shell) -> None:
    shell.json("vmss", "create", *of(f"range{minutes}"), *UNIFORM, "--instance-count", "1")
    refused = shell.run(
        "vmss", "update", *of(f"range{minutes}"),
        "--enable-terminate-notification", "true", "--terminate-notification-time", minutes,
    )  # fmt: skip
    assert refused.code == 1
    assert "notBeforeTimeout" in refused.err


def test_spot_instances_cannot_have_it(shell: Shell) -> None:
    refused = shell.run(
        "vmss", "create", *of("spotted"), *UNIFORM, "--priority", "Spot", "--terminate-notification-time", "5"
    )
    assert refused.code == 1
    assert "Spot" in refused.err


def test_an_old_api_version_does_not_know_the_profile(shell: Shell) -> None:
    """Troubleshooting in seed page 001: BadRequest, could not find member 'scheduledEventsProfile'."""
    shell.json("vmss", "create", *of("old"), *UNIFORM, "--instance-count", "1")
    subscription = shell.json("account", "show")["id"]
    body = '{"location": "eastus", "properties": {"virtualMachineProfile": {"scheduledEventsProfile": {}}}}'
    url = (
        f"/subscriptions/{subscription}/resourceGroups/rg1/providers/Microsoft.Compute/"
        "virtualMachineScaleSets/old?api-version=2018-10-01"
    )
    refused = shell.run("rest", "--method", "put", "--url", url, "--body", body)
    assert refused.code != 0
    assert "Could not find member 'scheduledEventsProfile' on object of type 'VirtualMachineProfile'" in refused.err


def test_an_instance_that_is_not_there_is_said_to_be_so(shell: Shell) -> None:
    shell.json("vmss", "create", *of("known"), *UNIFORM, "--instance-count", "1")
    refused = shell.run("vmss", "delete-instances", *of("known"), "--instance-ids", "77")
    assert refused.code == 1
    assert "The provided instanceId 77 is not an active Virtual Machine Scale Set VM instanceId." in refused.err


def test_deleting_the_whole_set_waits_for_its_instances_too(shell: Shell) -> None:
    shell.json("vmss", "create", *of("whole"), *UNIFORM, "--instance-count", "2", "--terminate-notification-time", "5")
    shell.events("whole_0")
    deleting = shell.start("vmss", "delete", *of("whole"))
    shell.wait_for_event("whole_0", "Terminate")
    assert sorted(event["Resources"][0] for event in shell.events("whole_0")) == ["whole_0", "whole_1"]
    assert not deleting.is_over
    shell.advance("1h")
    assert deleting.result().code == 0
    assert shell.run("vmss", "show", *of("whole")).code == 3
