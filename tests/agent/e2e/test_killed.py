"""Killed at any write of its journal and started again, the agent ends in the same state: every hook has run once."""

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from os import kill
from pathlib import Path

import pytest

from forewarn.agent.records import Record, Stage
from tests.agent.e2e.fleet import Machine, Rig, rig
from tests.waiting import until

STEPS = ("a", "b", "c")
EXPECTED = [f"prepare {name} Reboot" for name in STEPS] + [f"restore {name} Reboot" for name in reversed(STEPS)]
MACHINES = 60
FLEET = '[driver]\nkind = "simulated"\n' + "".join(f"[machine.vm{number}]\n" for number in range(MACHINES))


class Lives:
    """One agent's life after another."""

    def __init__(self) -> None:
        words = [sys.executable, "-m", "tests.agent.e2e.killing"]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._said: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._pid = 0
        self.is_over = True
        self.was_killed = False

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._said.put(line)

    def begin(self, config: Path, at: int = 0, when: str = "-") -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{config} {at} {when}\n")
        self._process.stdin.flush()
        self._pid = int(self._said.get(timeout=30))
        self.is_over = False

    def look(self) -> bool:
        """Whether it is over."""
        if not self.is_over and not self._said.empty():
            self._hear_end()
        return self.is_over

    def end(self) -> bool:
        """Asks it to stop. Says whether it was killed before it could hear that."""
        if not self.look():
            with suppress(ProcessLookupError):
                kill(self._pid, signal.SIGTERM)
            self._hear_end()
        return self.was_killed

    def _hear_end(self) -> None:
        _, status = self._said.get(timeout=30).split()
        self.is_over, self.was_killed = True, int(status) == signal.SIGKILL

    def close(self) -> None:
        self.end()
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)
        assert self._process.stdout is not None
        self._process.stdout.close()


@contextmanager
def lives() -> Iterator[Lives]:
    built = Lives()
    try:
        yield built
    finally:
        built.close()


@dataclass
class Case:
    """How an event goes on once the machine is prepared for it."""

    approve: str
    proceed: Callable[[Rig, str, Record | None], bool]
    ends: str
    writes: int
    """Of the journal in the life of such an event, at least: 102 kills in all three."""


def reboot(fleet: Rig, event: str, record: Record | None) -> bool:
    """The agent approves, the platform starts, and a minute later it is done."""
    if fleet.phase(event) != "Started":
        return False
    fleet.advance("1m")
    return True


def run_out(fleet: Rig, event: str, record: Record | None) -> bool:
    """Nobody approves: it starts when its notice is over."""
    if record is None or record.stage is not Stage.READY:
        return False
    fleet.advance("16m")
    return True


def cancel(fleet: Rig, event: str, record: Record | None) -> bool:
    if record is None or record.stage is not Stage.READY:
        return False
    fleet.control.post(f"/events/{event}/cancel")
    return True


CASES = {
    "approved": Case("own", reboot, "Completed", 18),
    "not approved": Case("never", run_out, "Completed", 17),
    "cancelled": Case("never", cancel, "Canceled", 16),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_an_agent_killed_at_every_write_restores_exactly_once(case: Case, tmp_path: Path) -> None:
    kills = 0
    with rig(tmp_path, FLEET) as fleet, lives() as agent:
        names = (f"vm{number}" for number in count())
        for when in ("before", "after"):
            for at in count(1):
                was_killed = play(fleet, agent, fleet.machine(next(names)), case, at, when)
                kills += was_killed
                if not was_killed:
                    break
    assert kills >= 2 * case.writes, "each write was tried twice"


def play(fleet: Rig, agent: Lives, machine: Machine, case: Case, at: int, when: str) -> bool:
    """One event, with the agent killed on the way. False if its life was too short for that."""
    rules = f"[[rules]]\nsteps = {list(STEPS)}\n"
    machine.configure(fleet.endpoint(machine.name), steps=STEPS, rules=rules, approve=case.approve)
    agent.begin(machine.config, at, when)
    until(lambda: fleet.control.get(f"/scopes/{machine.name}")["enrolled_at"], "the agent asks")
    event = str(fleet.control.post(f"/machines/{machine.name}/restart")["event"])
    state = {"went on": False, "killed": False}

    def look() -> bool:
        if agent.look():
            assert not state["killed"], machine.said()
            state["killed"] = True
            agent.begin(machine.config)
        record = machine.records().get(event)
        state["went on"] = state["went on"] or case.proceed(fleet, event, record)
        return record is not None and record.stage is Stage.OVER

    until(lambda: look() or None, f"{machine.name} is restored, killed {when} write {at}")
    state["killed"] = agent.end() or state["killed"]
    assert machine.did() == EXPECTED, f"killed {when} write {at}:\n{machine.said()}"
    assert fleet.phase(event) == case.ends
    return state["killed"]
