"""Three machines, three agents, and what a month may bring: the hooks, the approvals, the restores and the times."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from forewarn.agent.records import Progress, Record, Stage
from tests.agent.e2e.fleet import Rig, rig
from tests.waiting import until

FLEET = """
[driver]
kind = "simulated"

[scale_set.web]
instances = 3
terminate_notification = "10m"

[scale_set.web.instance.0]
update_domain = 0
host = "rack-1"
[scale_set.web.instance.1]
update_domain = 0
host = "rack-1"
[scale_set.web.instance.2]
update_domain = 1
host = "rack-2"
"""
RULES = """
[[rules]]
types = ["Freeze"]
shorter_than = "10s"
ignore = true

[[rules]]
types = ["Terminate"]
steps = ["pool"]

[[rules]]
steps = ["pool", "worker"]
approve = "leader"
"""
NAMES = ("web_0", "web_1", "web_2")


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Rig]:
    with rig(tmp_path, FLEET) as built:
        for name in NAMES:
            machine = built.machine(name)
            machine.configure(built.endpoint(name), steps=("pool", "worker"), rules=RULES)
            machine.start()
        until(lambda: _all_polled(built) or None, "every agent has asked")
        yield built


def _all_polled(built: Rig) -> bool:
    return all(scope["enrolled_at"] for scope in built.control.pages("/scopes"))


def over(fleet: Rig, name: str, key: str) -> Record | None:
    record = fleet.machine(name).records().get(key)
    return record if record is not None and record.stage is Stage.OVER else None


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_a_reboot_two_that_share_a_host_a_scale_in_and_a_campaign_called_off(fleet: Rig) -> None:
    _reboot_one(fleet)
    _redeploy_two_on_one_host(fleet)
    _freeze_nobody_minds(fleet)
    _cancel_a_campaign_half_way(fleet)
    _scale_in(fleet)


def _reboot_one(fleet: Rig) -> None:
    operation = fleet.control.post("/machines/web_2/restart")
    event = operation["event"]
    until(lambda: fleet.phase(event) == "Started" or None, "web_2 is prepared and has approved")
    told = fleet.event(event)
    assert at(told["started_at"]) < at(told["not_before"]), "nobody had to wait for the notice to run out"
    assert fleet.machine("web_2").did() == ["prepare pool Reboot", "prepare worker Reboot"]
    until(lambda: fleet.machine("web_2").records()[event].started or None, "web_2 sees that it has started")
    fleet.advance("1m")
    record = until(lambda: over(fleet, "web_2", event), "web_2 is restored")
    assert fleet.machine("web_2").did()[2:] == ["restore worker Reboot", "restore pool Reboot"]
    assert (record.approved, record.started) == (True, True)
    assert [step.progress for step in record.steps] == [Progress.RESTORED, Progress.RESTORED]
    assert fleet.approvers(event) == ["web_2"]
    assert not fleet.machine("web_0").did()


def _redeploy_two_on_one_host(fleet: Rig) -> None:
    (told,) = fleet.control.post("/events", {"type": "Redeploy", "machines": ["web_0", "web_1"]})["events"]
    event = told["id"]
    assert told["resources"] == ["web_0", "web_1"]
    until(lambda: fleet.phase(event) == "Started" or None, "the leader has approved for both")
    assert fleet.approvers(event) == ["web_0"], "the first of them speaks, and the second has no need to"
    fleet.advance("2m")
    for name in ("web_0", "web_1"):
        until(lambda name=name: over(fleet, name, event), f"{name} is restored")  # type: ignore[misc]
        assert fleet.machine(name).did() == [
            "prepare pool Redeploy",
            "prepare worker Redeploy",
            "restore worker Redeploy",
            "restore pool Redeploy",
        ]


def _freeze_nobody_minds(fleet: Rig) -> None:
    (told,) = fleet.control.post("/events", {"type": "Freeze", "machines": ["web_2"], "duration": 5})["events"]
    until(lambda: "says to ignore it" in fleet.machine("web_2").said() or None, "web_2 leaves it alone")
    fleet.advance("16m")
    until(lambda: fleet.phase(told["id"]) == "Completed" or None, "it happened at its time")
    assert len(fleet.machine("web_2").did()) == 4


def _cancel_a_campaign_half_way(fleet: Rig) -> None:
    campaign = fleet.control.post("/campaigns", {"type": "Reboot", "scopes": ["web:0"], "notice": "15m"})
    first = until(lambda: fleet.live(campaign=campaign["id"]) or None, "the first update domain is told")
    for event in (one["id"] for one in first):
        until(lambda event=event: fleet.phase(event) != "Scheduled" or None, "it is approved")  # type: ignore[misc]
    fleet.advance("1m")
    for name in ("web_0", "web_1"):
        until(lambda name=name: len(fleet.machine(name).did()) == 8 or None, f"{name} is restored")  # type: ignore[misc]
    did = len(fleet.machine("web_2").did())
    fleet.machine("web_2").hold("worker")
    fleet.advance("30m")
    (second,) = until(lambda: fleet.live(campaign=campaign["id"]) or None, "the second update domain is told")
    until(lambda: _is_at(fleet, "web_2", second["id"], 1, Progress.PREPARING) or None, "web_2 is in the middle of it")
    fleet.control.post(f"/campaigns/{campaign['id']}/cancel")
    record = until(lambda: over(fleet, "web_2", second["id"]), "web_2 is as it was")
    assert fleet.phase(second["id"]) == "Canceled"
    assert not record.approved
    assert fleet.machine("web_2").did()[did:] == ["prepare pool Reboot", "restore worker Reboot", "restore pool Reboot"]


def _is_at(fleet: Rig, name: str, key: str, position: int, progress: Progress) -> bool:
    record = fleet.machine(name).records().get(key)
    return record is not None and record.steps[position].progress is progress


def test_what_was_called_off_while_the_agent_was_away_is_ended_and_restored(fleet: Rig) -> None:
    machine = fleet.machine("web_2")
    machine.hold("worker")
    event = fleet.control.post("/machines/web_2/restart")["event"]
    until(lambda: _is_at(fleet, "web_2", event, 1, Progress.PREPARING) or None, "web_2 is in the middle of it")
    assert machine.stop() == 0
    assert machine.is_running("worker"), "the agent may go, and what it began goes on"
    fleet.control.post(f"/events/{event}/cancel")
    machine.start()
    until(lambda: over(fleet, "web_2", event), "web_2 is as it was")
    assert not machine.is_running("worker")
    assert machine.did() == ["prepare pool Reboot", "restore worker Reboot", "restore pool Reboot"]


def test_what_started_while_the_agent_was_away_is_not_prepared_any_more(fleet: Rig) -> None:
    machine = fleet.machine("web_2")
    machine.hold("pool")
    event = fleet.control.post("/machines/web_2/restart")["event"]
    until(lambda: _is_at(fleet, "web_2", event, 0, Progress.PREPARING) or None, "web_2 is in the middle of it")
    assert machine.stop() == 0
    fleet.control.post(f"/events/{event}/approve")
    machine.start()
    until(lambda: machine.records()[event].started or None, "the agent sees that it has started")
    fleet.advance("1m")
    until(lambda: over(fleet, "web_2", event), "web_2 is as it was")
    assert machine.did() == ["restore pool Reboot"]
    assert machine.said().count("pool: preparing") == 1


def _scale_in(fleet: Rig) -> None:
    did = len(fleet.machine("web_0").did())
    events = {name: fleet.control.post(f"/machines/{name}/delete")["event"] for name in ("web_0", "web_1")}
    told = {name: fleet.event(event) for name, event in events.items()}
    assert all(at(t["not_before"]) - at(t["scheduled_at"]) == timedelta(minutes=10) for t in told.values())
    for name, event in events.items():
        until(lambda event=event: fleet.phase(event) == "Started" or None, f"{name}: all deletes are approved")  # type: ignore[misc]
    for name in events:
        assert fleet.machine(name).did()[did:] == ["prepare pool Terminate"]
    fleet.advance("1m")
    assert {machine["name"] for machine in fleet.control.pages("/machines")} == {"web_2"}
