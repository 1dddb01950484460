"""The client: one object that asks the metadata service of this machine, and says that the machine is ready.

Several threads may use it. Nothing is asked before it is needed.
"""

import random
import socket
from typing import Self
from urllib.parse import quote

from forewarn.client.alarm import Alarm
from forewarn.client.beside import READY, Readiness, read_readiness
from forewarn.client.clock import ServerClock
from forewarn.client.documents import Document, Event
from forewarn.client.endpoints import read_endpoint
from forewarn.client.errors import Interrupted, Refused, Unreachable, Unreadable
from forewarn.client.identity import Identity
from forewarn.client.instance import VERSIONS, Instance, read_instance
from forewarn.client.patience import PATIENCE, Patience
from forewarn.client.service import Service
from forewarn.client.transport import HttpTransport, Transport
from forewarn.client.waiting import INTERVAL, Waiting
from forewarn.client.wall import wall_clock


class ScheduledEvents:
    """`endpoint`: found by itself if not given. `name`: what events call this machine, if that is known.

    `interval`: seconds between two looks where the server cannot hold a request back; never less than one.
    """

    def __init__(
        self,
        endpoint: str | None = None,
        *,
        name: str | None = None,
        version: str = "2020-07-01",
        transport: Transport | None = None,
        patience: Patience = PATIENCE,
        interval: float = INTERVAL,
        rng: random.Random | None = None,
    ) -> None:
        if endpoint is not None:
            read_endpoint(endpoint)  # what is none is told at once
        self.clock = ServerClock(patience.pace.monotonic, wall_clock)
        self._name = name or ""
        self._transport = HttpTransport() if transport is None else transport
        self._alarm = Alarm()
        rng = random.Random() if rng is None else rng  # noqa: S311  it spreads retries, and guards nothing
        self._service = Service(endpoint, version, self._transport, patience, rng, self.clock)
        self._waiting = Waiting(self._service, patience.pace, interval)

    @property
    def endpoint(self) -> str:
        """Raises NoEndpoint if none was found; asked again, it looks again."""
        return self._service.endpoint(self._armed)

    def document(self) -> Document:
        """What is going to happen, as of now. The first time, a host may take two minutes."""
        return self._service.document(self._armed)

    def wait(self, after: Document | None = None, timeout: float = 60.0) -> Document | None:
        """The next document that is not `after`; None if none came within `timeout` seconds."""
        if not self._alarm.rung:
            try:
                return self._waiting.wait(after, timeout, self._alarm)
            except Interrupted:
                pass
        self._alarm.clear()
        return None

    def approve(self, *events: Event | str) -> None:
        """They may start now, for all their machines. To say it again does no harm."""
        if events:
            self._service.approve([_id(event) for event in events], self._armed)

    def instance(self) -> Instance:
        *newer, oldest = VERSIONS
        for version in newer:
            try:
                return self._instance(version)
            except Refused as error:
                if error.status != 400:
                    raise
        return self._instance(oldest)

    def me(self) -> Identity:
        """Who this machine is; the metadata is not asked if a name was given."""
        host = socket.gethostname()
        if self._name:
            return Identity(name=self._name, host=host)
        try:
            instance = self.instance()
        except (Refused, Unreadable):
            return Identity(host=host)
        except Unreachable as error:
            if error.status != 404:
                raise
            return Identity(host=host)
        return Identity(resource=instance.name, computer_name=instance.computer_name, host=host)

    def ready(self, event: Event | str, ready: bool = True) -> Readiness | None:
        """Say that this machine is ready for the event, or is not; None if the service does not take that."""
        if not self._service.about(self._armed).ready:
            return None
        body = {"EventId": _id(event), "Ready": ready}
        return self._service.post(READY, body, lambda answer: read_readiness(answer.body), self._armed, final=(404,))

    def readiness(self, event: Event | str) -> Readiness | None:
        """Who is ready for the event; None if the service does not know such a thing."""
        if not self._service.about(self._armed).ready:
            return None
        target = f"{READY}?event={quote(_id(event), safe='')}"
        return self._service.get(target, lambda answer: read_readiness(answer.body), self._armed, final=(404,))

    def interrupt(self) -> None:
        """From another thread or the handler of a signal: a wait() under way returns None, or else the next one does.

        Any other call that is under way raises Interrupted; one that begins later is left to end.
        """
        self._alarm.ring()

    def close(self) -> None:
        self._transport.close()
        self._alarm.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def _armed(self) -> Alarm | None:
        """Who has been told to stop, and asks yet, wants to know."""
        return None if self._alarm.rung else self._alarm

    def _instance(self, version: str) -> Instance:
        target = f"/metadata/instance?api-version={version}"
        return self._service.get(target, lambda answer: read_instance(answer.body), self._armed)


def _id(event: Event | str) -> str:
    id = event if isinstance(event, str) else event.id
    if not id:
        raise ValueError("the event has no id")
    return id
