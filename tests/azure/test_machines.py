"""Virtual machines, availability sets and groups, by the real CLI."""

from datetime import timedelta

import pytest

from tests.azure.driving import Shell, nothing_is_announced, notice

pytestmark = pytest.mark.azure

IMAGE = ("--image", "Ubuntu2204", "--admin-username", "azureuser", "--generate-ssh-keys")
LEAN = (*IMAGE, "--public-ip-address", "", "--nsg", "")


@pytest.fixture(scope="module", autouse=True)
def machines(shell: Shell) -> None:
    shell.json("group", "create", "-n", "rg1", "-l", "eastus")
    made = shell.json(
        "vm", "availability-set", "create", "-g", "rg1", "-n", "as1",
        "--platform-fault-domain-count", "2", "--platform-update-domain-count", "5",
    )  # fmt: skip
    assert (made["platformFaultDomainCount"], made["platformUpdateDomainCount"]) == (2, 5)
    for name in ("vm1", "vm2"):
        created = shell.json(
            "vm", "create", *of(name), "--image", "UbuntuLTS", "--admin-username", "azureuser", "--generate-ssh-keys",
            "--availability-set", "as1",
        )  # fmt: skip
        assert created["powerState"] == "VM running"


def of(name: str) -> tuple[str, ...]:
    return "-g", "rg1", "-n", name


def test_machines_are_shown_and_listed(shell: Shell) -> None:
    assert {"vm1", "vm2"} <= {vm["name"] for vm in shell.json("vm", "list", "-g", "rg1")}
    assert {"vm1", "vm2"} <= {vm["name"] for vm in shell.json("vm", "list")}
    detailed = {vm["name"]: vm for vm in shell.json("vm", "list", "-g", "rg1", "-d")}
    assert detailed["vm1"]["powerState"] == "VM running"
    assert shell.json("vm", "show", *of("vm1"))["provisioningState"] == "Succeeded"
    view = shell.json("vm", "get-instance-view", *of("vm1"))["instanceView"]
    assert "PowerState/running" in [status["code"] for status in view["statuses"]]
    assert len(shell.json("vm", "availability-set", "show", *of("as1"))["virtualMachines"]) == 2
    assert [found["name"] for found in shell.json("vm", "availability-set", "list", "-g", "rg1")] == ["as1"]


@pytest.mark.parametrize(
    ("command", "kind", "minutes"),
    [
        (("restart",), "Reboot", 15),
        (("redeploy",), "Redeploy", 10),
        (("restart", "--force"), "Redeploy", 10),
    ],
    ids=["restart", "redeploy", "restart-force"],
)
def test_the_whole_availability_set_is_told(command: tuple[str, ...], kind: str, minutes: int, shell: Shell) -> None:
    shell.events("vm2")
    verb, *more = command
    running = shell.start("vm", verb, *of("vm1"), *more)
    event = shell.wait_for_event("vm2", kind)
    assert (event["Resources"], event["EventSource"]) == (["vm1"], "User")
    assert notice(shell, event) == timedelta(minutes=minutes)
    assert not running.is_over
    shell.approve("vm2", event["EventId"])
    shell.advance("1h")
    assert running.result().code == 0
    assert shell.events("vm1") == []


def test_power_reimage_and_tags_announce_nothing(shell: Shell) -> None:
    shell.events("vm2")
    for verb in ("deallocate", "start", "stop", "start", "reimage"):
        working = shell.start("vm", verb, *of("vm1"))
        assert shell.play_out(working, lambda: nothing_is_announced(shell, "vm2")).code == 0
    assert shell.json("vm", "update", *of("vm1"), "--set", "tags.a=b")["tags"] == {"a": "b"}
    assert shell.events("vm2") == []


def test_maintenance_asked_for_starts_now(shell: Shell) -> None:
    shell.events("vm2")
    maintaining = shell.start("vm", "perform-maintenance", *of("vm1"))
    shell.wait_for_event("vm2", "Redeploy", "Started")
    shell.advance("1h")
    assert maintaining.result().code == 0


def test_a_machine_alone_is_deleted_at_once(shell: Shell) -> None:
    shell.json("vm", "create", *of("lone"), *LEAN, "--size", "Standard_DS1_v2", "--security-type", "Standard")
    assert shell.events("lone") == []
    deleting = shell.start("vm", "delete", *of("lone"), "-y")
    assert shell.play_out(deleting).code == 0
    assert shell.run("vm", "show", *of("lone")).code == 3
    assert "lone" not in shell.machines()


def test_a_spot_machine_is_evicted(shell: Shell) -> None:
    spot = ("--priority", "Spot", "--eviction-policy", "Delete", "--max-price", "-1")
    assert shell.run("vm", "create", *of("vm3"), *LEAN, *spot, "--no-wait").code == 0
    shell.events("vm3")
    assert shell.run("vm", "simulate-eviction", *of("vm3")).code == 0
    assert notice(shell, shell.wait_for_event("vm3", "Preempt")) == timedelta(seconds=30)
    shell.advance("1h")
    assert shell.run("vm", "show", *of("vm3")).code == 3
    refused = shell.run("vm", "simulate-eviction", *of("vm1"))
    assert refused.code == 1
    assert "allowed only for Spot" in refused.err


def test_a_machine_s_policy_waives_its_notice(shell: Shell) -> None:
    shell.json(
        "vm", "create", *of("vm4"), *LEAN, "--enable-user-reboot-scheduled-events", "true",
        "--enable-user-redeploy-scheduled-events", "true", "--additional-scheduled-events", "true",
    )  # fmt: skip
    shell.events("vm4")
    restarting = shell.start("vm", "restart", *of("vm4"))
    shell.wait_for_event("vm4", "Reboot", "Started")
    shell.advance("1h")
    assert restarting.result().code == 0


def test_groups_resources_and_places_are_listed(shell: Shell) -> None:
    assert "rg1" in [group["name"] for group in shell.json("group", "list")]
    assert shell.json("group", "exists", "-n", "rg1") is True
    assert shell.json("group", "exists", "-n", "nowhere") is False
    types = {found["type"] for found in shell.json("resource", "list", "-g", "rg1")}
    assert {"Microsoft.Compute/virtualMachines", "Microsoft.Compute/availabilitySets"} <= types
    assert "eastus" in [place["name"] for place in shell.json("account", "list-locations")]


def test_a_group_takes_everything_with_it(shell: Shell) -> None:
    shell.json("group", "create", "-n", "doomed", "-l", "eastus")
    shell.json("vm", "create", "-g", "doomed", "-n", "last", *LEAN)
    deleting = shell.start("group", "delete", "-n", "doomed", "-y")
    assert shell.play_out(deleting).code == 0
    assert shell.json("group", "exists", "-n", "doomed") is False
    assert "last" not in shell.machines()


def test_a_machine_s_identity_is_given_a_role_and_loses_it(shell: Shell) -> None:
    group = shell.json("group", "show", "-n", "rg1")["id"]
    role = ("--assignee", "machine:rg1/as1/vm1", "--role", "ScheduledEventContributor", "--scope", group)
    given = shell.json("role", "assignment", "create", *role)
    assert given["scope"] == group
    listed = shell.json("role", "assignment", "list", "--all")
    assert {(found["roleDefinitionName"], found["scope"]) for found in listed} == {
        ("Contributor", group.partition("/resourceGroups")[0]),
        ("ScheduledEventContributor", group),
    }
    assert shell.run("role", "assignment", "delete", *role).code == 0
    assert [found["roleDefinitionName"] for found in shell.json("role", "assignment", "list", "--all")] == [
        "Contributor"
    ]
