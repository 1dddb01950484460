"""What else the CLI does with scale sets: show, list, restart, reimage, power, evict, policies."""

from datetime import timedelta

import pytest

from tests.azure.driving import Shell, notice

pytestmark = pytest.mark.azure

IMAGE = ("--image", "Ubuntu2204", "--admin-username", "azureuser", "--generate-ssh-keys")
UNIFORM = ("--orchestration-mode", "Uniform", *IMAGE)


@pytest.fixture(scope="module", autouse=True)
def group(shell: Shell) -> None:
    shell.json("group", "create", "-n", "rg1", "-l", "eastus")
    shell.json("vmss", "create", *of("uni1"), *UNIFORM, "--instance-count", "3")


def of(name: str) -> tuple[str, ...]:
    return "-g", "rg1", "-n", name


def test_a_set_is_shown_and_listed_with_its_instances(shell: Shell) -> None:
    shown = shell.json("vmss", "show", *of("uni1"))
    assert (shown["orchestrationMode"], shown["sku"]["capacity"]) == ("Uniform", 3)
    assert shown["provisioningState"] == "Succeeded"
    assert "uni1" in [found["name"] for found in shell.json("vmss", "list", "-g", "rg1")]
    assert "uni1" in [found["name"] for found in shell.json("vmss", "list")]
    assert shell.json("vmss", "show", *of("uni1"), "--instance-id", "0")["name"] == "uni1_0"
    listed = shell.json("vmss", "list-instances", *of("uni1"), "--expand", "instanceView")
    codes = [status["code"] for instance in listed for status in instance["instanceView"]["statuses"]]
    assert codes.count("PowerState/running") == 3
    summary = shell.json("vmss", "get-instance-view", *of("uni1"))["virtualMachine"]["statusesSummary"]
    assert {"code": "ProvisioningState/succeeded", "count": 3} in summary
    one = shell.json("vmss", "get-instance-view", *of("uni1"), "--instance-id", "0")
    assert one["platformUpdateDomain"] == 0
    assert len(shell.json("vmss", "get-instance-view", *of("uni1"), "--instance-id", "*")) == 3
    assert shell.run("vmss", "nic", "list", "-g", "rg1", "--vmss-name", "uni1").code == 0


def test_a_restart_is_a_reboot_with_fifteen_minutes_notice(shell: Shell) -> None:
    shell.json("vmss", "create", *of("boot"), *UNIFORM, "--instance-count", "2")
    shell.events("boot_0")
    restarting = shell.start("vmss", "restart", *of("boot"), "--instance-ids", "0")
    event = shell.wait_for_event("boot_1", "Reboot")
    assert (event["Resources"], event["EventSource"]) == (["boot_0"], "User")
    assert notice(shell, event) == timedelta(minutes=15)
    assert not restarting.is_over
    shell.approve("boot_1", event["EventId"])
    shell.advance("30m")
    assert restarting.result().code == 0
    assert shell.events("boot_0") == []


def test_a_restart_of_all_is_one_request_for_each_of_them(shell: Shell) -> None:
    shell.json("vmss", "create", *of("all"), *UNIFORM, "--instance-count", "12")
    shell.events("all_0")
    restarting = shell.start("vmss", "restart", *of("all"))
    shell.wait_for_event("all_0", "Reboot")
    assert len(shell.events("all_0")) == 12
    shell.advance("1h")
    assert restarting.result().code == 0


def test_a_canceled_event_ends_the_command_with_its_reason(shell: Shell) -> None:
    shell.json("vmss", "create", *of("called"), *UNIFORM, "--instance-count", "1")
    shell.events("called_0")
    restarting = shell.start("vmss", "restart", *of("called"), "--instance-ids", "0")
    event = shell.wait_for_event("called_0", "Reboot")
    shell.told("cancel", event["EventId"])
    result = restarting.result()
    assert result.code == 1
    assert "OperationCanceled" in result.err


def test_not_enrolled_it_runs_at_once_and_without_an_event(shell: Shell) -> None:
    restarting = shell.start("vmss", "restart", *of("uni1"), "--instance-ids", "0")
    while not restarting.is_over:
        shell.advance("10s")
    assert restarting.result().code == 0
    assert shell.told("events", "--scope", "rg1/uni1:0") == []


def test_maintenance_asked_for_starts_now(shell: Shell) -> None:
    shell.json("vmss", "create", *of("now"), *UNIFORM, "--instance-count", "1")
    shell.events("now_0")
    maintaining = shell.start("vmss", "perform-maintenance", *of("now"), "--instance-ids", "0")
    shell.wait_for_event("now_0", "Redeploy", "Started")
    shell.advance("1h")
    assert maintaining.result().code == 0


