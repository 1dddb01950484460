"""Request bodies, taken piece by piece as they arrive. What came too much belongs to the next request."""

import re
from typing import Protocol

from forewarn.imds.http import CHUNKED, Head, Refusal
from forewarn.imds.limits import Limits

_size = re.compile(rb"[0-9A-Fa-f]{1,8}")
_LONGEST_SIZE_LINE = 8 + len(b"\r\n")


class Body(Protocol):
    @property
    def content(self) -> bytearray: ...

    def feed(self, data: bytes) -> bytes | Refusal | None:
        """Take more bytes. When the body is complete, the bytes that follow it; None if there is more to come."""
        ...


def body_of(head: Head, limits: Limits) -> Body:
    return ChunkedBody(limits) if head.length == CHUNKED else SizedBody(head.length)


class SizedBody:
    def __init__(self, length: int) -> None:
        self.content = bytearray()
        self._length = length

    def feed(self, data: bytes) -> bytes | None:
        missing = self._length - len(self.content)
        self.content += data[:missing]
        return data[missing:] if len(data) >= missing else None


class ChunkedBody:
    """Chunks as RFC 9112, 7.1 has them, without extensions and trailers: no client of this service sends any."""

    def __init__(self, limits: Limits) -> None:
        self.content = bytearray()
        self._pending = bytearray()
        self._chunks = 0
        self._complete = False
        self._limits = limits

    def feed(self, data: bytes) -> bytes | Refusal | None:
        self._pending += data
        while not self._complete:
            taken = self._take_chunk()
            if isinstance(taken, Refusal):
                return taken
            if not taken:
                return None
        return bytes(self._pending)

    def _take_chunk(self) -> bool | Refusal:
        """False: it has not come yet, or not all of it."""
        line, found, _ = self._pending[:_LONGEST_SIZE_LINE].partition(b"\r\n")
        if not found:
            return Refusal.MALFORMED if len(line) == _LONGEST_SIZE_LINE else False
        if not _size.fullmatch(line):
            return Refusal.MALFORMED
        size, start = int(line, 16), len(line) + len(b"\r\n")
        if len(self.content) + size > self._limits.body or self._chunks == self._limits.chunks:
            return Refusal.BODY_TOO_LARGE
        end = start + size
        if len(self._pending) < end + len(b"\r\n"):
            return False
        if not self._pending.startswith(b"\r\n", end):
            return Refusal.MALFORMED
        self.content += self._pending[start:end]
        del self._pending[: end + len(b"\r\n")]
        self._chunks += 1
        self._complete = size == 0
        return True
