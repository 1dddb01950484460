"""Answers as the bytes of a response.

All of a response is known before it is asked for, but the request id and the date: a `Reply` is what comes before them
and what comes after. The order of the header fields is the captured one.
"""

from collections.abc import Callable
from datetime import datetime
from enum import Enum
from http import HTTPStatus
from typing import NamedTuple

from forewarn.wire.answers import Answer
from forewarn.wire.dates import rfc1123

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class Ending(Enum):
    """What becomes of the connection after the answer, and the header line that says so."""

    KEEP = b""  # HTTP/1.1 stays open without a word
    KEEP_OLD = b"Connection: keep-alive\r\n"  # HTTP/1.0 stays open only when both sides say so
    CLOSE = b"Connection: close\r\n"

    @classmethod
    def of(cls, modern: bool, keep_alive: bool) -> "Ending":
        if not keep_alive:
            return cls.CLOSE
        return cls.KEEP if modern else cls.KEEP_OLD


class Reply(NamedTuple):
    before: bytes
    after: bytes
    close: bool


def reply_to(answer: Answer, ending: Ending, *, etag: bytes | None = None, bodiless: bool = False) -> Reply:
    """`bodiless`: the request was a HEAD, so the body is only measured."""
    if answer.close:
        ending = Ending.CLOSE
    before = [f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}\r\n".encode()]
    if answer.content_type is not None:
        before.append(f"Content-Type: {answer.content_type}\r\n".encode())
    before.append(f"Server: {answer.server}\r\nx-ms-request-id: ".encode())
    after = []
    if answer.status != HTTPStatus.NOT_MODIFIED:
        after.append(b"Content-Length: %d\r\n" % len(answer.body))
    if etag is not None:
        after.append(b'ETag: "%b"\r\n' % etag)
    if answer.allow is not None:
        after.append(f"Allow: {answer.allow}\r\n".encode())
    after += [ending.value, b"\r\n", b"" if bodiless else answer.body]
    return Reply(b"".join(before), b"".join(after), ending is Ending.CLOSE)


class Stamp:
    """Completes replies with the two things that are new each time."""

    def __init__(self, seed: str, now: Callable[[], datetime]) -> None:
        """`seed` is a GUID of this server's own. Its last twelve digits become the count of answers."""
        self._now = now
        self._series = seed[:24].encode()
        self._count = 0
        self.refresh()

    def refresh(self) -> datetime:
        now = self._now()
        self._date = f"\r\nDate: {rfc1123(now)}\r\n".encode()
        return now

    def complete(self, reply: Reply) -> bytes:
        self._count += 1
        return b"%b%b%012x%b%b" % (reply.before, self._series, self._count, self._date, reply.after)
