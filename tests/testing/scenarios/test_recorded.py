"""What was seen once is seen again: recorded, made into a scenario, played, and recorded again."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from forewarn.testing.scenarios import ScenarioError, names, parse, play, scenario_from, shipped
from forewarn.testing.scenarios.recordings import Look, SeenEvent, read_recording

TROUBLED = """
[fleet.availability_set.db]
machines = 3
hosts = ["a", "a", "b"]
update_domains = 1
[[client]]
machine = "db-0"
approves = "none"
[[at]]
at = "10s"
do = "schedule"
type = "Freeze"
machines = ["db-0", "db-1"]
duration = 3
notice = "16m"
[[at]]
at = "20s"
do = "redeploy"
machine = "db-2"
[[fault]]
at = "30s"
kind = "status"
status = 410
requests = 3
machine = "db-0"
[[fault]]
at = "33s"
kind = "empty"
requests = 1
machine = "db-0"
[[fault]]
at = "1m"
kind = "not-json"
requests = 2
machine = "db-0"
[[fault]]
at = "2m"
kind = "reset"
requests = 2
machine = "db-0"
[[fault]]
at = "3m"
kind = "truncated"
requests = 1
machine = "db-0"
"""


def seen(folder: Path) -> list[tuple[Any, ...]]:
    """All that a client could see, but for ids and dates."""
    recording = read_recording(folder)
    ids: dict[str, int] = {}
    start = recording.looks[0].at
    return [(look.at - start, _trouble(look), _told(look, ids)) for look in recording.looks]


def _trouble(look: Look) -> Any:
    return None if look.trouble is None else (dict(look.trouble), look.times)


def _told(look: Look, ids: dict[str, int]) -> Any:
    if look.events is None:
        return None
    return [_event(event, look, ids.setdefault(event.id, len(ids))) for event in look.events]


def _event(event: SeenEvent, look: Look, number: int) -> tuple[Any, ...]:
    left = None if event.not_before is None else event.not_before - look.at
    about = (event.description, event.source, event.duration)
    return (number, event.type, event.status, event.resources, left, *about)


@pytest.mark.parametrize("name", [*names(), "troubled"])
def test_a_recording_becomes_a_scenario_in_which_the_client_sees_the_same_again(name: str, tmp_path: Path) -> None:
    first = parse(TROUBLED, "troubled.toml") if name == "troubled" else shipped(name)
    assert play(first, record=tmp_path / "first").held
    machine = first.clients[0].machine
    text = scenario_from(tmp_path / "first" / machine)
    again = play(parse(text, "again.toml"), record=tmp_path / "again")
    assert not again.trouble
    assert not again.failures, again.failures
    assert seen(tmp_path / "again" / machine) == seen(tmp_path / "first" / machine)


def line(at: str, events: list[dict[str, Any]] | None = None, **more: Any) -> dict[str, Any]:
    body = json.dumps({"DocumentIncarnation": 1, "Events": events or []})
    fields = {"date": f"Thu, 22 Jul 2021 {at} GMT"}
    return {
        "at": f"2021-07-22T{at}.250+00:00",
        "kind": "document",
        "status": 200,
        "fields": fields,
        "body": body,
        **more,
    }


def event(status: str, not_before: str, **more: Any) -> dict[str, Any]:
    date = f"Thu, 22 Jul 2021 {not_before} GMT" if not_before else ""
    told = {"EventId": "4CAEA225-A741-474D-A72E-428C86FCD853", "EventStatus": status, "EventType": "Reboot"}
    rest = {"ResourceType": "VirtualMachine", "Resources": ["flatcar-vm1"], "NotBefore": date, "Description": ""}
    return {**told, **rest, "EventSource": "User", "DurationInSeconds": -1, **more}


def recording(folder: Path, *lines: dict[str, Any]) -> Path:
    (folder / "seen.jsonl").write_text("".join(json.dumps(each) + "\n" for each in lines))
    return folder


def test_an_event_of_azure_that_was_seen_late_keeps_the_notice_it_had_left(tmp_path: Path) -> None:
    """The reboot of Microsoft's own sample, as its log tells it: spec 0 and 2.5."""
    text = scenario_from(
        recording(
            tmp_path,
            line("04:34:12"),
            line("04:36:08", [event("Scheduled", "04:50:17")]),
            line("04:36:12", [event("Started", "")]),
            line("04:37:09"),
        )
    )
    values = tomllib.loads(text)
    settings, restart, approval = values["at"]
    assert settings == {"at": "1m56s", "do": "settings", "settings": {"notice_reboot": "14m9s"}}
    assert restart == {"at": "1m56s", "do": "restart", "machine": "flatcar-vm1", "as": "reboot-1"}
    assert approval == {"at": "2m", "do": "approve", "event": "reboot-1"}
    assert values["fleet"]["driver"] == {"reboot": "57s"}
    assert play(parse(text, "azure.toml")).held


def test_what_vanishes_before_its_time_was_called_off_unless_it_was_approved(tmp_path: Path) -> None:
    lines = [line("04:34:12"), line("04:35:00", [event("Scheduled", "04:50:00")]), line("04:40:00")]
    assert 'do = "cancel"' in scenario_from(recording(tmp_path, *lines))
    approved = json.dumps({"StartRequests": [{"EventId": event("", "")["EventId"].lower()}]})
    approval = {"at": "2021-07-22T04:39:00+00:00", "kind": "approval", "asked": approved, "status": 200, "body": ""}
    text = scenario_from(recording(tmp_path, *lines[:2], approval, lines[2]))
    assert 'do = "approve"' in text
    assert 'do = "cancel"' not in text


def test_files_that_were_begun_anew_are_one_recording(tmp_path: Path) -> None:
    """Each begins with what the one before ended with, and that did not happen twice."""
    recording(tmp_path, line("04:34:12", again=True), line("04:40:00", [event("Scheduled", "04:50:00")]))
    (tmp_path / "seen.1.jsonl").write_text(json.dumps(line("04:34:12")) + "\n")
    assert [look.events == () for look in read_recording(tmp_path).looks] == [True, False]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(None, "No such file", id="nothing-there"),
        pytest.param("", "nobody has asked for a document", id="empty"),
        pytest.param('{"kind": 1}\n{"at": 2}\n', "seen.jsonl:1: it is no recording", id="something-else"),
    ],
)
def test_what_is_no_recording_is_refused(tmp_path: Path, text: str | None, reason: str) -> None:
    if text is not None:
        (tmp_path / "seen.jsonl").write_text(text)
    with pytest.raises(ScenarioError, match=reason):
        scenario_from(tmp_path)


def test_of_a_directory_of_recordings_one_has_to_be_named(tmp_path: Path) -> None:
    (tmp_path / "solo").mkdir()
    recording(tmp_path / "solo", line("04:34:12"))
    with pytest.raises(ScenarioError, match=r"holds some: name one of .*solo\."):
        scenario_from(tmp_path)
