"""Dates as IMDS writes them (RFC 1123, GMT) and as its clients may meet them (ISO 8601, wrong weekdays)."""

import re
from datetime import UTC, datetime

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

_RFC1123 = re.compile(
    r"(?:[A-Za-z]+,\s*)?(?P<day>[0-9]{1,2}) (?P<month>[A-Za-z]{3}) (?P<year>[0-9]{4})"
    r" (?P<hour>[0-9]{2}):(?P<minute>[0-9]{2}):(?P<second>[0-9]{2}) (?:GMT|UTC)"
)


def rfc1123(moment: datetime) -> str:
    """`Thu, 22 Jul 2021 04:50:17 GMT`, whatever the locale.

    A fraction of a second is cut, never rounded up: what starts at its moment must not start before the moment shown.
    """
    if moment.tzinfo is None:
        raise ValueError(f"{moment} has no time zone")
    moment = moment.astimezone(UTC)
    day, month = DAYS[moment.weekday()], MONTHS[moment.month - 1]
    return f"{day}, {moment.day:02} {month} {moment.year:04} {moment:%H:%M:%S} GMT"


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
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
