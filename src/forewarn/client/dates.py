"""Dates as metadata services write them: RFC 1123 and ISO 8601, with weekdays that may be wrong."""

import re
from datetime import UTC, datetime

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_RFC1123 = re.compile(
    r"(?:[a-z]+, *)?(?P<day>[0-9]{1,2}) (?P<month>[a-z]{3}) (?P<year>[0-9]{4})"
    r" (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}) (?:gmt|utc)",
    re.IGNORECASE,
)


def read_date(text: str) -> datetime | None:
    """None if there is none, or nobody can tell which moment it is."""
    text = text.strip()
    match = _RFC1123.fullmatch(text)
    try:
        return _from_rfc1123(match) if match else _from_iso(text)
    except (ValueError, OverflowError):
        return None


def _from_rfc1123(match: re.Match[str]) -> datetime:
    month = _MONTHS.index(match["month"].lower()) + 1
    year, day, hour, minute, second = (int(match[part]) for part in ("year", "day", "hour", "minute", "second"))
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _from_iso(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
