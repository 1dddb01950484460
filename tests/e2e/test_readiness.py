"""Readiness and approval policies, from the machines' side and the operator's: real processes, real sockets."""

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from forewarn import __version__
from tests.cli.shell import start
from tests.e2e.running import Up, up

FLEET = """
[machine.solo]
[availability_set.db]
machines = 3
update_domains = 1
hosts = 1
approval_policy = "all-named"
"""


def asked(forewarn: Up, machine: str, path: str, body: object = None, **headers: str) -> tuple[int, Any]:
    raw = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        f"{forewarn.machines[machine]}{path}", data=raw, headers={"Metadata": "true", **headers}
    )
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refused:
        return refused.code, json.load(refused)


def say(forewarn: Up, machine: str, event: str, ready: bool = True) -> tuple[int, Any]:
    return asked(forewarn, machine, "/forewarn/v1/ready", {"EventId": event, "Ready": ready})


def document(forewarn: Up, machine: str) -> Any:
    return asked(forewarn, machine, "/metadata/scheduledevents?api-version=2020-07-01")[1]


def scheduled(forewarn: Up, *machines: str) -> str:
    """The id of the one event, which one of the machines has seen."""
    done = forewarn.cli("--json", "schedule", "Reboot", *machines)
    assert done.returncode == 0, done.stderr
    (event,) = document(forewarn, machines[0])["Events"]
    return str(event["EventId"])


def a_fleet(tmp_path: Path) -> tuple[str, ...]:
    (tmp_path / "fleet.toml").write_text(FLEET)
    return ("--fleet", str(tmp_path / "fleet.toml"), "--clock", "manual")


def test_an_event_starts_when_the_last_of_its_machines_is_ready_and_a_kill_forgets_nobody(tmp_path: Path) -> None:
    with up(tmp_path / "data", *a_fleet(tmp_path)) as forewarn:
        assert asked(forewarn, "db-0", "/forewarn/v1/about") == (
            200,
            {"forewarn": __version__, "wait": 300, "ready": True},
        )
        event = scheduled(forewarn, "db-0", "db-1", "db-2")
        before = document(forewarn, "db-0")
        names = ["db-0", "db-1", "db-2"]
        assert say(forewarn, "db-0", event) == (200, {"EventId": event, "Resources": names, "Ready": ["db-0"]})
        assert say(forewarn, "db-1", event.lower())[1]["Ready"] == ["db-0", "db-1"]
        forewarn.kill()
    with up(tmp_path / "data", *a_fleet(tmp_path)) as forewarn:
        assert document(forewarn, "db-2") == before, "nothing visible has changed"
        assert asked(forewarn, "db-2", f"/forewarn/v1/ready?event={event}")[1]["Ready"] == ["db-0", "db-1"]
        assert say(forewarn, "db-1", event, ready=False)[1]["Ready"] == ["db-0"]
        assert "db-1, db-2" in forewarn.cli("events").stdout
        with ThreadPoolExecutor() as both:
            assert [status for status, _ in both.map(lambda name: say(forewarn, name, event), names[1:])] == [200, 200]
        after = document(forewarn, "db-0")
        assert [e["EventStatus"] for e in after["Events"]] == ["Started"]
        assert after["DocumentIncarnation"] == before["DocumentIncarnation"] + 1
        assert say(forewarn, "db-1", event)[0] == 200, "its answer may have been lost"
        assert say(forewarn, "db-1", event, ready=False)[0] == 409
        told = forewarn.cli("history", "--subject", event).stdout
        assert [told.count(f" {word} ") for word in ("ready", "not-ready", "started")] == [4, 1, 1]


def test_a_machine_never_speaks_for_another(tmp_path: Path) -> None:
    with up(tmp_path / "data", *a_fleet(tmp_path)) as forewarn:
        event = scheduled(forewarn, "db-0")
        assert say(forewarn, "db-1", event)[0] == 403, "it is not named"
        assert say(forewarn, "solo", event)[0] == 404, "it is another scope's"
        assert asked(forewarn, "solo", f"/forewarn/v1/ready?event={event}")[0] == 404
        body = {"EventId": event, "Ready": True, "Machine": "db-0"}
        assert asked(forewarn, "db-1", "/forewarn/v1/ready", body)[0] == 403
        for headers in ({"X-Forwarded-For": "127.0.0.2"}, {"Metadata": "no"}):
            assert asked(forewarn, "db-0", "/forewarn/v1/ready", body, **headers)[0] == 400
        assert asked(forewarn, "db-2", f"/forewarn/v1/ready?event={event}")[1]["Ready"] == []
        assert say(forewarn, "db-0", event)[1]["Ready"] == ["db-0"]


def test_a_policy_is_chosen_while_events_wait_and_a_person_s_word_counts_under_every_one(tmp_path: Path) -> None:
    with up(tmp_path / "data", *a_fleet(tmp_path)) as forewarn:
        assert forewarn.cli("policy", "solo", "human").stdout.splitlines()[-1].split() == ["solo", "human"]
        event = scheduled(forewarn, "solo")
        path, approval = "/metadata/scheduledevents?api-version=2020-07-01", {"StartRequests": [{"EventId": event}]}
        request = urllib.request.Request(
            f"{forewarn.machines['solo']}{path}", data=json.dumps(approval).encode(), headers={"Metadata": "true"}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert (answer.status, answer.read()) == (200, b"")
        assert document(forewarn, "solo")["Events"][0]["EventStatus"] == "Scheduled"
        assert "a user" in forewarn.cli("events").stdout
        assert forewarn.cli("approve", event).returncode == 0
        assert document(forewarn, "solo")["Events"][0]["EventStatus"] == "Started"


def test_a_wrong_policy_in_the_fleet_file_is_refused_with_its_line(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.toml"
    fleet.write_text("[machine.solo]\napproval_policy = 'majority'\n")
    process = start("up", "--data", str(tmp_path / "data"), "--fleet", str(fleet))
    _, said = process.communicate(timeout=30)
    assert (process.returncode, "fleet.toml:2: solo: approval_policy must be" in said) == (1, True), said
