"""Kusto's words and signs."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from forewarn.wire.dates import parse_date
from forewarn.wire.errors import Malformed


class QueryError(Malformed):
    """The query cannot be understood, or asks for something that is not there."""


class Kind(Enum):
    NAME = "a name"
    STRING = "a string"
    NUMBER = "a number"
    TIMESPAN = "a length of time"
    MOMENT = "a moment"
    SYMBOL = "a sign"
    END = "the end of the query"


@dataclass(frozen=True, slots=True)
class Token:
    kind: Kind
    text: str
    value: Any = None


UNITS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}

_TOKEN = re.compile(
    r"""
    (?P<space>   \s+ | //[^\n]* )
  | (?P<verbatim> @'[^'\n]*' | @"[^"\n]*" )
  | (?P<string>  '(?:[^'\\\n]|\\.)*' | "(?:[^"\\\n]|\\.)*" )
  | (?P<moment>  datetime\([^()\n]{1,60}\) )
  | (?P<timespan> [0-9]+(?:\.[0-9]+)?(?:ms|[dhms])(?![A-Za-z0-9_]) )
  | (?P<number>  [0-9]+(?:\.[0-9]+)?(?![A-Za-z0-9_]) )
  | (?P<name>    !(?=[a-z]) [a-z_]+~? | [A-Za-z_$][A-Za-z0-9_$]*(?:(?<=\bin)~)? )
  | (?P<symbol>  == | != | =~ | !~ | <= | >= | [|(),.<>=\[\]\-] )
    """,
    re.VERBOSE,
)


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise QueryError(f"The query cannot be read from {text[at : at + 20]!r} on.")
        if match.lastgroup != "space":
            found.append(_token(str(match.lastgroup), match.group()))
        at = match.end()
    return [*found, Token(Kind.END, "")]


def _token(group: str, text: str) -> Token:
    match group:
        case "verbatim":
            return Token(Kind.STRING, text, text[2:-1])
        case "string":
            return Token(Kind.STRING, text, re.sub(r"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), text[1:-1]))
        case "number":
            return Token(Kind.NUMBER, text, _number(text))
        case "timespan":
            return Token(Kind.TIMESPAN, text, _timespan(text))
        case "moment":
            return Token(Kind.MOMENT, text, _moment(text.removeprefix("datetime").strip("()'\" ")))
        case "name":
            return Token(Kind.NAME, text)
        case _:
            return Token(Kind.SYMBOL, text)


def _number(text: str) -> int | float:
    if len(text) > 18:
        raise QueryError(f"The number {text[:18]}… is too long.")
    return float(text) if "." in text else int(text)


def _timespan(text: str) -> timedelta:
    unit = text.lstrip("0123456789.")
    try:
        return timedelta(seconds=float(text.removesuffix(unit)) * UNITS[unit])
    except OverflowError:
        raise QueryError(f"The length of time {text[:20]} is too long.") from None


def _moment(text: str) -> datetime:
    moment = parse_date(text)
    if moment is None:
        raise QueryError(f"datetime({text[:40]}) is not a moment such as datetime(2026-11-15T12:00:00Z).")
    return moment
