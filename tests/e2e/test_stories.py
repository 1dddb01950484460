"""True stories: real processes, the real command, real clients."""

import json
import os
import re
import shutil
import subprocess
import urllib.request
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest

from tests.clients.mono import WEBCLIENT, compiled
from tests.e2e.running import FOREWARN, Up, up


def document(forewarn: Up, machine: str, version: str = "2020-07-01") -> dict[str, Any]:
    with urllib.request.urlopen(_request(forewarn, machine, version), timeout=10) as answer:
        return dict(json.load(answer))


def approve(forewarn: Up, machine: str, *events: str) -> int:
    body = json.dumps({"StartRequests": [{"EventId": event} for event in events]}).encode()
    with urllib.request.urlopen(_request(forewarn, machine, "2020-07-01", body), timeout=10) as answer:
        return int(answer.status)


def _request(forewarn: Up, machine: str, version: str, body: bytes | None = None) -> urllib.request.Request:
    url = f"{forewarn.machines[machine]}/metadata/scheduledevents?api-version={version}"
    return urllib.request.Request(url, data=body, headers={"Metadata": "true"})


def told(forewarn: Up, *words: str) -> Any:
    done = forewarn.cli("--json", *words)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_who_asks_once_a_day_stays_enrolled_however_the_clock_is_moved(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        forewarn.cli("schedule", "Reboot", "solo")
        before = document(forewarn, "solo")["DocumentIncarnation"]
        for _ in range(2):
            forewarn.cli("clock", "advance", "23h")
            assert document(forewarn, "solo")["DocumentIncarnation"] == before + 2
        forewarn.cli("clock", "advance", "24h")
        assert document(forewarn, "solo")["DocumentIncarnation"] == 1


def test_an_announced_event_outlives_a_kill_and_happens_when_its_time_has_come(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        forewarn.cli("schedule", "Reboot", "db-1")
        before = document(forewarn, "db-0")
        forewarn.kill()
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        assert document(forewarn, "db-2") == before
        forewarn.cli("clock", "advance", "15m")
        (event,) = document(forewarn, "db-0")["Events"]
        assert (event["EventStatus"], event["NotBefore"]) == ("Started", "")
        forewarn.cli("clock", "advance", "1m")
        after = document(forewarn, "db-0")
        assert after["Events"] == []
        assert after["DocumentIncarnation"] == before["DocumentIncarnation"] + 2


def test_answers_are_dated_by_the_fleet_s_clock(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        dates = []
        for _ in range(2):
            with urllib.request.urlopen(_request(forewarn, "solo", "2020-07-01"), timeout=10) as answer:
                dates.append(parsedate_to_datetime(answer.headers["Date"]))
            forewarn.cli("clock", "advance", "2h")
        assert dates[1] - dates[0] == timedelta(hours=2)


def test_pending_deletes_of_a_scale_set_wait_for_each_other(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        document(forewarn, "web_0")  # somebody listens from now on
        for name in ("web_0", "web_1"):
            assert forewarn.cli("delete", name).returncode == 0
        ids = {event["Resources"][0]: event["EventId"] for event in document(forewarn, "web_2")["Events"]}
        assert approve(forewarn, "web_0", ids["web_0"]) == 200
        assert {event["EventStatus"] for event in document(forewarn, "web_2")["Events"]} == {"Scheduled"}
        assert approve(forewarn, "web_1", ids["web_1"]) == 200
        assert {event["EventStatus"] for event in document(forewarn, "web_2")["Events"]} == {"Started"}
        forewarn.cli("clock", "advance", "1m")
        assert document(forewarn, "web_2")["Events"] == []
        names = {machine["name"] for machine in told(forewarn, "fleet")}
        assert {"web_0", "web_1"}.isdisjoint(names)
        assert "web_2" in names


def test_a_campaign_takes_one_update_domain_after_another(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        document(forewarn, "db-0")
        assert forewarn.cli("campaign", "start", "Reboot", "db").returncode == 0
        assert forewarn.cli("clock", "advance", "0s").returncode == 0  # its first event is a matter of now, too
        seen = []
        for _ in range(3):
            (event,) = document(forewarn, "db-0")["Events"]
            seen += event["Resources"]
            approve(forewarn, "db-0", event["EventId"])
            forewarn.cli("clock", "advance", "1m")
            assert document(forewarn, "db-0")["Events"] == [], "the scope is left alone to recover"
            forewarn.cli("clock", "advance", "30m")
        assert seen == ["db-0", "db-1", "db-2"]
        assert document(forewarn, "db-0")["Events"] == []


def test_an_operator_s_program_makes_the_impact_real(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.toml"
    done = tmp_path / "done"
    script = f'echo "$FOREWARN_EVENT_TYPE $FOREWARN_MACHINE" >> {done}'
    fleet.write_text(
        "[driver]\nkind = 'command'\n"
        + f"program = '/bin/sh'\nargs = ['-c', '''{script}''']\ntime_limit = '30s'\n[machine.one]\n"
    )
    with up(tmp_path / "data", "--fleet", str(fleet)) as forewarn:
        forewarn.cli("schedule", "Redeploy", "one", "--at-once")
        watched = forewarn.cli("events", "--watch", "--until-empty")
        assert watched.returncode == 0, watched.stderr
    assert done.read_text() == "Redeploy one\n"


def test_a_driver_that_keeps_failing_ends_in_a_failed_operation_and_no_event(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        document(forewarn, "solo")
        assert forewarn.cli("fail", "solo", "--times", "1000").returncode == 0
        operation = told(forewarn, "restart", "solo")
        forewarn.cli("clock", "advance", "1h")
        assert document(forewarn, "solo")["Events"] == []
        failed = told(forewarn, "operations", operation["id"])
        assert (failed["state"], failed["message"]) == ("Failed", "solo: it was told to fail")


def test_a_wrong_fleet_file_is_refused_with_its_line_and_nothing_is_loaded(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet.toml"
    fleet.write_text("[machine.good]\n\n[machine.bad]\nupdate_domian = 3\n")
    done = subprocess.run(
        [FOREWARN, "up", "--data", tmp_path / "data", "--fleet", fleet],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert re.search(r"fleet\.toml:4: .*update_domian.*update_domain", done.stderr)
    with up(tmp_path / "data", "--empty") as forewarn:
        assert forewarn.machines == {}


@pytest.mark.skipif(shutil.which("mcs") is None and not os.environ.get("CI"), reason="Mono is not installed")
@pytest.mark.parametrize(
    ("path", "options"),
    [
        pytest.param("metadata/scheduledevents?api-version=2017-03-01", (), id="with-incarnation"),
        pytest.param("metadata/latest/scheduledevents", ("ids-only",), id="ids-only"),
    ],
)
def test_a_net_framework_client_approves_without_the_metadata_header(
    tmp_path: Path, path: str, options: tuple[str, ...]
) -> None:
    client = compiled(WEBCLIENT, tmp_path)
    with up(tmp_path / "data", "--clock", "manual") as forewarn:
        forewarn.cli("schedule", "Reboot", "solo")
        done = subprocess.run(
            [*client, f"{forewarn.machines['solo']}/{path}", *options],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.splitlines() == ["Reboot Scheduled _solo", "Reboot Started _solo"]
        assert document(forewarn, "solo")["Events"][0]["EventStatus"] == "Started"
