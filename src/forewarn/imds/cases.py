"""Requests that are not answered the plain way: somebody looks on, or something is to go wrong.

None of this is on the way of a server that nobody meddles with.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from forewarn.domain.events import Document
from forewarn.domain.faults import Seen
from forewarn.imds.http import Head
from forewarn.imds.slots import Guest
from forewarn.wire.answers import Answer
from forewarn.wire.dates import parse_date, rfc1123

View = Callable[[Document], Document]
_incarnation = re.compile(rb'\r\n\r\n\{"DocumentIncarnation":([0-9]+)')


@dataclass(kw_only=True, slots=True)
class Case:
    """One request that is looked at. What is not set is as always."""

    seen: Seen
    answer: Answer | None = None  # instead of the right one
    delay: float = 0.0
    hang: bool = False
    reset: bool = False
    truncated: bool = False
    empty: bool = False
    content_type: str | None = None
    date_skew: timedelta = timedelta(0)
    no_date: bool = False
    views: list[View] = field(default_factory=list)
    told: Callable[[Seen], object] = lambda seen: None  # it was answered

    def shows(self, document: Document) -> Document:
        for view in self.views:
            document = view(document)
        return document

    def sends(self, reply: bytes) -> bytes:
        """What leaves instead of this answer."""
        self.seen.status = int(reply[9:12])
        found = _incarnation.search(reply)
        self.seen.incarnation = int(found[1]) if found else None
        self.told(self.seen)
        if not (self.truncated or self.empty or self.content_type or self.date_skew or self.no_date):
            return reply
        head, _, body = reply.partition(b"\r\n\r\n")
        lines = [line for told in head.split(b"\r\n") if (line := self._line(told)) is not None]
        kept = 0 if self.empty else len(body) // 2 if self.truncated else len(body)
        return b"\r\n".join(lines) + b"\r\n\r\n" + body[:kept]

    def _line(self, line: bytes) -> bytes | None:
        name, _, value = line.partition(b":")
        match name.lower():
            case b"content-length" if self.empty:
                return b"Content-Length: 0"
            case b"content-type" if self.content_type:
                return b"Content-Type: " + self.content_type.encode()
            case b"date" if self.no_date:
                return None
            case b"date" if self.date_skew:
                told = parse_date(value.decode())
                return line if told is None else b"Date: " + rfc1123(told + self.date_skew).encode()
        return line


class Meddler(Protocol):
    def meets(self, guest: Guest, head: Head, body: bytes, connection: int) -> Case:
        """A request has come from the guest, on the connection of this number."""
        ...
