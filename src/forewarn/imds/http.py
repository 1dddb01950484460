"""HTTP/1.1 request heads, read strictly and from bytes alone.

What is accepted is one regular expression, matched once over the whole head. It backtracks nowhere, so reading is
linear. Everything else is refused, and `_refusal` says why: it walks the lines in the order they came, so the reason
does not depend on how the bytes were cut on their way here.

A field sent twice is one field with a comma in it (RFC 9110, 5.3). No name of a host, no number and no coding has a
comma, so a doubled Host, Content-Length or Transfer-Encoding fails the check that each of them must pass anyway.
"""

import re
from dataclasses import dataclass
from enum import Enum

from forewarn.imds.limits import Limits

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
_REQUEST_LINE = rb"(" + _TOKEN + rb") ([\x21-\x7e]++) HTTP/1\.([01])\r\n"
_FIELD_LINE = _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*+\r\n"

_request_line = re.compile(_REQUEST_LINE)
_field_line = re.compile(_FIELD_LINE)
_length = re.compile(rb"[0-9]{1,9}")

_END = b"\r\n\r\n"
_AFTER_TARGET = len(b" HTTP/1.1")
_NEVER_SERVED = frozenset({b"TRACE", b"CONNECT"})
CHUNKED = -1


class Refusal(Enum):
    """Why a request was not even understood. The value is the status that tells the client."""

    MALFORMED = 400
    BODY_TOO_LARGE = 413
    LINE_TOO_LONG = 414
    EXPECTATION_UNKNOWN = 417
    HEAD_TOO_LARGE = 431


@dataclass(slots=True)
class Head:
    method: bytes
    target: bytes
    fields: dict[bytes, bytes]  # in lower case, values too
    block: bytes  # the same fields as they were sent
    modern: bool  # HTTP/1.1, not 1.0
    keep_alive: bool
    length: int  # of the body that follows, or CHUNKED
    end: int  # where the head ends in the bytes it was read from


class HeadReader:
    """Reads heads within the given limits. It keeps nothing between two calls."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        fields = rb"((?:" + _FIELD_LINE + rb"){0,%d}+)" % limits.fields
        self._match = re.compile(_REQUEST_LINE + fields + rb"\r\n").match

    def read(self, data: bytes, start: int = 0) -> Head | Refusal | None:
        """The head that begins at `start`; None if what is there may still become one."""
        match = self._match(data, start, start + self._limits.head)
        if match is None:
            return self._unfinished(data[start : start + self._limits.head])
        method, target, minor, block = match.groups()
        if match.end(2) + _AFTER_TARGET - start > self._limits.request_line:
            return Refusal.LINE_TOO_LONG
        if method in _NEVER_SERVED or not (block.isascii() or _is_utf8(block)):
            return Refusal.MALFORMED
        fields, modern, length = _collect(block), minor == b"1", 0
        if b"content-length" in fields or b"transfer-encoding" in fields:
            framing = self._body_length(fields, modern)
            if isinstance(framing, Refusal):
                return framing
            length = framing
        if b"expect" in fields and fields[b"expect"] != b"100-continue":
            return Refusal.EXPECTATION_UNKNOWN
        keep_alive = _keeps_alive(fields[b"connection"], modern) if b"connection" in fields else modern
        return Head(method, target, fields, block, modern, keep_alive, length, match.end())

    def _body_length(self, fields: dict[bytes, bytes], modern: bool) -> int | Refusal:
        coding, length = fields.get(b"transfer-encoding"), fields.get(b"content-length")
        if coding is not None:
            understood = modern and length is None and coding == b"chunked"
            return CHUNKED if understood else Refusal.MALFORMED
        if length is None or not _length.fullmatch(length):
            return Refusal.MALFORMED
        return int(length) if int(length) <= self._limits.body else Refusal.BODY_TOO_LARGE

    def _unfinished(self, so_far: bytes) -> Refusal | None:
        """Not a head, or not all of one."""
        end = so_far.find(_END) + len(_END)
        if end >= len(_END):
            return self._refusal(so_far[:end]) or Refusal.MALFORMED
        refusal = self._refusal(so_far)
        return Refusal.HEAD_TOO_LARGE if refusal is None and len(so_far) == self._limits.head else refusal

    def _refusal(self, head: bytes) -> Refusal | None:
        """The first thing wrong with the complete lines of `head`, or with the length of its first line."""
        *complete, rest = head.split(b"\n")
        request_line = complete[0] if complete else rest
        if len(request_line) > self._limits.request_line + len(b"\r"):
            return Refusal.LINE_TOO_LONG
        if complete and not _request_line.fullmatch(request_line + b"\n"):
            return Refusal.MALFORMED
        for number, line in enumerate(complete[1:], start=1):
            if line == b"\r":
                return None
            if number > self._limits.fields:
                return Refusal.HEAD_TOO_LARGE
            if not _field_line.fullmatch(line + b"\n"):
                return Refusal.MALFORMED
        return None


def _collect(block: bytes) -> dict[bytes, bytes]:
    fields: dict[bytes, bytes] = {}
    for line in block.lower().splitlines():
        name, _, value = line.partition(b":")
        fields[name] = fields[name] + b", " + value.strip() if name in fields else value.strip()
    return fields


def _keeps_alive(connection: bytes, modern: bool) -> bool:
    if connection == b"keep-alive":
        return True
    wishes = {wish.strip() for wish in connection.split(b",")}
    return b"close" not in wishes and (modern or b"keep-alive" in wishes)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
