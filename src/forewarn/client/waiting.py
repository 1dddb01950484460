"""Waiting for news, without asking in vain and without believing the first that looks older.

A server that parks requests is asked once and answers when there is something to tell. Any other is polled: at most
once a second, and on condition that the document has changed.

Incarnations go up. One that went down is either the beginning of a new count (Azure forgets a machine that has not
asked for a day) or a copy that somebody kept; so it is asked for once more, and believed if it is still behind.
"""

import math

from forewarn.client.alarm import Alarm
from forewarn.client.documents import Document
from forewarn.client.errors import Interrupted, Refused, Unreachable, Unreadable
from forewarn.client.patience import Pace
from forewarn.client.reading import UNKNOWN_INCARNATION
from forewarn.client.service import Service

INTERVAL = 1.0  # seconds
FULL = 60.0  # seconds for which a service that has no room for one more is polled


class Waiting:
    def __init__(self, service: Service, pace: Pace, interval: float = INTERVAL) -> None:
        self._service = service
        self._pace = pace
        self._interval = max(interval, INTERVAL)
        self._next = 0.0
        """The moment from which on the service may be asked again."""
        self._parks_from = 0.0
        """The moment from which on it may be asked to park a request."""

    def wait(self, after: Document | None, timeout: float, alarm: Alarm) -> Document | None:
        until = self._pace.monotonic() + timeout
        heard = False
        while self._reach_turn(until, alarm):
            try:
                document = self._look(after, until, alarm)
            except Interrupted:
                raise
            except (Unreachable, Unreadable):
                if heard and self._pace.monotonic() >= until:
                    return None
                raise
            heard = True
            if document is not None and (after is None or is_news(document, after)):
                return document
            if self._pace.monotonic() >= until:
                return None
        return None

    def _reach_turn(self, until: float, alarm: Alarm) -> bool:
        """False if the time is over before the service may be asked again."""
        turn = self._next
        self._sleep(min(turn, until) - self._pace.monotonic(), alarm)
        return turn <= until

    def _look(self, after: Document | None, until: float, alarm: Alarm) -> Document | None:
        longest = self._service.about(alarm).wait if after is not None else 0
        asked = self._pace.monotonic()
        park = min(max(math.ceil(until - asked), 1), longest) if asked >= self._parks_from else 0
        self._next = asked + self._interval
        try:
            document = self._service.news(after, park, until, alarm)
        except Refused as error:
            if not park or error.status != 429:
                raise
            self._parks_from = asked + FULL
            return None
        if document is not None and after is not None and is_behind(document, after):
            self._sleep(INTERVAL, alarm)
            self._next = self._pace.monotonic() + INTERVAL
            return self._service.news(None, 0, until, alarm)
        if document is not None and (park or (after is None and self._service.about(alarm).wait)):
            self._next = asked  # it is told, and need not poll: what comes next is not kept from it
        return document

    def _sleep(self, seconds: float, alarm: Alarm) -> None:
        if seconds > 0:
            self._pace.sleep(seconds, alarm)
        if alarm.rung:
            raise Interrupted("Nothing is waited for any longer: somebody interrupted the client.")


def is_news(document: Document, after: Document) -> bool:
    """The events are looked at, too: not every server counts as it should."""
    return document.incarnation != after.incarnation or document.events != after.events


def is_behind(document: Document, after: Document) -> bool:
    return UNKNOWN_INCARNATION < document.incarnation < after.incarnation
