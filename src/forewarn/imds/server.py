"""The metadata service: its listeners, its connections, and the beat that keeps their times."""

import asyncio
import logging
import resource
import socket
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from operator import length_hint
from typing import TypeVar

from forewarn.domain.events import Document
from forewarn.imds.connection import Connection
from forewarn.imds.doors import Door, Doors
from forewarn.imds.errands import Errands
from forewarn.imds.fleet import Fleet
from forewarn.imds.http import HeadReader
from forewarn.imds.limits import Limits
from forewarn.imds.listeners import BACKLOG, Listener
from forewarn.imds.ports import Backend, Clock, Identities
from forewarn.imds.replies import Stamp
from forewarn.imds.service import Rules, Service
from forewarn.imds.slots import Slot, Waiter

_log = logging.getLogger(__name__)

T = TypeVar("T")

_DESCRIPTORS_FOR_OTHERS = 64
_WOKEN_IN_A_ROW = 512


class Server:
    """Serves a fleet. Make it and use it in a running loop."""

    def __init__(
        self,
        *,
        fleet: Fleet,
        backend: Backend,
        clock: Clock,
        seed: str,
        identities: Identities | None = None,
        limits: Limits | None = None,
        rules: Rules | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """`seed`: a GUID of this server's own, the pattern of its request ids. `identities`: None if nobody has one."""
        self.limits = limits or Limits()
        self.loop = asyncio.get_running_loop()
        self.monotonic = monotonic
        self.reader = HeadReader(self.limits)
        self.service = Service(fleet, self.limits, rules or Rules(), monotonic)
        self.errands = Errands(backend, identities)
        self.stamp = Stamp(seed, clock.now)
        self.parked = 0
        self._room = min(self.limits.connections, _descriptors() - _DESCRIPTORS_FOR_OTHERS)
        self.doors = Doors(self.limits)
        self._connections: set[Connection] = set()
        self._deserted = asyncio.Event()  # the last connection has left
        self._listening: list[asyncio.Server] = []
        self._seen: dict[str, datetime] = {}
        self._next_beat: asyncio.TimerHandle | None = None
        self.beat()
        self._unwatch = fleet.watch(self)

    # For its owner.

    async def serve(self, listener: Listener) -> Callable[[], None]:
        """Call what is returned to take no more connections there."""
        made = []
        for listening in listener.sockets:
            unix = listening.family == socket.AF_UNIX
            make = self.loop.create_unix_server if unix else self.loop.create_server
            made.append(await make(lambda: self.connect(listener), sock=listening, backlog=BACKLOG))
        self._listening += made
        if self._next_beat is None:
            self._beat_on()
        return lambda: self._stop_listening(made)

    async def close(self) -> None:
        """Stop listening, let the backend finish what it works on, and close every connection."""
        self._unwatch()
        if self._next_beat is not None:
            self._next_beat.cancel()
        for listening in self._listening:
            listening.close()
        for connection in list(self._connections):
            connection.close()
        await self.errands.close(self.limits.drain_time)
        for connection in list(self._connections):
            connection.abort()
        if self._connections:
            self._deserted.clear()
            await self._deserted.wait()

    def beat(self) -> None:
        """End what took too long, and read the clock. Happens once per `limits.sweep` by itself."""
        now = self.monotonic()
        self.idle_until = now + self.limits.idle_time
        for connection in list(self._connections):
            if connection.deadline <= now or connection.stalled <= now:
                _tell(connection.expire, now)
        self.now = self.stamp.refresh()

    def take_seen(self) -> dict[str, datetime]:
        """The scopes somebody asked for since the last call, and when, by the fleet's clock."""
        seen, self._seen = self._seen, {}
        return seen

    @property
    def answers(self) -> int:
        """How many were given."""
        return self.stamp.count

    @property
    def connections(self) -> int:
        return len(self._connections)

    # For the fleet.

    def machines_changed(self) -> None:
        self.doors.forget_requests()

    def document_changed(self, slot: Slot, before: Document | None) -> None:
        if slot.waiters:
            waiting, slot.waiters = slot.waiters, {}
            self.loop.call_soon(self._wake, iter(waiting.items()))

    # For its connections.

    def connect(self, listener: Listener) -> Connection:
        return Connection(self, listener)

    def enter(self, connection: Connection, listener: Listener, transport: asyncio.BaseTransport) -> Door | None:
        """None: there is no room for another one."""
        door = self.doors.enter(listener, transport) if len(self._connections) < self._room else None
        if door is not None:
            self._connections.add(connection)
        return door

    def leave(self, connection: Connection, door: Door) -> None:
        self._connections.discard(connection)
        self.doors.leave(door)
        if not self._connections:
            self._deserted.set()

    def saw(self, slot: Slot) -> None:
        slot.seen = self._seen[slot.scope] = self.now

    def _stop_listening(self, there: list[asyncio.Server]) -> None:
        for listening in there:
            self._listening.remove(listening)
            listening.close()

    def _wake(self, waiting: Iterator[tuple[Waiter, object]]) -> None:
        """Some at a time, so that a crowd does not hold up everybody else."""
        for waiter, ticket in islice(waiting, _WOKEN_IN_A_ROW):
            _tell(waiter.wake, ticket)
        if length_hint(waiting):
            self.loop.call_soon(self._wake, waiting)

    def _beat_on(self) -> None:
        self._next_beat = self.loop.call_later(self.limits.sweep, self._beat_on)
        self.beat()


def _tell(tell: Callable[[T], None], what: T) -> None:
    """One connection's trouble must not be that of those after it."""
    try:
        tell(what)
    except Exception:
        _log.exception("a connection could not be told of %r", what)


def _descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return soft if soft != resource.RLIM_INFINITY else 1 << 30
