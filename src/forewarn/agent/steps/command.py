"""Runs a program before an event, and another one after it: exactly once, even when the agent is killed meanwhile.

A run must survive the agent, and who comes after must neither start it again nor miss how it ended. One lock sees to
both. It is a flock on a file in the spool, and belongs to the open file, not to a process: the run inherits it, so it
is held from before the run is started until the last of its processes is gone.

- Only who holds the lock and finds no exit status starts a run. So there are never two at a time.
- A run writes its exit status, durably, while it holds the lock. So who finds neither a run nor a status knows that
  there was no run, or that it was killed half-way (the machine went down, say). Then, and only then, it runs again,
  and FOREWARN_ATTEMPT tells the program that it is not the first.

The kernel lets go of a lock when its holders end, so there is no process id to mistake for another, before or after a
reboot. What is left is what nobody can mend from outside: a machine that loses power after the program's effect and
before its status is on the disk will run it again.
"""

import contextlib
import fcntl
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from forewarn.agent.errors import StepFailed, StepTrouble, Suspended
from forewarn.agent.templates import as_json, environment_of
from forewarn.agent.turns import Turn

POLL = 0.05
FIRST_POLL = 0.005
"""Most programs end at once; what takes longer is looked at less often."""
GRACE = 2.0
"""From SIGTERM to SIGKILL."""
TOLD = 1000
"""How many bytes of a program's last words an error repeats."""
RUN = """
(cd "$2" && exec /bin/sh -c "$1") <event.json >output 2>&1
echo $? >status.new && {
    command -p sync status.new
    command -p mv status.new status
    command -p sync .
}
"""
"""The run itself, in the spool: `command -p`, since the program's own PATH may have none of these."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    prepare_command: str = ""
    """What /bin/sh runs to prepare; "" for nothing."""
    restore_command: str = ""
    """What /bin/sh runs to restore; "" for nothing."""
    directory: Path = Path("/")
    """Where both run."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables for both, beside the agent's own and those that tell of the event."""

    def __post_init__(self) -> None:
        if not self.prepare_command and not self.restore_command:
            raise ValueError("'prepare_command' or 'restore_command' is wanted")

    def prepare(self, turn: Turn) -> None:
        if self.prepare_command:
            self._run_once(self.prepare_command, "prepare", turn)

    def restore(self, turn: Turn) -> None:
        if self.restore_command:
            self._run_once(self.restore_command, "restore", turn)

    def end(self, turn: Turn) -> None:
        _end(turn.spool, None)

    def told(self) -> tuple[str, str]:
        commands = self.prepare_command, self.restore_command
        prepare, restore = (f"run {command!r}" if command else "" for command in commands)
        return prepare, restore

    def _run_once(self, command: str, direction: str, turn: Turn) -> None:
        turn.pause(0)  # called off before it began
        run: subprocess.Popen[bytes] | None = None
        try:
            with _lock(turn.spool) as lock:
                _wait_for_run_before(turn, lock)
                if not _has_ended(turn.spool):
                    run = self._start(command, direction, turn, lock)
            for pause in _pauses():
                if run is None or run.poll() is not None:
                    break
                turn.pause(pause)
        except Suspended:  # it runs on, and who comes next finds it
            if run is not None:
                run.returncode = 0  # ours no more: nobody need be warned that it was left running
            raise
        except StepTrouble:
            _end(turn.spool, run)
            raise
        _judge(command, turn.spool)

    def _start(self, command: str, direction: str, turn: Turn, lock: int) -> subprocess.Popen[bytes]:
        (turn.spool / "event.json").write_bytes(as_json(turn.event))
        try:
            return subprocess.Popen(  # noqa: S603 (what the configuration says)
                ["/bin/sh", "-c", RUN, "sh", command, str(self.directory)],
                cwd=turn.spool,
                env={**os.environ, **self.environment, **_variables(direction, turn)},
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=(lock,),
            )
        except OSError as error:
            raise StepFailed(f"{command!r} could not be started: {error.strerror}") from None


def _variables(direction: str, turn: Turn) -> dict[str, str]:
    run = {"FOREWARN_DIRECTION": direction, "FOREWARN_ATTEMPT": str(turn.attempt)}
    facts = {**environment_of(turn.event, turn.me), **run}
    # JSON can say what no environment can hold.
    return {name: text.replace("\0", "").encode(errors="replace").decode() for name, text in facts.items()}


@contextlib.contextmanager
def _lock(spool: Path) -> Iterator[int]:
    """The file of the lock, not yet locked. Closing it here does not unlock it for a run that has inherited it."""
    file = os.open(spool / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield file
    finally:
        os.close(file)


def _wait_for_run_before(turn: Turn, lock: int) -> None:
    """Until it has ended, or there is none; then the lock is ours, unless its program left something that keeps it."""
    told = False
    while not _has_ended(turn.spool):
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if not told:
                turn.say("still under way since before the agent was started again: waiting for it")
            told = True
            turn.pause(POLL)


def _pauses() -> Iterator[float]:
    pause = FIRST_POLL
    while True:
        yield pause
        pause = min(1.5 * pause, POLL)


def _has_ended(spool: Path) -> bool:
    return (spool / "status").exists()


def _judge(command: str, spool: Path) -> None:
    try:
        status = int((spool / "status").read_text())
    except FileNotFoundError:
        raise StepFailed(f"{command!r} was killed, or its end could not be written to {spool}") from None
    if status != 0:
        words = _last_words(spool / "output")
        raise StepFailed(f"{command!r} ended with status {status}{': ' if words else ''}{words}")


def _last_words(output: Path) -> str:
    with output.open("rb") as file:
        file.seek(max(file.seek(0, os.SEEK_END) - TOLD, 0))
        return file.read(TOLD).decode(errors="replace").strip()


def _end(spool: Path, run: subprocess.Popen[bytes] | None) -> None:
    """Every process that has inherited the lock, and its group with it: first asked, then made to."""
    groups = _groups_of(_holders(spool / "lock"))
    for how in (signal.SIGTERM, signal.SIGKILL):
        for group in groups:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(group, how)
        patience = time.monotonic() + GRACE
        while any(map(_is_alive, groups)) and time.monotonic() < patience:
            time.sleep(POLL)
    if run is not None:
        run.poll()  # so that nothing of it stays


def _groups_of(processes: Iterable[int]) -> set[int]:
    groups = set()
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            groups.add(os.getpgid(process))
    return groups - {os.getpgrp()}


def _is_alive(group: int) -> bool:
    """Whether anybody in it still runs: who has ended, but has not been noticed by its parent, does not count."""
    for process in _processes():
        with contextlib.suppress(OSError):
            state, _, its_group, *_ = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            if int(its_group) == group and state not in "ZX":
                return True
    return False


def _holders(lock: Path) -> list[int]:
    path = os.path.realpath(lock)
    return [process for process in _processes() if path in _open_files(process)]


def _processes() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def _open_files(process: int) -> set[str]:
    files: set[str] = set()
    with contextlib.suppress(OSError):  # it has ended, or is not ours to look into
        for number in os.listdir(f"/proc/{process}/fd"):
            with contextlib.suppress(FileNotFoundError):  # closed just now
                files.add(os.readlink(f"/proc/{process}/fd/{number}"))
    return files
