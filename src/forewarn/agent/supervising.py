"""Telling the service manager how the agent is (sd_notify): ready, what it does, and that it is alive.

The watchdog is fed only after the loop has turned and while the watcher lives, so an agent that hangs is restarted.
Without NOTIFY_SOCKET nothing is told.
"""

import os
import socket
import threading
from collections.abc import Mapping
from contextlib import suppress
from time import clock_gettime_ns
from typing import Self

from forewarn.agent.loop import Agent
from forewarn.agent.pulse import Pulse
from forewarn.agent.status import summary_of
from forewarn.agent.watching import Watcher

OFTEN = 5.0
"""Seconds between two looks at what there is to tell."""
CLOCK_MONOTONIC = 1


class Supervisor:
    def __init__(self, agent: Agent, watcher: Watcher, environment: Mapping[str, str] = os.environ) -> None:
        self._agent = agent
        self._watcher = watcher
        self._pulse = Pulse(agent.post)
        self._address = environment.get("NOTIFY_SOCKET", "")
        self._period = min(_watchdog(environment) / 2, OFTEN)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)
        self._told = ""

    def __enter__(self) -> Self:
        if self._address:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._tell("STOPPING=1", "STATUS=stopping")

    def reloading(self) -> None:
        """Until `reloaded`; the manager wants to know since when."""
        self._tell("RELOADING=1", f"MONOTONIC_USEC={clock_gettime_ns(CLOCK_MONOTONIC) // 1000}")

    def reloaded(self) -> None:
        self._tell("READY=1")

    def _run(self) -> None:
        ready = False
        while not self._stop.is_set():
            if self._watcher.is_alive and self._pulse.beats(self._period):
                self._tell("WATCHDOG=1", *([] if ready else ["READY=1"]), *self._status())
                ready = True
            self._stop.wait(self._period if ready else 0.05)

    def _status(self) -> list[str]:
        told = summary_of(self._agent.journal.records(), self._watcher.trouble)
        if told == self._told:
            return []
        self._told = told
        return [f"STATUS={' '.join(told.split())}"]

    def _tell(self, *lines: str) -> None:
        if not self._address:
            return
        address = "\0" + self._address[1:] if self._address.startswith("@") else self._address
        with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as manager:
            manager.settimeout(1)
            manager.sendto("\n".join(lines).encode(), address)


def _watchdog(environment: Mapping[str, str]) -> float:
    """Seconds; for ever if there is none, or if it is another process's."""
    told, process = environment.get("WATCHDOG_USEC", ""), environment.get("WATCHDOG_PID", "")
    if not told.isdecimal() or not int(told) or process not in ("", str(os.getpid())):
        return float("inf")
    return int(told) / 1_000_000
