"""HTTP/1.1 request heads, read strictly and from bytes alone.

What is accepted is one regular expression, matched once over the whole head. It backtracks nowhere, so reading is
linear. Everything else is refused, and `_refusal` says why: it walks the lines in the order they came, so the reason
does not depend on how the bytes were cut on their way here.

A field sent twice is one field with a comma in it (RFC 9110, 5.3). No name of a host, no number and no coding has a
comma, so a doubled Host, Content-Length or Transfer-Encoding fails the check that each of them must pass anyway.
"""

import re
from enum import Enum
from typing import NamedTuple

from forewarn.imds.limits import Limits

_TOKEN = rb"[!#$%&'*+\-.^_`|~0-9A-Za-z]++"
_REQUEST_LINE = rb"(" + _TOKEN + rb") ([\x21-\x7e]++) HTTP/1\.([01])\r\n"
_FIELD = _TOKEN + rb":[\t\x20-\x7e\x80-\xff]*+"

_request_line = re.compile(_REQUEST_LINE)
_field_line = re.compile(_FIELD + rb"\r\n")
_blank_end = re.compile(rb"(?<![ \t])[ \t]++\r\n")  # looked for at one place per run of blanks: linear
_field = re.compile(rb"([^:]++):[ \t]*+([^\r]*+)\r\n")
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


class Head(NamedTuple):
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
        self._longest = limits.head
        fields = rb"((?:" + _FIELD + rb"(?<![ \t])\r\n){0,%d}+)" % limits.fields
        self._head = re.compile(_REQUEST_LINE + fields + rb"\r\n")

    def read(self, data: bytes, start: int = 0) -> Head | Refusal | None:
        """The head that begins at `start`; None if what is there may still become one."""
        match = self._head.match(data, start, start + self._longest)
        if match is None:
            return self._read_again(data, start)
        return self._understand(match, start, match.end())

    def _read_again(self, data: bytes, start: int) -> Head | Refusal | None:
        """Not the usual head: it is not complete, or not right, or there are blanks at the ends of its lines."""
        so_far = data[start : start + self._longest]
        end = so_far.find(_END) + len(_END)
        complete = end >= len(_END)
        refusal = self._refusal(so_far[:end] if complete else so_far)
        if refusal is not None:
            return refusal
        if not complete:
            return Refusal.HEAD_TOO_LARGE if len(so_far) == self._longest else None
        match = self._head.fullmatch(_blank_end.sub(b"\r\n", so_far[:end]))
        return self._understand(match, 0, start + end) if match else Refusal.MALFORMED

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

    def _understand(self, match: re.Match[bytes], start: int, end: int) -> Head | Refusal:
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
        return Head(method, target, fields, block, modern, keep_alive, length, end)

    def _body_length(self, fields: dict[bytes, bytes], modern: bool) -> int | Refusal:
        coding, length = fields.get(b"transfer-encoding"), fields.get(b"content-length")
        if coding is not None:
            understood = modern and length is None and coding == b"chunked"
            return CHUNKED if understood else Refusal.MALFORMED
        if length is None or not _length.fullmatch(length):
            return Refusal.MALFORMED
        return int(length) if int(length) <= self._limits.body else Refusal.BODY_TOO_LARGE


def _collect(block: bytes) -> dict[bytes, bytes]:
    found = _field.findall(block.lower())
    fields: dict[bytes, bytes] = dict(found)
    if len(fields) < len(found):
        fields.clear()
        for name, value in found:
            fields[name] = fields[name] + b", " + value if name in fields else value
    return fields


def _keeps_alive(connection: bytes, modern: bool) -> bool:
    wishes = {wish.strip(b" \t") for wish in connection.split(b",")}
    return b"close" not in wishes and (modern or b"keep-alive" in wishes)


def _is_utf8(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True