def test_power_and_reimage_announce_nothing(shell: Shell) -> None:
    shell.json("vmss", "create", *of("power"), *UNIFORM, "--instance-count", "2")
    assert shell.events("power_1") == []
    for verb, code in (("deallocate", "deallocated"), ("start", "running"), ("stop", "stopped"), ("start", "running")):
        assert shell.run("vmss", verb, *of("power"), "--instance-ids", "0").code == 0
        view = shell.json("vmss", "get-instance-view", *of("power"), "--instance-id", "0")
        assert f"PowerState/{code}" in [status["code"] for status in view["statuses"]]
        assert shell.events("power_1") == []
    reimaging = shell.start("vmss", "reimage", *of("power"), "--instance-ids", "0")
    while not reimaging.is_over:
        assert shell.events("power_1") == []
        shell.advance("1m")
    assert reimaging.result().code == 0


def test_a_reimage_is_announced_where_the_model_wants_it(shell: Shell) -> None:
    made = shell.run(
        "vmss", "create", *of("image"), *UNIFORM, "--instance-count", "1", "--enable-osimage-notification", "true"
    )
    assert made.code == 0, made
    shell.events("image_0")
    reimaging = shell.start("vmss", "reimage", *of("image"), "--instance-ids", "0")
    event = shell.wait_for_event("image_0", "Reboot")
    assert notice(shell, event) == timedelta(minutes=15)
    shell.advance("1h")
    assert reimaging.result().code == 0


def test_a_spot_instance_is_preempted_and_another_is_not(shell: Shell) -> None:
    shell.json(
        "vmss", "create", *of("spot"), *UNIFORM, "--instance-count", "2",
        "--priority", "Spot", "--eviction-policy", "Delete", "--max-price", "-1", "--lb", "",
    )  # fmt: skip
    shell.events("spot_1")
    assert shell.run("vmss", "simulate-eviction", *of("spot"), "--instance-id", "0").code == 0
    event = shell.wait_for_event("spot_1", "Preempt")
    assert (event["Resources"], event["EventSource"]) == (["spot_0"], "Platform")
    assert notice(shell, event) == timedelta(seconds=30)
    shell.advance("1h")
    assert [i["name"] for i in shell.json("vmss", "list-instances", *of("spot"))] == ["spot_1"]
    refused = shell.run("vmss", "simulate-eviction", *of("uni1"), "--instance-id", "0")
    assert refused.code == 1
    assert "Operation 'simulateEviction' is allowed only for Spot Virtual Machines" in refused.err


def test_a_policy_approves_what_its_owner_asks_for(shell: Shell) -> None:
    shell.json(
        "vmss", "create", *of("policy"), *UNIFORM, "--instance-count", "2", "--zones", "1", "2", "3", "--lb", "",
        "--enable-user-reboot-scheduled-events", "true", "--enable-user-redeploy-scheduled-events", "true",
        "--additional-scheduled-events", "true", "--enable-all-instance-down", "true",
        "--scheduled-events-api-version", "2020-07-01", "--terminate-notification-time", "10",
    )  # fmt: skip
    policy = shell.json("vmss", "show", *of("policy"))["scheduledEventsPolicy"]
    assert policy["userInitiatedReboot"] == {"automaticallyApprove": True}
    shell.events("policy_0")
    restarting = shell.start("vmss", "restart", *of("policy"), "--instance-ids", "0")
    shell.wait_for_event("policy_0", "Reboot", "Started")
    shell.advance("1h")
    assert restarting.result().code == 0


def test_sets_of_every_other_kind_can_be_made(shell: Shell) -> None:
    empty = shell.json("vmss", "create", *of("flex2"), "--orchestration-mode", "Flexible")
    assert empty["vmss"]["orchestrationMode"] == "Flexible"
    windows = shell.json(
        "vmss", "create", *of("win"), "--orchestration-mode", "Uniform", "--instance-count", "1", "--lb", "",
        "--image", "MicrosoftWindowsServer:WindowsServer:2019-Datacenter:latest",
        "--admin-username", "azureuser", "--admin-password", "P@ssw0rd1234!", "--vnet-name", "v1", "--subnet", "s1",
    )  # fmt: skip
    assert windows["vmss"]["provisioningState"] == "Succeeded"
    identified = shell.json(
        "vmss", "create", *of("msi"), *UNIFORM, "--instance-count", "1", "--lb", "", "--assign-identity"
    )
    assert identified["vmss"]["provisioningState"] == "Succeeded"


def test_what_is_not_there_is_exit_code_3(shell: Shell) -> None:
    missing = shell.run("vmss", "show", *of("nobody"))
    assert missing.code == 3
    assert "ResourceNotFound" in missing.err
    assert shell.run("vmss", "show", "-g", "nowhere", "-n", "x").code == 3
