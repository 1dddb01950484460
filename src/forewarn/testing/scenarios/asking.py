"""Asks the metadata endpoint as one machine, without holding up whoever plays where no answer comes."""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass, field
from typing import Any

from forewarn.client import Answer, ClientError, Request, Transport
from forewarn.client.alarm import Alarm
from forewarn.testing.metadata import PATH, approval_of

FIELDS = {"User-Agent": "forewarn-scenario", "Connection": "close"}
"""On a connection of its own, so that nothing depends on how long one is kept."""

GLANCE = 0.02
"""Seconds of real time after which it is looked up why there is no answer yet."""

PATIENCE = 150.0
"""Seconds of real time that an answer may take, where a fault delays it."""

LOST = "hang"
"""The fault after which no answer ever comes: it is not waited for."""


class InVain(Exception):
    """What came was no answer to the question. The text says what."""


@dataclass(slots=True)
class Voice:
    endpoint: str
    version: str
    transport: Transport
    pool: Executor
    requests: Callable[[], list[dict[str, Any]]]  # of this machine, as the server saw them
    _pending: "Future[Answer] | None" = None
    _alarm: Alarm = field(default_factory=Alarm)

    @property
    def waits(self) -> bool:
        return self._pending is not None

    def poll(self) -> None:
        """`heard` gives the answer."""
        self._ask(self._request("GET", None))

    def approve(self, events: Sequence[str]) -> None:
        """InVain if it was not taken."""
        self._ask(self._request("POST", approval_of(events)))
        answer = None
        while answer is None:
            answer = self.heard()
        if answer.status != 200:
            raise InVain(f"answered {answer.status}")

    def heard(self, seconds: float = GLANCE) -> Answer | None:
        """The answer, if it comes within so many seconds of real time. InVain if it never will."""
        assert self._pending is not None, "it has asked"
        try:
            answer = self._pending.result(seconds)
        except NotYet:
            self._give_up_if_lost()
            return None
        except ClientError as error:
            self._pending = None
            self._alarm.clear()
            raise InVain(str(error)) from None
        self._pending = None
        return answer

    def close(self) -> None:
        self._alarm.ring()
        if self._pending is not None:
            self._pending.exception()
        self.transport.close()
        self._alarm.close()

    def _ask(self, request: Request) -> None:
        self._pending = self.pool.submit(self.transport.send, request)

    def _give_up_if_lost(self) -> None:
        asked = self.requests()
        if asked and asked[-1]["status"] is None and LOST in asked[-1]["faults"]:
            self._alarm.ring()

    def _request(self, method: str, body: bytes | None) -> Request:
        return Request(
            endpoint=self.endpoint,
            target=f"{PATH}?api-version={self.version}",
            method=method,
            fields=FIELDS,
            body=body,
            timeout=PATIENCE,
            alarm=self._alarm,
        )
