"""Durations as ARM writes them (`PT5M`) and as people do (`15m`, `1h30m`)."""

import re
from datetime import timedelta

from forewarn.domain.durations import format_duration, format_iso

__all__ = ["LONGEST", "format_duration", "format_iso", "parse_duration", "parse_iso"]

LONGEST = timedelta(days=3660)
"""Ten years: the most that is understood as meant, wherever somebody gives a duration."""

_ISO = re.compile(
    r"P(?=[0-9T])(?:(?P<weeks>[0-9]+)W|"
    r"(?:(?P<days>[0-9]+)D)?"
    r"(?:T(?=[0-9])(?:(?P<hours>[0-9]+)H)?(?:(?P<minutes>[0-9]+)M)?(?:(?P<seconds>[0-9]+(?:\.[0-9]+)?)S)?)?)"
)
_PEOPLE = re.compile(
    r"(?=[0-9])(?:(?P<days>[0-9]+)d)?(?:(?P<hours>[0-9]+)h)?(?:(?P<minutes>[0-9]+)m)?(?:(?P<seconds>[0-9]+)s)?"
    r"(?:(?P<milliseconds>[0-9]+)ms)?"
)


def parse_iso(text: str) -> timedelta:
    """`PT5M`. Years and months are refused: nobody can say how long they are."""
    return _parse(text, _ISO, "an ISO 8601 duration such as PT5M or P1DT12H")


def parse_duration(text: str) -> timedelta:
    """`15m`, `90s`, `1h30m`, `2d`, `500ms`; ISO 8601 is understood too."""
    if text.startswith("P"):
        return parse_iso(text)
    return _parse(text, _PEOPLE, "a duration such as 90s, 15m, 1h30m or 2d")


def _parse(text: str, pattern: re.Pattern[str], wanted: str) -> timedelta:
    match = pattern.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not {wanted}")
    try:
        return timedelta(**{unit: float(n) if "." in n else int(n) for unit, n in match.groupdict().items() if n})
    except (OverflowError, ValueError):
        raise ValueError(f"{text[:40]!r} is too long a time") from None
