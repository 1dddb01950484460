"""Requests that are not answered the plain way: somebody looks on, or something is to go wrong.

None of this is on the way of a server that nobody meddles with.
"""

import re
from asyncio import TimerHandle
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from forewarn.domain.events import Document
from forewarn.domain.faults import Seen, shifted
from forewarn.imds.http import Head
from forewarn.imds.slots import ANY, Guest, tag_of
from forewarn.wire.answers import Answer
from forewarn.wire.dates import parse_date, rfc1123

View = Callable[[Document], Document]
Shown = MutableMapping[Guest, Document]
"""What each machine was last shown instead of the right document."""

_incarnation = re.compile(rb'\r\n\r\n\{"DocumentIncarnation":([0-9]+)')


@dataclass(kw_only=True, slots=True)
class Case:
    """One request that is looked at. What is not set is as always."""

    seen: Seen
    guest: Guest
    shown: Shown
    answered: Callable[[Seen], object]
    answer: Answer | None = None  # instead of the right one
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    truncated: bool = False
    content_type: str | None = None
    date_skew: timedelta = timedelta(0)
    no_date: bool = False
    views: list[View] = field(default_factory=list)
    later: TimerHandle | None = None  # goes on with it, after a delay
    waits_until: float | None = None  # in real time, if it waits for another document

    def drop(self) -> None:
        """The client is gone."""
        if self.later is not None:
            self.later.cancel()

    def shows(self, document: Document) -> Document:
        for view in self.views:
            document = view(document)
        return document

    def is_current(self, document: Document, tags: frozenset[bytes] | None) -> bool:
        """Whether the client has just this document. A number alone does not tell, where numbers may be wrong."""
        named = tags is not None and not tags.isdisjoint({tag_of(document), ANY})
        return named and self.shown.get(self.guest) == document

    def keep(self, document: Document) -> None:
        self.shown[self.guest] = document

    def may_wait(self, seconds: int, now: float) -> bool:
        if self.waits_until is None:
            self.waits_until = now + seconds
        self._look()
        return now < self.waits_until

    def sends(self, reply: bytes) -> bytes:
        """What leaves instead of this answer."""
        self._note(reply)
        head, _, body = reply.partition(b"\r\n\r\n")
        if self.content_type or self.date_skew or self.no_date:
            lines = [line for told in head.split(b"\r\n") if (line := self._line(told)) is not None]
            reply = b"\r\n".join(lines) + b"\r\n\r\n" + body
        return reply[: len(reply) - (len(body) + 1) // 2 if body else len(reply) // 2] if self.truncated else reply

    def _note(self, reply: bytes) -> None:
        found = _incarnation.search(reply)
        self.seen.status = int(reply[9:12])
        self.seen.incarnation = int(found[1]) if found else None
        self._look()
        self.answered(self.seen)

    def _look(self) -> None:
        document = self.guest.slot.document
        self.seen.newest = None if document is None else document.incarnation

    def _line(self, line: bytes) -> bytes | None:
        name, _, value = line.partition(b":")
        match name.lower():
            case b"content-type" if self.content_type:
                return b"Content-Type: " + self.content_type.encode()
            case b"date" if self.no_date:
                return None
            case b"date" if self.date_skew:
                told = parse_date(value.decode())
                return line if told is None else b"Date: " + rfc1123(shifted(told, self.date_skew)).encode()
        return line


class Meddler(Protocol):
    def meets(self, guest: Guest, head: Head, body: bytes, connection: int) -> Case:
        """A request has come from the guest, on the connection of this number."""
        ...
