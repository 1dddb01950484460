"""Dates as IMDS writes them (RFC 1123, GMT), as its clients meet them (ISO 8601, wrong weekdays), and as ARM does."""

import re
from datetime import UTC, datetime
from functools import lru_cache

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_RFC1123 = re.compile(
    r"(?:[A-Za-z]+,\s*)?(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]{3}) (?P<year>[0-9]{4})"
    r" (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}) (?:GMT|UTC)"
)


def rfc1123(at: datetime) -> str:
    """`Thu, 22 Jul 2021 04:50:17 GMT`, whatever the locale.

    A fraction of a second is cut, never rounded up: what starts at its moment must not start before the moment shown.
    """
    if at.tzinfo is None:
        raise ValueError(f"{at} has no time zone")
    at = at.astimezone(UTC)
    day, month = DAYS[at.weekday()], MONTHS[at.month - 1]
    return f"{day}, {at.day:02} {month} {at.year:04} {at:%H:%M:%S} GMT"


@lru_cache(maxsize=1024)  # the instances of a set were mostly made together
def moment(at: datetime) -> str:
    """A time as ARM writes it."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%f") + "+00:00"


def parse_date(text: str) -> datetime | None:
    """The moment, or None if there is none or nobody can tell which.

    The weekday is not checked: published examples carry wrong ones.
    """
    text = text.strip()
    match = _RFC1123.fullmatch(text)
    try:
        return _from_rfc1123(match) if match else _from_iso(text)
    except (ValueError, OverflowError):
        return None


def _from_rfc1123(match: re.Match[str]) -> datetime:
    month = MONTHS.index(match["month"].capitalize()) + 1
    year, day, hour, minute, second = (int(match[part]) for part in ("year", "day", "hour", "minute", "second"))
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC)


def _from_iso(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
