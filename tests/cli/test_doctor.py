"""`forewarn doctor`, as it is typed."""

import json
import os
import signal
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from forewarn.testing import CannotReach, Forewarn
from forewarn.testing.doctor.telling import page
from tests.testing.doctor.patients import PROBE, ROOT
from tests.waiting import until

PROBED = ["--prepared", PROBE, "--patience", "4s", "--reaction", "1s"]
RIGHT = [sys.executable, "-m", "tests.testing.doctor.handlers.right", "{metadata}", "{machine}", PROBE, "0.1"]
DIES = [sys.executable, "-m", "tests.testing.doctor.handlers.wrong", "DiesOf500", *RIGHT[3:]]
LINK_LOCAL = [*RIGHT[:3], "http://169.254.169.254", "vm_1", *RIGHT[5:]]


DOCTOR = [sys.executable, "-m", "forewarn.cli", "doctor"]


def environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}


def doctor(*words: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*DOCTOR, *words], capture_output=True, text=True, timeout=120, check=False, env=environment()
    )


def test_a_right_client_is_told_so() -> None:
    done = doctor(*PROBED, "--only", "own-event", "--only", "reset", "--", *RIGHT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "approves it and undoes that when it is over. It was reached by url." in done.stdout
    assert "  passed          own-event             … does something about an event of its own machine" in done.stdout
    assert done.stdout.endswith(": 2 passed.\n")


def test_a_wrong_one_is_told_what_and_shown_why(tmp_path: Path) -> None:
    files = ["--junit", str(tmp_path / "junit.xml"), "--badge", str(tmp_path / "badge.svg")]
    only = ["--only", "status-500", "--only", "status-503", "--only", "others-approval"]
    done = doctor(*PROBED, *only, *files, "--json", "--", *DIES)
    assert (done.returncode, done.stderr) == (1, "")
    told = json.loads(done.stdout)
    assert told["counts"] == {"passed": 2, "failed": 1, "does not apply": 0, "not tried": 0}
    assert told["client"]["approves"]
    (wrong,) = [check for check in told["checks"] if check["verdict"] == "failed"]
    assert wrong["id"] == "status-500"
    assert "It has ended (exit status 1)" in wrong["reason"]
    assert "the metadata service answered HTTP Error 500" in wrong["reason"]
    assert any("answered 500, met status" in seen["text"] for seen in wrong["evidence"])

    suite = ET.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "0")
    (failure,) = suite.iter("failure")
    assert "exit status 1" in (failure.get("message") or "")
    assert "answered 500" in (failure.text or "")
    assert "2 of 3 passed" in (tmp_path / "badge.svg").read_text()
    ET.parse(tmp_path / "badge.svg")


@pytest.mark.parametrize("way", ["namespace", "proxy"])
def test_a_client_that_knows_one_address_is_reached(way: str) -> None:
    if way == "namespace":
        try:
            with Forewarn.start() as kit:
                _ = kit.network
        except CannotReach as error:
            if os.environ.get("CI"):
                pytest.fail(f"CI must be able to make network namespaces: {error}")
            pytest.skip(str(error))
    done = doctor(*PROBED, "--by", way, "--only", "prepares-first", "--json", "--", *LINK_LOCAL)
    assert (done.returncode, json.loads(done.stdout)["by"]) == (0, way), done.stderr


CANNOT = {
    "not-there": (["--", "/nowhere/client"], "The client cannot be started: there is no program /nowhere/client."),
    "ends": (
        ["--", "sh", "-c", "echo no licence >&2; exit 7"],
        "ended before it asked for events (exit status 7):\nno l",
    ),
    "never-asks": (
        ["--settling", "300ms", "--by", "url", "--", "sleep", "60"],
        "did not ask for events within 0.3 s, re",
    ),
    "always-prepared": (
        ["--settling", "2s", "--prepared-gone", "{directory}/never", "--", *RIGHT],
        "The file {directory}/never is gone before anything was announced, so it would not be seen that the client pre",
    ),
    "no-command": ([], "say which client: forewarn doctor [options] -- COMMAND"),
    "no-such-check": (
        ["--only", "luck", "--", "sleep", "60"],
        "There is no check 'luck'; `forewarn doctor --list` has",
    ),
}


@pytest.mark.parametrize(("words", "told"), CANNOT.values(), ids=CANNOT)
def test_what_cannot_be_run_is_told_with_status_2(words: list[str], told: str) -> None:
    done = doctor(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_and_in_json() -> None:
    done = doctor("--json", "--", "/nowhere/client")
    told = json.loads(done.stdout)
    assert (done.returncode, told["checks"]) == (2, [])
    assert "no program /nowhere/client" in told["trouble"]


@pytest.mark.parametrize(("sent", "running", "status"), [(signal.SIGINT, 3, 130), (signal.SIGKILL, 1, -signal.SIGKILL)])
def test_no_client_outlives_the_doctor(sent: signal.Signals, running: int, status: int, tmp_path: Path) -> None:
    noted = ["sh", "-c", f'echo $$ >>{tmp_path}/clients; exec "$@"', "sh", *RIGHT]
    with subprocess.Popen([*DOCTOR, *PROBED, "--", *noted], env=environment(), stderr=subprocess.DEVNULL) as process:
        until(lambda: len(clients(tmp_path)) >= running, "they run")
        process.send_signal(sent)
        assert process.wait(30) == status
    until(lambda: not any(Path(f"/proc/{client}/exe").exists() for client in clients(tmp_path)), "none is left")


def clients(folder: Path) -> list[str]:
    file = folder / "clients"
    return file.read_text().split() if file.exists() else []


def test_the_checks_are_listed() -> None:
    done = doctor("--list")
    assert done.returncode == 0
    assert "\nstatus-410            survives being answered 410\n" in done.stdout


def test_the_page_of_the_checks_is_up_to_date() -> None:
    """`python -m forewarn.testing.doctor > docs/reference/doctor.md`"""
    assert (ROOT / "docs" / "reference" / "doctor.md").read_text() == page()
