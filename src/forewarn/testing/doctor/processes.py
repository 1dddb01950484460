"""The doctor's client: it ends when the doctor does, and how it ended and what it said is told to people."""

import os
import shutil
from collections.abc import Mapping, Sequence

from forewarn.testing.doctor.orders import CannotRun
from forewarn.testing.processes import ClientProcess

POLITE = 3.0
"""Seconds in which a client may end by itself."""
LAST_LINES = 8


STILL_THERE = '[ "$PPID" = "$1" ] || exit 1; shift; exec "$@"'
"""Whoever has ended before the kernel was told to watch is not noticed by it."""


def with_us(command: Sequence[str]) -> list[str]:
    """Ended by the kernel when we are, however that happens; where there is a program for that."""
    if shutil.which("setpriv") is None:
        return list(command)
    return ["setpriv", "--pdeathsig", "KILL", "--", "/bin/sh", "-c", STILL_THERE, "sh", str(os.getpid()), *command]


def started(command: Sequence[str], environment: Mapping[str, str]) -> ClientProcess:
    try:
        return ClientProcess(command, environment, polite=POLITE)
    except OSError as error:
        raise CannotRun(f"The client cannot be started: {error}.") from None


def ending(process: ClientProcess) -> str:
    """How it ended, for people."""
    status = process.status
    if status is None:
        return "it runs"
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def last_words(process: ClientProcess) -> str:
    return "\n".join(process.said.splitlines()[-LAST_LINES:]) or "It said nothing."
