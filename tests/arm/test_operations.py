"""What each operation does to the machines it is sent to: the table of the specification, row by row."""

from typing import Any

import pytest

from forewarn.domain.events import Actor
from tests.arm.compute import NEWEST, SET, VM, Cloud, a_cloud, a_machine, a_set, with_notice

NOTICE = {"scheduledEventsProfile": {"terminateNotificationProfile": {"notBeforeTimeout": "PT5M", "enable": True}}}
IMAGE = {"scheduledEventsProfile": {"osImageNotificationProfile": {"enable": True}}}


def with_machine(**properties: object) -> Cloud:
    """A machine somebody listens on."""
    cloud = a_cloud()
    cloud.made(VM, a_machine(**properties))
    cloud.enrol("rg/vm")
    return cloud


def with_set(body: dict[str, object]) -> Cloud:
    cloud = a_cloud()
    cloud.made(SET, body)
    cloud.enrol("rg/web:0")
    return cloud


@pytest.mark.parametrize(
    ("action", "event"),
    [
        pytest.param("restart", ("Reboot", "Scheduled", ("vm",)), id="restart"),
        pytest.param("redeploy", ("Redeploy", "Scheduled", ("vm",)), id="redeploy"),
        pytest.param("performMaintenance", ("Redeploy", "Started", ("vm",)), id="maintenance-starts-at-once"),
    ],
)
def test_what_is_announced_keeps_its_caller_waiting(action: str, event: tuple[str, str, tuple[str, ...]]) -> None:
    cloud = with_machine()
    answer = cloud.post(f"{VM}/{action}")
    assert (answer.status, answer.body) == (202, b"")
    assert cloud.events("rg/vm") == [event]
    assert cloud.wait(answer) == "InProgress"
    assert cloud.get(VM)["properties"]["provisioningState"] == "Updating"
    cloud.advance(minutes=15)
    assert cloud.events("rg/vm") == []
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.get(VM)["properties"]["provisioningState"] == "Succeeded"


@pytest.mark.parametrize(
    ("action", "power"),
    [
        pytest.param("powerOff?skipShutdown=false", "stopped", id="stop"),
        pytest.param("deallocate", "deallocated", id="deallocate"),
        pytest.param("start", "running", id="start"),
        pytest.param("reapply", "running", id="reapply"),
        pytest.param("reimage", "running", id="reimage-without-a-profile"),
    ],
)
def test_what_is_not_announced_is_done_at_once(action: str, power: str) -> None:
    cloud = with_machine(**NOTICE)
    answer = cloud.post(f"{VM}/{action}")
    assert answer.status == 202
    assert cloud.events("rg/vm") == []
    cloud.advance()
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.power(VM) == power


def test_a_reimage_is_announced_where_the_model_says_so() -> None:
    cloud = with_machine(**IMAGE)
    answer = cloud.post(f"{VM}/reimage", {"tempDisk": False})
    assert cloud.events("rg/vm") == [("Reboot", "Scheduled", ("vm",))]
    cloud.advance(minutes=15)
    assert cloud.wait(answer) == "Succeeded"


def test_nobody_listens_nobody_waits() -> None:
    cloud = a_cloud()
    cloud.made(VM, a_machine(**NOTICE))
    answer = cloud.ask("DELETE", VM)
    assert cloud.events("rg/vm") == []
    cloud.advance()
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.refused("GET", VM) == (404, "ResourceNotFound")


def test_a_machine_with_a_terminate_profile_is_announced_before_it_goes() -> None:
    cloud = with_machine(**NOTICE)
    answer = cloud.ask("DELETE", VM)
    assert cloud.events("rg/vm") == [("Terminate", "Scheduled", ("vm",))]
    assert cloud.get(VM)["properties"]["provisioningState"] == "Deleting"
    cloud.advance(minutes=4)
    assert cloud.wait(answer) == "InProgress"
    cloud.advance(minutes=1)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ask("DELETE", VM).status == 204


def test_a_machine_without_one_just_goes() -> None:
    cloud = with_machine()
    cloud.ask("DELETE", VM)
    assert cloud.events("rg/vm") == []
    cloud.advance()
    assert cloud.refused("GET", VM) == (404, "ResourceNotFound")


