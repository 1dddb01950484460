"""The command driver runs real programs."""

import asyncio
import os
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from forewarn.domain.events import Action
from forewarn.drivers.command import CommandDriver
from forewarn.engine.ports import Done, Failed, Running
from tests.drivers.test_simulated import ACTION, NOON
from tests.waiting import until

TOLD = replace(ACTION, fence=3, attempts=2)


def perform(driver: CommandDriver, action: Action = TOLD) -> Done | Running | Failed:
    return asyncio.run(driver.perform(action, NOON))


def driver(tmp_path: Path, script: str, limit: float = 30.0) -> CommandDriver:
    return CommandDriver([sys.executable, "-c", script], tmp_path / "markers", limit)


def test_the_program_learns_what_to_do_from_its_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOREWARN_CACHE", raising=False)  # for the tests themselves, and inherited
    out = tmp_path / "seen"
    script = (
        "import os, pathlib; "
        f"pathlib.Path({str(out)!r}).write_text('\\n'.join(f'{{k}}={{v}}' for k, v in sorted(os.environ.items()) "
        "if k.startswith('FOREWARN_')))"
    )
    assert perform(driver(tmp_path, script)) == Done()
    assert out.read_text().splitlines() == [
        "FOREWARN_ATTEMPT=2",
        "FOREWARN_EVENT_ID=EV",
        "FOREWARN_EVENT_SOURCE=User",
        "FOREWARN_EVENT_TYPE=Reboot",
        "FOREWARN_FENCE=3",
        "FOREWARN_MACHINE=web_0",
        "FOREWARN_OPERATION_ID=OP",
        "FOREWARN_SCOPE=web",
        "FOREWARN_STARTED_AT=Sun, 15 Nov 2026 12:00:00 GMT",
    ]


def test_a_failing_program_is_quoted(tmp_path: Path) -> None:
    outcome = perform(driver(tmp_path, "import sys; print('x' * 9000 + ' disk on fire', file=sys.stderr); sys.exit(7)"))
    assert isinstance(outcome, Failed)
    assert "ended with status 7" in outcome.reason
    assert outcome.reason.endswith("disk on fire")
    assert len(outcome.reason) < 700


def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    script = (
        "import subprocess, sys, pathlib; "
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']); "
        f"pathlib.Path({str(pid)!r}).write_text(str(child.pid)); child.wait()"
    )
    outcome = perform(driver(tmp_path, script, limit=2.0))
    assert isinstance(outcome, Failed)
    assert "longer than 2 s" in outcome.reason
    child = int(pid.read_text())
    until(lambda: not _runs(child), "the child has left, which takes a killed process a moment", 10)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"


def test_a_program_that_cannot_be_started_is_a_failure(tmp_path: Path) -> None:
    outcome = perform(CommandDriver([str(tmp_path / "nothing")], tmp_path / "markers"))
    assert isinstance(outcome, Failed)
    assert "could not be started: No such file" in outcome.reason


def test_what_has_succeeded_is_not_run_again_even_by_a_new_driver(tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    script = f"open({str(counter)!r}, 'a').write('x')"
    assert perform(driver(tmp_path, script)) == Done()
    assert perform(driver(tmp_path, script)) == Done()
    assert counter.read_text() == "x"


def test_what_has_failed_is_run_again(tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    script = f"f = open({str(counter)!r}, 'a+'); f.write('x'); f.seek(0); import sys; sys.exit(f.read() != 'xx')"
    assert isinstance(perform(driver(tmp_path, script)), Failed)
    assert perform(driver(tmp_path, script), replace(TOLD, fence=4)) == Done()


def test_an_older_fence_does_not_act(tmp_path: Path) -> None:
    counter = tmp_path / "runs"
    script = f"open({str(counter)!r}, 'a').write('x'); raise SystemExit(1)"
    perform(driver(tmp_path, script), replace(TOLD, fence=5))
    outcome = perform(driver(tmp_path, script), replace(TOLD, fence=4))
    assert outcome == Failed("another worker holds this action")
    assert counter.read_text() == "x"


@pytest.mark.parametrize("name", ["../../escape", "a/b", "x" * 60], ids=["dots", "slash", "long"])
def test_a_machine_s_name_cannot_leave_the_marker_folder(tmp_path: Path, name: str) -> None:
    assert perform(driver(tmp_path, ""), replace(TOLD, machine=name)) == Done()
    inside = sorted(os.listdir(tmp_path / "markers"))
    assert len(inside) == 2
    assert os.listdir(tmp_path) == ["markers"]
