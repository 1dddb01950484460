"""A real client of a machine, in a process of its own, that finds its metadata endpoint in its environment."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Self

from forewarn.testing.handles import Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.errors import CannotPlay

VARIABLE = "FOREWARN_METADATA_URL"
PATIENCE = 30.0
"""Seconds of real time in which a client polls for the first time."""

FAREWELL = 5.0
"""Seconds of real time in which it ends after SIGTERM."""

LAST_WORDS = 4000


@dataclass(slots=True)
class Process:
    machine: Machine
    process: "subprocess.Popen[bytes]"
    output: IO[bytes]
    say: Callable[[str], None]

    @classmethod
    def start(cls, machine: Machine, command: Sequence[str], say: Callable[[str], None]) -> Self:
        output = tempfile.TemporaryFile(prefix="forewarn-client-")  # noqa: SIM115  it ends with the process
        environment = {**os.environ, **machine.environment, VARIABLE: machine.metadata_url}
        try:
            process = subprocess.Popen(  # noqa: S603  whoever plays says which
                command,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        except OSError as error:
            output.close()
            raise CannotPlay(f"{command[0]}: {error.strerror or error}: it is to be {machine}'s client.") from None
        return cls(machine, process, output, say)

    def wait_for_poll(self, forewarn: Forewarn) -> None:
        """Before time goes by: a client that has just been started is not late."""
        deadline, after = time.monotonic() + PATIENCE, 0
        while time.monotonic() < deadline and self.process.poll() is None:
            if any(request["asked"] == "poll" for request in forewarn.requests(self.machine)):
                return
            after = forewarn.client.get("/requests", after=after, wait=0.2)["last"]
        ended = self.process.poll()
        why = (
            f"has not polled within {PATIENCE:g} s" if ended is None else f"ended with status {ended} before it polled"
        )
        self.say(f"{self.machine}'s client {why}")

    def stop(self) -> str:
        """Its last words, and how it ended if nobody asked it to."""
        ended = self.process.poll()
        self._end()
        self.output.seek(0, os.SEEK_END)
        self.output.seek(max(0, self.output.tell() - LAST_WORDS))
        words = self.output.read().decode(errors="replace").strip()
        self.output.close()
        return words if ended is None else f"{words}\n(it ended by itself, with status {ended})".strip()

    def _end(self) -> None:
        for number in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(FAREWELL)
                return
