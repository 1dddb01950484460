"""The metadata service as single questions, each asked until it is answered.

`alarm` is what gives a question up; None: nothing does.
"""

import json
import random
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar
from urllib.parse import quote

from forewarn.client.alarm import Alarm
from forewarn.client.beside import ABOUT, About, read_about
from forewarn.client.calling import Caller
from forewarn.client.clock import ServerClock
from forewarn.client.discovery import discover
from forewarn.client.documents import Document
from forewarn.client.errors import Interrupted, Unreachable, Unreadable
from forewarn.client.patience import Patience
from forewarn.client.reading import UNKNOWN_INCARNATION, is_empty, read_document
from forewarn.client.transport import Answer, Request, Transport

T = TypeVar("T")

_TOO_MANY = 429
_GRACE = 10.0  # seconds beyond those that a server was asked to park a request


class Service:
    def __init__(
        self,
        endpoint: str | None,
        version: str,
        transport: Transport,
        patience: Patience,
        rng: random.Random,
        clock: ServerClock,
    ) -> None:
        self._endpoint = endpoint
        self._version = version
        self._transport = transport
        self._patience = patience
        self._rng = rng
        self._caller = Caller(transport, patience, rng, clock)
        self._target = f"/metadata/scheduledevents?api-version={quote(version, safe='')}"
        self._enrolled = False
        self._about: About | None = None

    def endpoint(self, alarm: Alarm | None) -> str:
        if self._endpoint is None:
            self._endpoint = discover(self._transport, self._patience, self._rng, alarm=alarm)
        return self._endpoint

    def document(self, alarm: Alarm | None) -> Document:
        return self._caller.ask(self._question(alarm), self._read)

    def news(self, after: Document | None, park: int, until: float, alarm: Alarm) -> Document | None:
        """The document if the service sends one; None if it says that it has no other, or nothing at all.

        Refused with 429 if it cannot park one more.
        """

        def read(answer: Answer) -> Document | None:
            if answer.status == 304 and after is not None:
                self._enrolled = True
                return None
            return None if is_empty(answer.body) else self._read(answer)

        final = (_TOO_MANY,) if park else ()
        return self._caller.ask(self._question(alarm, after, park), read, until=until, final=final)

    def approve(self, ids: list[str], alarm: Alarm | None) -> None:
        body = {"StartRequests": [{"EventId": id} for id in ids]}
        self.post(self._target, body, lambda answer: None, alarm)

    def get(self, target: str, read: Callable[[Answer], T], alarm: Alarm | None, *, final: Collection[int] = ()) -> T:
        """`final`: statuses that mean what they say."""
        return self._caller.ask(self._request(target, alarm), read, final=final)

    def post(
        self,
        target: str,
        body: object,
        read: Callable[[Answer], T],
        alarm: Alarm | None,
        *,
        final: Collection[int] = (),
    ) -> T:
        request = Request(
            endpoint=self.endpoint(alarm),
            target=target,
            method="POST",
            fields={"Content-Type": "application/json"},
            body=json.dumps(body).encode(),
            connect=self._patience.connect,
            timeout=self._patience.answer,
            alarm=alarm,
        )
        return self._caller.ask(request, read, final=final)

    def about(self, alarm: Alarm | None) -> About:
        """Asked once; again as long as the service cannot say."""
        if self._about is None:
            request = replace(self._request(ABOUT, alarm), timeout=self._patience.connect)
            try:
                answer = self._caller.once(request)
            except Interrupted:
                raise
            except (Unreachable, Unreadable):
                return About()
            if self._patience.with_status(answer.status) and answer.status != 404:
                return About()
            self._about = read_about(answer.body) if answer.status == 200 else About()
        return self._about

    def _question(self, alarm: Alarm | None, after: Document | None = None, park: int = 0) -> Request:
        known = after is not None and (after.etag or after.incarnation != UNKNOWN_INCARNATION)
        condition = {"If-None-Match": after.etag or f'"{after.incarnation}"'} if after and known else {}
        timeout = self._patience.answer if self._enrolled else self._patience.first
        return Request(
            endpoint=self.endpoint(alarm),
            target=f"{self._target}&wait={park}" if park and condition else self._target,
            fields=condition,
            connect=self._patience.connect,
            timeout=max(timeout, park + _GRACE) if park else timeout,
            alarm=alarm,
        )

    def _request(self, target: str, alarm: Alarm | None) -> Request:
        return Request(
            endpoint=self.endpoint(alarm),
            target=target,
            connect=self._patience.connect,
            timeout=self._patience.answer,
            alarm=alarm,
        )

    def _read(self, answer: Answer) -> Document:
        document = read_document(answer.body, answer.fields, self._version)
        self._enrolled = True
        return document
