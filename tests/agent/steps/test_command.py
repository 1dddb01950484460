"""The command step, with real programs."""

import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from forewarn.agent.errors import BadConfig, StepFailed, Stopped, Suspended, TimeIsUp
from forewarn.agent.options import read_options
from forewarn.agent.steps.command import Command
from tests.agent.turn import REBOOT, ATurn
from tests.waiting import until


@pytest.fixture
def turn(tmp_path: Path) -> ATurn:
    return ATurn(spool=tmp_path)


def is_running(pid: Path) -> bool:
    stat = Path("/proc") / pid.read_text().strip() / "stat"
    return stat.exists() and " Z " not in stat.read_text()


def test_the_program_learns_of_the_event_from_variables_and_from_its_input(turn: ATurn) -> None:
    Command(prepare_command="env >env; cat >input", directory=turn.spool).prepare(turn)
    variables = dict(line.split("=", 1) for line in (turn.spool / "env").read_text().splitlines())
    told = {name: value for name, value in variables.items() if name.startswith("FOREWARN_")}
    assert told == {
        "FOREWARN_EVENT_ID": REBOOT.id,
        "FOREWARN_TYPE": "Reboot",
        "FOREWARN_STATUS": "Scheduled",
        "FOREWARN_RESOURCES": "web_0,web_1",
        "FOREWARN_NOT_BEFORE": "2026-11-02T22:18:47Z",
        "FOREWARN_DESCRIPTION": "Host maintenance",
        "FOREWARN_SOURCE": "Platform",
        "FOREWARN_DURATION": "9",
        "FOREWARN_ME": "web_0",
        "FOREWARN_DIRECTION": "prepare",
        "FOREWARN_ATTEMPT": "1",
    }
    assert json.loads((turn.spool / "input").read_text()) == REBOOT.raw


def test_to_restore_the_other_program_runs_and_is_told_so(turn: ATurn) -> None:
    step = Command(
        prepare_command="false", restore_command='echo "$FOREWARN_DIRECTION $MORE"', environment={"MORE": "x"}
    )
    step.restore(turn)
    assert (turn.spool / "output").read_text() == "restore x\n"


def test_what_no_environment_can_hold_does_not_keep_the_program_from_running(turn: ATurn) -> None:
    turn.event = replace(REBOOT, description="null \0 and half a pair \ud800")
    Command(prepare_command='printf %s "$FOREWARN_DESCRIPTION"').prepare(turn)
    assert (turn.spool / "output").read_text() == "null  and half a pair ?"


def test_without_a_program_for_a_direction_nothing_is_done(turn: ATurn) -> None:
    Command(restore_command="true").prepare(turn)
    assert list(turn.spool.iterdir()) == []


def test_a_program_that_fails_is_quoted_with_its_last_words(turn: ATurn) -> None:
    with pytest.raises(StepFailed) as failure:
        Command(prepare_command="yes blah | head -c 1000000; echo no pool; exit 3").prepare(turn)
    assert "ended with status 3" in str(failure.value)
    assert str(failure.value).endswith("blah\nno pool")
    assert len(str(failure.value)) < 2000


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        pytest.param(Command(prepare_command="no-such-program"), "not found", id="no-such-program"),
        pytest.param(Command(prepare_command="true", directory=Path("/no/such")), "can't cd", id="no-such-directory"),
        pytest.param(Command(prepare_command="kill -9 $$"), "status 137", id="killed"),
        pytest.param(Command(prepare_command="kill -9 $PPID"), "was killed", id="killed-with-what-watches-over-it"),
    ],
)
def test_what_went_wrong_is_said(turn: ATurn, step: Command, reason: str) -> None:
    with pytest.raises(StepFailed, match=reason):
        step.prepare(turn)


def test_its_path_may_be_anything(turn: ATurn) -> None:
    Command(prepare_command="echo", environment={"PATH": "/no/such"}).prepare(turn)


def test_a_program_that_leaves_a_daemon_behind_has_ended(turn: ATurn) -> None:
    step = Command(prepare_command='sleep 60 & echo $! >"$PID"', environment={"PID": str(turn.spool / "pid")})
    step.prepare(turn)
    step.prepare(turn)  # as after a crash: the daemon has inherited the lock, but how it ended is known
    os.kill(int((turn.spool / "pid").read_text()), 15)


def test_at_the_limit_the_program_is_ended_with_its_children_even_if_it_will_not(tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path, limit=0.3)
    stubborn = "trap '' TERM; sleep 60 & echo $! >pid; wait; wait"
    with pytest.raises(TimeIsUp):
        Command(prepare_command=stubborn, directory=tmp_path).prepare(turn)
    assert not is_running(tmp_path / "pid")


