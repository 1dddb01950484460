"""Asks until there is an answer worth having, or patience is over."""

import math
import random
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from forewarn.client.clock import ServerClock
from forewarn.client.dates import read_date
from forewarn.client.errors import ClientError, Interrupted, Refused, Unreachable, Unreadable
from forewarn.client.patience import Patience, Retry
from forewarn.client.reading import read_object, text_of
from forewarn.client.transport import Answer, Request, Transport

T = TypeVar("T")

_ADVICE = {
    400: "The request or its api-version is not taken there.",
    401: "This machine may not ask there.",
    403: "The service knows no machine at this address, or the machine may not ask for this.",
}


@dataclass(frozen=True, slots=True)
class _Trouble:
    """It may pass."""

    error: ClientError
    retry: Retry
    after: float = 0.0
    """Seconds the server wants to be left alone."""


class Caller:
    def __init__(self, transport: Transport, patience: Patience, rng: random.Random, clock: ServerClock) -> None:
        self._transport = transport
        self._patience = patience
        self._rng = rng
        self._clock = clock

    def ask(
        self,
        request: Request,
        read: Callable[[Answer], T],
        *,
        until: float = math.inf,
        final: Collection[int] = (),
    ) -> T:
        """`until`: trouble is given up at that moment. `final`: statuses that are Refused though they might pass."""
        pace = self._patience.pace
        failures, began = 0, 0.0
        while True:
            found = self._once(request, read, final)
            if not isinstance(found, _Trouble):
                return found
            failures += 1
            began = began if failures > 1 else pace.monotonic()
            delay = max(found.retry.delay(failures, self._rng), found.after)
            now = pace.monotonic()
            if now + delay > began + found.retry.total:
                raise found.error
            pace.sleep(max(min(delay, until - now), 0.0), request.alarm)
            if request.alarm is not None and request.alarm.rung:
                raise Interrupted(f"It was not tried again, since somebody interrupted the client: {found.error}")
            if now + delay > until:
                raise found.error

    def once(self, request: Request) -> Answer:
        """Whatever the status."""
        answer = self._transport.send(request)
        self._clock.hear(read_date(answer.fields.get("date", "")))
        return answer

    def _once(self, request: Request, read: Callable[[Answer], T], final: Collection[int]) -> T | _Trouble:
        patience = self._patience
        try:
            answer = self.once(request)
            if answer.status < 300 or answer.status == 304:
                return read(answer)
        except Interrupted:
            raise
        except Unreachable as error:
            return _Trouble(error, patience.broken)
        except Unreadable as error:
            return _Trouble(error, patience.unreadable)
        retry, said = patience.with_status(answer.status), _said(request, answer)
        if retry is None or answer.status in final:
            advice = _ADVICE.get(answer.status, "Asking again unchanged is in vain.")
            raise Refused(f"{said} {advice}", status=answer.status)
        return _Trouble(Unreachable(said, status=answer.status), retry, _retry_after(answer))


def _said(request: Request, answer: Answer) -> str:
    try:
        reason = text_of(read_object(answer.body).get("error")).strip().removesuffix(".")
    except Unreadable:
        reason = ""
    what = f"{request.method} {request.target.partition('?')[0]}"
    return f"{request.endpoint} answered {what} with {answer.status}{f': {reason}' if reason else ''}."


def _retry_after(answer: Answer) -> float:
    text = answer.fields.get("retry-after", "").strip()
    if text.isdecimal():
        return float(text)
    then, now = read_date(text), read_date(answer.fields.get("date", ""))
    return max((then - now).total_seconds(), 0.0) if then and now else 0.0