@pytest.mark.parametrize(
    ("policy", "power"),
    [pytest.param("Deallocate", "deallocated", id="deallocate"), pytest.param("Delete", None, id="delete")],
)
def test_an_evicted_spot_machine_has_thirty_seconds(policy: str, power: str | None) -> None:
    cloud = with_machine(priority="Spot", evictionPolicy=policy)
    answer = cloud.post(f"{VM}/simulateEviction")
    assert (answer.status, answer.body) == (204, b"")
    assert cloud.events("rg/vm") == [("Preempt", "Scheduled", ("vm",))]
    cloud.advance(seconds=30)
    if power is None:
        assert cloud.refused("GET", f"{VM}/instanceView") == (404, "ResourceNotFound")
    else:
        assert cloud.power(VM) == power


def test_only_spot_machines_are_evicted() -> None:
    answer = with_machine().post(f"{VM}/simulateEviction")
    assert answer.status == 409
    assert answer.json == {
        "error": {
            "code": "OperationNotAllowed",
            "message": "Operation 'simulateEviction' is allowed only for Spot Virtual Machines",
        }
    }


@pytest.mark.parametrize("path", ["restart", "redeploy"])
def test_a_policy_spares_the_notice(path: str) -> None:
    yes = {"automaticallyApprove": True}
    cloud = a_cloud()
    policy = {"userInitiatedReboot": yes, "userInitiatedRedeploy": yes}
    cloud.made(VM, a_machine(scheduledEventsPolicy=policy))
    cloud.enrol("rg/vm")
    cloud.post(f"{VM}/{path}")
    ((_, phase, _),) = cloud.events("rg/vm")
    assert phase == "Started"


# Scale sets


@pytest.mark.parametrize(
    ("word", "kind", "phase"),
    [
        pytest.param("restart", "Reboot", "Scheduled", id="restart"),
        pytest.param("redeploy", "Redeploy", "Scheduled", id="redeploy"),
        pytest.param("performMaintenance", "Redeploy", "Started", id="maintenance"),
        pytest.param("delete", "Terminate", "Scheduled", id="delete"),
    ],
)
@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param(f"{SET}/WORD", {"instanceIds": ["1"]}, id="named"),
        pytest.param(f"{SET}/virtualMachines/1/WORD", None, id="itself"),
    ],
)
def test_one_instance_is_announced_to_all(
    word: str, kind: str, phase: str, path: str, body: dict[str, object] | None
) -> None:
    cloud = with_set(with_notice(3))
    if word == "delete" and body is None:
        answer = cloud.ask("DELETE", f"{SET}/virtualMachines/1")
    else:
        answer = cloud.post(path.replace("WORD", word), body)
    assert (answer.status, answer.body) == (202, b"")
    assert cloud.events("rg/web:0") == [(kind, phase, ("web_1",))]
    assert cloud.wait(answer) == "InProgress"
    states = {item["instanceId"]: item["properties"]["provisioningState"] for item in listed(cloud)}
    assert states == {"0": "Succeeded", "1": "Deleting" if word == "delete" else "Updating", "2": "Succeeded"}
    assert cloud.get(SET)["properties"]["provisioningState"] == "Updating"
    cloud.advance(minutes=15)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ids() == (["0", "2"] if word == "delete" else ["0", "1", "2"])


def listed(cloud: Cloud) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cloud.get(f"{SET}/virtualMachines")["value"]
    return found


@pytest.mark.parametrize(
    "body",
    [None, {}, {"instanceIds": None}, {"instanceIds": ["*"]}],
    ids=["nothing", "empty", "null", "star"],
)
def test_all_instances_at_once(body: dict[str, object] | None) -> None:
    cloud = with_set(with_notice(3))
    cloud.post(f"{SET}/restart", body)
    assert [names for _, _, names in cloud.events("rg/web:0")] == [("web_0",), ("web_1",), ("web_2",)]


@pytest.mark.parametrize(
    ("word", "power"),
    [
        pytest.param("poweroff", "stopped", id="stop"),
        pytest.param("deallocate", "deallocated", id="deallocate"),
        pytest.param("start", "running", id="start"),
    ],
)
@pytest.mark.parametrize("path", [f"{SET}/WORD", f"{SET}/virtualMachines/*/WORD"], ids=["set", "star"])
def test_power_is_nobody_s_event(word: str, power: str, path: str) -> None:
    cloud = with_set(with_notice(2))
    answer = cloud.post(path.replace("WORD", word))
    assert (answer.status, cloud.wait(answer), cloud.events("rg/web:0")) == (202, "Succeeded", [])
    assert {cloud.power(f"{SET}/virtualMachines/{instance}") for instance in cloud.ids()} == {power}


