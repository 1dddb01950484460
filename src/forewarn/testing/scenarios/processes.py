"""A real client of a machine, in a process of its own, that finds its metadata endpoint in its environment."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Self

from forewarn.testing.handles import Machine
from forewarn.testing.kit import Forewarn
from forewarn.testing.processes import ClientProcess
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
    process: ClientProcess
    say: Callable[[str], None]

    @classmethod
    def start(cls, machine: Machine, command: Sequence[str], say: Callable[[str], None]) -> Self:
        environment = {**machine.environment, VARIABLE: machine.metadata_url}
        try:
            process = ClientProcess(command, environment, polite=FAREWELL)
        except OSError as error:
            raise CannotPlay(f"{command[0]}: {error.strerror or error}: it is to be {machine}'s client.") from None
        return cls(machine, process, say)

    def wait_for_poll(self, forewarn: Forewarn) -> None:
        """Before time goes by: a client that has just been started is not late."""
        deadline, after = time.monotonic() + PATIENCE, 0
        while time.monotonic() < deadline and self.process.status is None:
            if any(request["asked"] == "poll" for request in forewarn.requests(self.machine)):
                return
            after = forewarn.client.get("/requests", after=after, wait=0.2)["last"]
        ended = self.process.status
        why = (
            f"has not polled within {PATIENCE:g} s" if ended is None else f"ended with status {ended} before it polled"
        )
        self.say(f"{self.machine}'s client {why}")

    def stop(self) -> str:
        """Its last words, and how it ended if nobody asked it to."""
        ended = self.process.status
        self.process.end()
        words = self.process.said[-LAST_WORDS:]
        return words if ended is None else f"{words}\n(it ended by itself, with status {ended})".strip()