def test_a_program_called_off_is_asked_to_end_and_runs_again_when_it_is_wanted_again(turn: ATurn) -> None:
    polite = "echo began >>log; trap 'echo asked >>log; exit 0' TERM; [ $FOREWARN_ATTEMPT = 2 ] || { sleep 60 & wait; }"
    step = Command(prepare_command=polite, directory=turn.spool)
    log = turn.spool / "log"

    def call_off() -> None:
        until(log.exists, "it has begun")
        turn.stop()

    threading.Thread(target=call_off).start()
    with pytest.raises(Stopped):
        step.prepare(turn)
    step.prepare(ATurn(spool=turn.spool, attempt=2))
    assert log.read_text().splitlines() == ["began", "asked", "began"]


def test_when_the_agent_is_stopped_the_program_runs_on_and_is_found_again(turn: ATurn) -> None:
    log = turn.spool / "log"
    step = Command(prepare_command="echo began >>log; while [ ! -e go ]; do sleep 0.01; done", directory=turn.spool)

    def stop_the_agent() -> None:
        until(log.exists, "it has begun")
        turn.stop(Suspended("the agent is stopping"))

    threading.Thread(target=stop_the_agent).start()
    with pytest.raises(Suspended):
        step.prepare(turn)
    (turn.spool / "go").touch()
    step.prepare(ATurn(spool=turn.spool, attempt=2))
    assert log.read_text() == "began\n"


def test_called_off_before_it_began_nothing_runs(turn: ATurn) -> None:
    turn.stop()
    with pytest.raises(Stopped):
        Command(prepare_command="touch ran", directory=turn.spool).prepare(turn)
    assert not (turn.spool / "ran").exists()


def test_a_failure_from_before_a_crash_stays_a_failure(turn: ATurn) -> None:
    step = Command(prepare_command="echo ran >>log; exit 1", directory=turn.spool)
    for _ in range(2):
        with pytest.raises(StepFailed, match="status 1"):
            step.prepare(turn)
    assert (turn.spool / "log").read_text() == "ran\n"


def test_an_agent_killed_anywhere_and_started_again_has_run_the_program_once(tmp_path: Path) -> None:
    killed = [sys.executable, "-m", "tests.agent.steps.killed", str(tmp_path)]
    done = subprocess.run(killed, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    counts = [int(line.split()[1]) for line in done.stdout.splitlines()]
    assert len(counts) > 50
    assert set(counts) == {1}


ORPHAN = """
import sys
from pathlib import Path
from forewarn.agent.steps.command import Command
from tests.agent.turn import ATurn
spool = Path(sys.argv[1])
Command(prepare_command=sys.argv[2], directory=spool).prepare(ATurn(spool=spool))
"""


def orphan(spool: Path, program: str) -> Command:
    """A step whose agent was killed while its program, which must write `began`, was under way."""
    agent = subprocess.Popen([sys.executable, "-c", ORPHAN, str(spool), program])
    until((spool / "began").exists, "it has begun")
    agent.kill()
    agent.wait()
    return Command(prepare_command=program, directory=spool)


def test_a_program_that_outlived_its_agent_is_waited_for(turn: ATurn) -> None:
    step = orphan(turn.spool, "echo began >>began; while [ ! -e go ]; do sleep 0.05; done; echo failed; exit 4")
    threading.Timer(0.2, (turn.spool / "go").touch).start()
    with pytest.raises(StepFailed, match="status 4: failed"):
        step.prepare(turn)
    assert (turn.spool / "began").read_text() == "began\n"
    assert turn.said == ["still under way since before the agent was started again: waiting for it"]


def test_a_program_that_outlived_its_agent_is_ended_at_the_limit(turn: ATurn) -> None:
    step = orphan(turn.spool, "echo $$ >began; sleep 60")
    with pytest.raises(TimeIsUp):
        step.prepare(ATurn(spool=turn.spool, limit=0.2))
    assert not is_running(turn.spool / "began")


def test_a_program_killed_half_way_with_its_agent_runs_again_and_knows_it(turn: ATurn) -> None:
    step = orphan(turn.spool, "echo $FOREWARN_ATTEMPT >>began; [ $FOREWARN_ATTEMPT = 2 ] || kill -9 0")
    step.prepare(ATurn(spool=turn.spool, attempt=2))
    assert (turn.spool / "began").read_text() == "1\n2\n"


def test_a_command_without_a_command_is_refused() -> None:
    with pytest.raises(BadConfig, match="'prepare_command' or 'restore_command' is wanted"):
        read_options(Command, {}, "steps.x")


def test_it_tells_what_it_runs() -> None:
    assert Command(prepare_command="drain --now").told() == ("run 'drain --now'", "")
