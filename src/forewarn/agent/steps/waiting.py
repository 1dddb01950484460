"""Waits before an event: for some time, until nobody uses a port any more, or until nobody listens on it.

It changes nothing, so there is nothing to undo; to restore, it can wait until a port is open again.
"""

import errno
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from forewarn.agent.durations import write_duration
from forewarn.agent.errors import StepFailed
from forewarn.agent.turns import Turn

POLL = 0.25
CONNECT = 1.0
OPEN_HERE = ("01", "08")
"""ESTABLISHED and CLOSE_WAIT: what this end has not closed, although the other one may have said all it had to say."""
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))


@dataclass(frozen=True, kw_only=True, slots=True)
class Wait:
    time: timedelta | None = None
    """Wait so long."""
    drained_port: int | None = None
    """Wait until this TCP port of this machine has no open connections."""
    closed_port: int | None = None
    """Wait until `host` refuses connections to this TCP port."""
    restore_open_port: int | None = None
    """To restore, wait until `host` accepts connections to this TCP port."""
    host: str = "127.0.0.1"
    """Whose port is to close or to open."""

    def __post_init__(self) -> None:
        for port in (self.drained_port, self.closed_port, self.restore_open_port):
            if port is not None and not 0 < port < 65536:
                raise ValueError(f"{port} is no port")
        waits = sum(one is not None for one in (self.time, self.drained_port, self.closed_port))
        if waits > 1 or (not waits and self.restore_open_port is None):
            raise ValueError("one of 'time', 'drained_port' and 'closed_port' is wanted")

    def prepare(self, turn: Turn) -> None:
        if self.time is not None:
            turn.pause(self.time.total_seconds())
        if self.drained_port is not None:
            _until_drained(self.drained_port, turn)
        if self.closed_port is not None:
            port = self.closed_port
            _until(lambda: _knock(self.host, port, turn) == errno.ECONNREFUSED, turn)

    def restore(self, turn: Turn) -> None:
        if self.restore_open_port is not None:
            port = self.restore_open_port
            _until(lambda: _knock(self.host, port, turn) == 0, turn)

    def told(self) -> tuple[str, str]:
        prepare = restore = ""
        if self.time is not None:
            prepare = f"wait {write_duration(self.time)}"
        if self.drained_port is not None:
            prepare = f"wait until port {self.drained_port} has no open connections"
        if self.closed_port is not None:
            prepare = f"wait until {self.host} refuses connections to port {self.closed_port}"
        if self.restore_open_port is not None:
            restore = f"wait until {self.host} accepts connections to port {self.restore_open_port}"
        return prepare, restore


def _until(true: Callable[[], bool], turn: Turn) -> None:
    turn.pause(0)
    while not true():
        turn.pause(POLL)


def _until_drained(port: int, turn: Turn) -> None:
    told: int | None = None
    turn.pause(0)
    while left := sum(1 for line in _connections() if _is_open_at(port, line)):
        if told is None or left <= told // 2:  # often enough to follow it, and not a line for every one of thousands
            turn.say(f"connections to port {port} still open: {left}")
            told = left
        turn.pause(POLL)


def _connections() -> Iterator[str]:
    for table in TABLES:
        try:
            with table.open() as lines:
                next(lines, None)  # the heading
                yield from lines
        except FileNotFoundError:  # a kernel without IPv6
            continue
        except OSError as error:
            raise StepFailed(f"{table} cannot be read: {error.strerror}") from None


def _is_open_at(port: int, line: str) -> bool:
    _, local, _, state, *_ = line.split(maxsplit=4)
    return state in OPEN_HERE and int(local.rpartition(":")[2], 16) == port


def _knock(host: str, port: int, turn: Turn) -> int:
    """0 if it is open, else why not. No answer at all is neither open nor closed."""
    try:
        with socket.create_connection((host, port), timeout=max(min(CONNECT, turn.left()), 0.01)):
            return 0
    except socket.gaierror as error:
        raise StepFailed(f"the host {host} is not known: {error.strerror}") from None
    except OSError as error:
        return error.errno or errno.ETIMEDOUT