def test_reapplying_a_set_is_nobody_s_event() -> None:
    cloud = with_set(with_notice(2))
    answer = cloud.post(f"{SET}/reapply")
    assert (answer.status, cloud.wait(answer), cloud.events("rg/web:0")) == (202, "Succeeded", [])


def test_scale_in_announces_each_instance_it_takes() -> None:
    cloud = with_set(with_notice(4))
    answer = cloud.ask("PUT", SET, {"location": "eastus", "sku": {"name": "Standard_D2s_v5", "capacity": 2}})
    assert answer.status == 200
    assert "location" not in answer.headers
    assert answer.json["properties"]["provisioningState"] == "Updating"
    assert answer.json["sku"]["capacity"] == 2
    assert cloud.events("rg/web:0") == [
        ("Terminate", "Scheduled", ("web_3",)),
        ("Terminate", "Scheduled", ("web_2",)),
    ]
    assert cloud.wait(answer) == "InProgress"
    assert cloud.ids() == ["0", "1", "2", "3"]
    cloud.advance(minutes=10)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ids() == ["0", "1"]
    assert cloud.get(SET)["sku"]["capacity"] == 2


def test_scale_in_without_a_profile_announces_nothing() -> None:
    cloud = with_set(a_set(4))
    answer = cloud.ask("PATCH", SET, {"sku": {"capacity": 3}})
    assert cloud.events("rg/web:0") == []
    cloud.advance()
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.ids() == ["0", "1", "2"]


def test_a_whole_set_goes_when_its_instances_have() -> None:
    cloud = with_set(with_notice(2))
    answer = cloud.ask("DELETE", SET)
    assert answer.status == 202
    assert [kind for kind, _, _ in cloud.events("rg/web:0")] == ["Terminate", "Terminate"]
    assert cloud.get(SET)["properties"]["provisioningState"] == "Deleting"
    cloud.advance(minutes=10)
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.refused("GET", SET) == (404, "ResourceNotFound")
    assert cloud.ask("DELETE", SET).status == 204


def test_a_reimage_of_instances_is_announced_where_the_model_says_so() -> None:
    cloud = with_set(a_set(2, model=IMAGE))
    cloud.post(f"{SET}/reimageall", {"instanceIds": ["0"]})
    assert cloud.events("rg/web:0") == [("Reboot", "Scheduled", ("web_0",))]


def test_an_instance_is_evicted() -> None:
    cloud = with_set(a_set(2, model={"priority": "Spot", "evictionPolicy": "Delete"}))
    assert cloud.post(f"{SET}/virtualMachines/0/simulateEviction").status == 204
    assert cloud.events("rg/web:0") == [("Preempt", "Scheduled", ("web_0",))]
    cloud.advance(seconds=30)
    assert cloud.refused("GET", f"{SET}/virtualMachines/0/instanceView") == (404, "NotFound")
    assert cloud.get(SET)["sku"]["capacity"] == 1


def test_an_approved_delete_waits_for_the_others() -> None:
    cloud = with_set(with_notice(3))
    first = cloud.post(f"{SET}/delete", {"instanceIds": ["0"]})
    cloud.advance(minutes=2)
    second = cloud.post(f"{SET}/delete", {"instanceIds": ["1"]})
    found = cloud.run(cloud.store.read(lambda reader: reader.list_events(scope="rg/web:0")))
    newer = next(event for event in found if event.resources == ("web_1",))
    cloud.run(cloud.engine.approve_event(newer.id, Actor.machine("web_1")))
    cloud.advance()
    assert cloud.wait(second) == "InProgress"
    cloud.advance(minutes=8)
    assert (cloud.wait(first), cloud.wait(second)) == ("Succeeded", "Succeeded")


def test_the_model_reaches_an_instance_when_it_is_brought_to_it() -> None:
    cloud = with_set(a_set(2))
    model = {"scheduledEventsProfile": {"terminateNotificationProfile": {"enable": True}}}
    cloud.ask("PUT", SET, {"properties": {"virtualMachineProfile": model}}, version=NEWEST)
    assert [item["properties"]["latestModelApplied"] for item in listed(cloud)] == [False, False]
    cloud.post(f"{SET}/manualupgrade", {"instanceIds": ["1"]})
    assert [item["properties"]["latestModelApplied"] for item in listed(cloud)] == [False, True]
    cloud.post(f"{SET}/delete", {"instanceIds": ["0", "1"]})
    assert cloud.events("rg/web:0") == [("Terminate", "Scheduled", ("web_1",))]
