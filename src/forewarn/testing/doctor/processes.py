"""The client as a process: started, looked at, ended with all it has started."""

import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from forewarn.testing.doctor.orders import CannotRun

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


class Process:
    def __init__(self, command: Sequence[str], environment: Mapping[str, str], directory: Path) -> None:
        self._output = directory / "output.log"
        try:
            with self._output.open("wb") as output:
                self._process = subprocess.Popen(  # noqa: S603  whoever runs the doctor has given it
                    command,
                    env={**os.environ, **environment},
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                )
        except OSError as error:
            raise CannotRun(f"The client cannot be started: {error}.") from None

    @property
    def status(self) -> int | None:
        """None: it runs."""
        return self._process.poll()

    @property
    def ending(self) -> str:
        """How it ended, for people."""
        status = self.status
        if status is None:
            return "it runs"
        return f"killed by signal {-status}" if status < 0 else f"exit status {status}"

    @property
    def last_words(self) -> str:
        lines = self._output.read_text(errors="replace").strip().splitlines()
        return "\n".join(lines[-LAST_LINES:]) or "It said nothing."

    def end(self) -> None:
        self._signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(POLITE)
        self._signal(signal.SIGKILL)
        self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        """To all that it has started, too."""
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, number)
