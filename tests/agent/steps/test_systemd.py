"""The systemd step, against a real systemd."""

import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from forewarn.agent.errors import BadConfig, StepFailed, Stopped, TimeIsUp
from forewarn.agent.options import read_options
from forewarn.agent.steps.systemd import Unit
from tests.agent.steps.a_systemd import running_systemd
from tests.agent.turn import ATurn

A_SERVICE = "ExecStart=/bin/sleep 600"
A_SLOW_ONE = """
ExecStart=/bin/sh -c "trap 'sleep 1; touch %t/%n.down; exit 0' TERM; touch %t/%n.up; sleep 600 & wait"
ExecStartPost=/bin/sh -c "until [ -e %t/%n.up ]; do sleep 0.01; done"
KillMode=mixed
"""
"""It is started once it would hear that it shall stop."""


@pytest.fixture(scope="module")
def runtime() -> Iterator[Path]:
    with running_systemd() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", str(folder))
        yield folder


@pytest.fixture
def unit(runtime: Path, request: pytest.FixtureRequest) -> Callable[[str], Unit]:
    """Makes a unit, not yet started."""

    def make(service: str) -> Unit:
        name = f"{request.node.name.replace('_', '-')}.service"
        (runtime / "systemd" / "user" / name).write_text(f"[Service]\n{service}\n")
        return Unit(unit=name, user=True)

    return make


def systemctl(verb: str, unit: Unit) -> str:
    done = subprocess.run(["systemctl", "--user", verb, unit.unit], capture_output=True, text=True, check=False)
    return done.stdout.strip()


@pytest.fixture
def turn(tmp_path: Path) -> ATurn:
    return ATurn(spool=tmp_path)


def test_what_was_running_is_stopped_and_started_again(unit: Callable[[str], Unit], turn: ATurn) -> None:
    web = unit(A_SERVICE)
    systemctl("start", web)
    web.prepare(turn)
    assert systemctl("is-active", web) == "inactive"
    assert turn.kept == {"was_active": True}
    web.restore(turn)
    assert systemctl("is-active", web) == "active"


def test_what_was_not_running_is_not_started(unit: Callable[[str], Unit], turn: ATurn) -> None:
    web = unit(A_SERVICE)
    web.prepare(turn)
    web.restore(turn)
    assert systemctl("is-active", web) == "inactive"


def test_nothing_is_started_that_was_never_prepared(unit: Callable[[str], Unit], turn: ATurn) -> None:
    web = unit(A_SERVICE)
    web.restore(turn)
    assert systemctl("is-active", web) == "inactive"


def test_prepared_again_after_a_crash_it_still_knows_what_was_running(unit: Callable[[str], Unit], turn: ATurn) -> None:
    web = unit(A_SERVICE)
    systemctl("start", web)
    web.prepare(turn)
    web.prepare(turn)
    web.restore(turn)
    web.restore(turn)
    assert systemctl("is-active", web) == "active"


def test_it_waits_until_the_unit_is_down(unit: Callable[[str], Unit], runtime: Path, turn: ATurn) -> None:
    slow = unit(A_SLOW_ONE)
    systemctl("start", slow)
    slow.prepare(turn)
    assert (runtime / f"{slow.unit}.down").exists()
    assert systemctl("is-active", slow) == "inactive"


def test_a_unit_that_takes_too_long_is_given_up_and_can_be_started_again(
    unit: Callable[[str], Unit], tmp_path: Path
) -> None:
    slow = unit(A_SLOW_ONE)
    systemctl("start", slow)
    turn = ATurn(spool=tmp_path, limit=0.4)
    with pytest.raises(TimeIsUp):
        slow.prepare(turn)
    slow.restore(ATurn(spool=tmp_path, kept=turn.kept))
    assert systemctl("is-active", slow) == "active"


def test_it_can_be_called_off_while_it_waits(unit: Callable[[str], Unit], turn: ATurn) -> None:
    slow = unit(A_SLOW_ONE)
    systemctl("start", slow)
    threading.Timer(0.2, turn.stop).start()
    with pytest.raises(Stopped):
        slow.prepare(turn)


def test_a_job_that_was_done_meanwhile_is_no_failure(unit: Callable[[str], Unit], turn: ATurn) -> None:
    job = unit("Type=oneshot\nExecStart=/bin/true")
    turn.keep(was_active=True)
    job.restore(turn)


def test_a_unit_that_does_not_come_up_again_is_a_failure(unit: Callable[[str], Unit], turn: ATurn) -> None:
    broken = unit("Type=oneshot\nExecStart=/bin/false")
    turn.keep(was_active=True)
    with pytest.raises(StepFailed, match=r"did not start \(exit-code\); `systemctl status .*` tells why"):
        broken.restore(turn)


def test_a_unit_that_is_not_there_is_named(runtime: Path, turn: ATurn) -> None:
    with pytest.raises(StepFailed, match=r"there is no unit nothing\.service"):
        Unit(unit="nothing.service", user=True).prepare(turn)
    assert turn.kept == {}


def test_systemd_says_why_it_refuses(runtime: Path, turn: ATurn) -> None:
    (runtime / "systemd" / "user" / "masked.service").symlink_to("/dev/null")
    turn.keep(was_active=True)
    with pytest.raises(StepFailed, match="masked"):
        Unit(unit="masked.service", user=True).restore(turn)


def test_without_a_systemctl_the_failure_says_so(turn: ATurn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(StepFailed, match="systemctl cannot be run"):
        Unit(unit="web").prepare(turn)


@pytest.mark.parametrize("name", ["", "web@*"])
def test_only_one_unit_can_be_named(name: str) -> None:
    with pytest.raises(BadConfig, match="'unit' is the name of one unit"):
        read_options(Unit, {"unit": name}, "steps.x")


def test_it_tells_what_it_does() -> None:
    assert Unit(unit="web").told() == ("stop the unit web", "start the unit web, if it was running")
