"""Answers as the bytes of a response.

All of a response is known before it is asked for, but the request id and the date: a `Reply` is what comes before them
and what comes after. The order of the header fields is the captured one.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from http import HTTPStatus
from operator import length_hint

from forewarn.imds.http import Refusal
from forewarn.wire import answers
from forewarn.wire.answers import Answer
from forewarn.wire.dates import rfc1123

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"

REFUSALS = {
    Refusal.MALFORMED: answers.bad_request("This is not HTTP/1.1 as it must be", close=True),
    Refusal.BODY_TOO_LARGE: answers.CONTENT_TOO_LARGE,
    Refusal.LINE_TOO_LONG: answers.URI_TOO_LONG,
    Refusal.EXPECTATION_UNKNOWN: answers.EXPECTATION_FAILED,
    Refusal.HEAD_TOO_LARGE: answers.HEADERS_TOO_LARGE,
}


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


@dataclass(slots=True)
class Reply:
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
    if answer.retry_after is not None:
        after.append(b"Retry-After: %d\r\n" % answer.retry_after)
    after += [ending.value, b"\r\n", b"" if bodiless else answer.body]
    return Reply(b"".join(before), b"".join(after), ending is Ending.CLOSE)


_LAST_DIGITS = [b"%03x" % number for number in range(16**3)]


class Stamp:
    """Completes replies with the two things that are new each time: the request id and the date."""

    def __init__(self, seed: str, now: Callable[[], datetime]) -> None:
        """`seed` is a GUID of this server's own. Its last twelve digits count the answers."""
        self._now = now
        self._seed = seed[:24].encode()
        self._turns = 0
        self._digits: Iterator[bytes] = iter(())
        self._id = b""
        self.refresh()

    def refresh(self) -> datetime:
        now = self._now()
        self._date = f"\r\nDate: {rfc1123(now)}\r\n".encode()
        return now

    @property
    def count(self) -> int:
        """How many replies were completed."""
        return self._turns * len(_LAST_DIGITS) - length_hint(self._digits)

    def complete(self, reply: Reply) -> bytes:
        digits = next(self._digits, None) or self._turn_over()
        return b"".join((reply.before, self._id, digits, self._date, reply.after))

    def _turn_over(self) -> bytes:
        self._id = self._seed + b"%09x" % self._turns
        self._digits = iter(_LAST_DIGITS)
        self._turns += 1
        return next(self._digits)
