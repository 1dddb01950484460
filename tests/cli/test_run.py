"""`forewarn run`, `forewarn scenario` and `forewarn record`, as somebody types them."""

import contextlib
import io
import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from forewarn.cli import main
from forewarn.cli.output import Output
from forewarn.cli.run import split_command
from forewarn.cli.staging import staged
from forewarn.testing import Forewarn
from forewarn.testing.scenarios import names, play, shipped, text_of
from tests.cli.shell import Said

WRONG = text_of("sudden-failure").replace('started = "at-once"', 'started = "at-not-before"')
CLIENT = """
import json, os, time, urllib.request
url = os.environ["FOREWARN_METADATA_URL"] + "/metadata/scheduledevents?api-version=2020-07-01"
while True:
    ask = urllib.request.Request(url, headers={"Metadata": "true"})
    ids = [{"EventId": event["EventId"]} for event in json.load(urllib.request.urlopen(ask))["Events"]]
    if ids:
        body = json.dumps({"StartRequests": ids}).encode()
        urllib.request.urlopen(urllib.request.Request(url, body, {"Metadata": "true"})).read()
    time.sleep(0.02)
"""


def forewarn(*words: str) -> Said:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as ended:
            status = int(ended.code or 0)
    return Said(status, out.getvalue(), err.getvalue())


def test_a_scenario_that_holds_ends_with_0_and_tells_its_story() -> None:
    said = forewarn("run", "sudden-failure")
    assert said.status == 0
    assert "         +1m  ▶ hardware-failure Reboot db-0 as failure\n" in said.out
    assert "         +1m  ✓ the others of the set see it, and nobody else does\n" in said.out
    assert "sudden-failure: all 5 expectations held; 2m of fleet time in " in said.out


def test_one_that_does_not_hold_ends_with_1_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "mine.toml").write_text(WRONG)
    said = forewarn("run", "sudden-failure", str(tmp_path / "mine.toml"), "--junit", str(tmp_path / "junit.xml"))
    assert said.status == 1
    assert "started at-once instead of at-not-before" in said.out
    line = WRONG[: WRONG.index("[[expect]]")].count("\n") + 1
    assert f"mine.toml:{line}: the event failure" in said.out
    assert "Reboot of db-0 (Completed), event " not in said.out  # it was not over at that moment
    assert "Reboot of db-0 (Started), event " in said.out
    suites = ET.fromstring((tmp_path / "junit.xml").read_text())
    assert [suite.get("failures") for suite in suites] == ["0", "1"]
    assert sum(1 for _ in suites.iter("testcase")) == 10


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        pytest.param(["run"], "Which scenario?", id="no-scenario"),
        pytest.param(["run", "nope"], "There is no file nope, and no shipped scenario", id="no-such-scenario"),
        pytest.param(["run", "nope.toml"], "nope.toml: No such file or directory.", id="no-such-file"),
        pytest.param(["run", "rollout", "--speed", "0"], "At a speed of 0", id="standstill"),
        pytest.param(["run", "rollout", "--", "true"], "with --client MACHINE", id="whose-client"),
        pytest.param(["run", "rollout", "--client", "x"], 'there is no machine "x"', id="no-such-machine"),
        pytest.param(["run", "rollout", "--against", "ftp://x"], "is not an address such as", id="no-address"),
        pytest.param(["run", "rollout", "--against", "http://127.0.0.1:9"], "does not answer", id="nobody-there"),
        pytest.param(["run", "rollout", "--junit", "/no/where.xml"], "No such file", id="nowhere-to-write"),
        pytest.param(["scenario", "nowhere"], "it is no recording", id="no-recording"),
        pytest.param(["record", "ftp://x"], "is no metadata endpoint", id="no-endpoint"),
    ],
)
def test_what_cannot_be_played_ends_with_2_and_says_why(words: list[str], reason: str) -> None:
    said = forewarn(*words)
    assert said.status == 2
    assert reason in said.out + said.err


def test_for_programs_there_is_json() -> None:
    said = forewarn("run", "sudden-failure", "--json", "--seed", "3")
    (report,) = said.json
    assert (report["scenario"], report["seed"], report["held"], report["lasted"]) == ("sudden-failure", 3, True, "PT2M")
    assert [expected["held"] for expected in report["expectations"]] == [True] * 5
    assert report["happenings"][2] == {"at": "PT1M", "about": "step", "text": "hardware-failure Reboot db-0 as failure"}


def test_what_is_shipped_can_be_listed_and_printed() -> None:
    assert [row[0] for row in forewarn("run", "--list").rows] == names()
    assert [shown["name"] for shown in forewarn("run", "--list", "--json").json] == names()
    assert forewarn("scenario", "rollout").out == text_of("rollout")


def test_a_real_client_is_started_for_its_machine_and_judged() -> None:
    words = ("run", "live-migration", "--speed", "100x", "--client", "solo", "--", sys.executable, "-c", CLIENT)
    said = forewarn(*words)
    assert said.status == 0, said


def test_everything_after_two_dashes_is_the_command_and_only_of_run() -> None:
    assert split_command(["run", "a", "--client", "b", "--", "c", "--", "d"]) == (
        ["run", "a", "--client", "b"],
        ["c", "--", "d"],
    )
    assert split_command(["approve", "--", "run"]) == (["approve", "--", "run"], [])


def test_what_clients_saw_is_recorded_and_becomes_a_scenario(tmp_path: Path) -> None:
    assert forewarn("run", "cancelled-maintenance", "--record", str(tmp_path)).status == 0
    said = forewarn("scenario", str(tmp_path / "solo"))
    assert said.status == 0
    (tmp_path / "mine.toml").write_text(said.out)
    assert forewarn("run", str(tmp_path / "mine.toml")).status == 0
    assert json.loads(forewarn("scenario", str(tmp_path / "solo"), "--json").out)["scenario"] == said.out


def test_an_endpoint_is_recorded_for_as_long_as_one_says(tmp_path: Path) -> None:
    with Forewarn.start() as kit:
        solo = kit.vm("solo")
        solo.schedule("Freeze")
        words = ("record", solo.metadata_url, "--for", "50ms", "--every", "20ms", "--out", str(tmp_path / "seen"))
        said = forewarn(*words)
    assert said.status == 0
    assert "Polling" in said.err
    scenario = forewarn("scenario", str(tmp_path / "seen")).out
    assert 'machine = "solo"' in scenario
    assert 'type = "Freeze"' in scenario
    assert forewarn("record", solo.metadata_url, "--for", "0s", "--out", str(tmp_path / "none"), "--json").status == 1


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_on_a_terminal_what_is_expected_is_ticked_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    screen = Terminal()
    scenario = shipped("sudden-failure")
    with staged(scenario, Output(as_json=False, file=screen)) as view:
        report = play(scenario, tell=view.tell, passed=view.passed)
    view.end(report)
    shown = screen.getvalue()
    assert "fleet time +1m" in shown
    assert "○ there was nothing to approve" in shown
    assert "✓ there was nothing to approve" in shown
    assert shown.endswith(" s.\n")
