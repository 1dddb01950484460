"""The one reading of a request's target. Everything that looks at a path or a query looks at what this returns.

Percent-encoding is undone once. What could be read in two ways is refused: an encoded slash, a backslash, dot segments,
`;`, control characters, text that is not UTF-8, a query key that occurs twice. An encoded question mark before any
other starts the query, as in Azure: clients rely on it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

_absolute = re.compile(rb"http://([^/?#@]++)((?:[/?#].*+)?)", re.IGNORECASE)
_query_start = re.compile(rb"\?|%3F", re.IGNORECASE)
_escape = re.compile(rb"%([0-9A-F]{2})", re.IGNORECASE)
_refused_anywhere = re.compile(rb"[^\x21-\x7e]|[;#]|%(?:3B|[01][0-9A-F]|7F|(?![0-9A-F]{2}))", re.IGNORECASE)
_refused_in_path = re.compile(rb"\\|%(?:2F|5C)|/(?:\.|%2E){1,2}(?:/|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Target:
    path: str
    query: Mapping[str, str]  # keys in lower case
    authority: bytes | None  # of a target in absolute form: the client thinks we are a proxy


@lru_cache(maxsize=512)  # machines ask for the same few, again and again
def read_target(raw: bytes) -> Target | None:
    """None: refused."""
    authority = None
    if not raw.startswith(b"/"):
        absolute = _absolute.fullmatch(raw)
        if absolute is None:
            return None
        authority, raw = absolute.groups()
    if _refused_anywhere.search(raw):
        return None
    path, _, query = raw.partition(b"?") if b"%" not in raw else _partition_decoded(raw)
    if _refused_in_path.search(path):
        return None
    try:
        keys = _read_query(query)
        return None if keys is None else Target(_decode(path) or "/", keys, authority)
    except UnicodeDecodeError:
        return None


def _partition_decoded(raw: bytes) -> tuple[bytes, bytes, bytes]:
    mark = _query_start.search(raw)
    return (raw[: mark.start()], mark[0], raw[mark.end() :]) if mark else (raw, b"", b"")


def _read_query(query: bytes) -> dict[str, str] | None:
    pairs = [pair.partition(b"=") for pair in query.split(b"&") if pair]
    keys = {_decode(key).lower(): _decode(value) for key, _, value in pairs}
    return keys if len(keys) == len(pairs) else None


def _decode(text: bytes) -> str:
    if b"%" in text:
        text = _escape.sub(lambda escape: bytes.fromhex(escape[1].decode()), text)
    return text.decode()
