"""Automatic instance repairs, switched on with the CLI; who is unhealthy is reported to Forewarn itself."""

from datetime import timedelta

import pytest

from tests.azure.driving import Shell, notice

pytestmark = pytest.mark.azure

IMAGE = ("--image", "Ubuntu2204", "--admin-username", "azureuser", "--generate-ssh-keys")
LEAN = ("--lb", "", "--vnet-name", "v1", "--subnet", "s1")


@pytest.fixture(scope="module", autouse=True)
def group(shell: Shell) -> None:
    shell.json("group", "create", "-n", "rg1", "-l", "eastus")


def of(name: str) -> tuple[str, ...]:
    return "-g", "rg1", "-n", name


def instances(shell: Shell, name: str) -> dict[str, str]:
    """Name → provisioning state."""
    return {i["name"]: i["provisioningState"] for i in shell.json("vmss", "list-instances", *of(name))}


def refusal(shell: Shell, machine: str) -> str:
    refused = shell.forewarn.cli("unhealthy", machine)
    assert refused.returncode == 1, refused
    return refused.stderr


def test_an_unhealthy_instance_is_replaced_at_once_and_goes_with_its_notice(shell: Shell) -> None:
    shell.json(
        "vmss", "create", *of("web"), "--orchestration-mode", "Uniform", *IMAGE, *LEAN,
        "--instance-count", "2", "--terminate-notification-time", "10",
    )  # fmt: skip
    assert shell.events("web_0") == []
    hint = refusal(shell, "web_1").strip().partition("To enable them: az ")[2]
    policy = shell.json(*hint.split())["automaticRepairsPolicy"]
    assert policy == {"enabled": True, "gracePeriod": "PT10M", "repairAction": "Replace"}
    assert "report it again if it is unhealthy then" in refusal(shell, "web_1")
    shell.advance("10m")
    assert shell.told("unhealthy", "web_1")["replacement"] == "rg1/web:0/web_2"
    assert instances(shell, "web") == {"web_0": "Succeeded", "web_1": "Deleting", "web_2": "Succeeded"}
    event = shell.wait_for_event("web_1", "Terminate")
    assert (event["Resources"], event["EventSource"]) == (["web_1"], "Platform")
    assert notice(shell, event) == timedelta(minutes=10)
    assert shell.document("web_2") == shell.document("web_1"), "the replacement sees it too"
    shell.approve("web_1", event["EventId"])
    shell.wait_for_event("web_0", "Terminate", "Started")
    shell.advance("30m")
    assert instances(shell, "web") == {"web_0": "Succeeded", "web_2": "Succeeded"}
    assert shell.json("vmss", "show", *of("web"))["sku"]["capacity"] == 2


def test_the_policy_is_changed_refused_and_switched_off(shell: Shell) -> None:
    shell.json("vmss", "create", *of("flex"), *IMAGE, *LEAN, "--instance-count", "1")
    update = ("vmss", "update", *of("flex"), "--enable-automatic-repairs")
    changed = shell.json(
        *update, "true", "--automatic-repairs-grace-period", "30", "--automatic-repairs-action", "Restart"
    )
    assert changed["automaticRepairsPolicy"] == {"enabled": True, "gracePeriod": "PT30M", "repairAction": "Restart"}
    refused = shell.run(*update, "true", "--automatic-repairs-grace-period", "91")
    assert (refused.code, "gracePeriod must be from PT10M to PT1H30M" in refused.err) == (1, True)
    (name,) = [instance["name"] for instance in shell.json("vmss", "list-instances", *of("flex"))]
    shell.events(name)
    shell.advance("30m")
    operation = shell.told("unhealthy", name)
    assert (operation["impact"], operation["replacement"]) == ("Reboot", None)
    assert notice(shell, shell.wait_for_event(name, "Reboot")) == timedelta(minutes=15)
    assert shell.json(*update, "false")["automaticRepairsPolicy"]["enabled"] is False
