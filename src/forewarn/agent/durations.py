"""Durations as people write them: `30s`, `5m`, `1h30m`, or a plain number of seconds."""

import re
from datetime import timedelta

UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400}
_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")


def read_duration(value: object) -> timedelta:
    """Raises ValueError with a reason."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"{value!r} is no duration: write 30s, 5m or 1h30m")
    if not isinstance(value, str):
        seconds = float(value)
    elif value and not _PART.sub("", value):
        seconds = sum(float(number) * UNITS[unit] for number, unit in _PART.findall(value))
    else:
        raise ValueError(f"{value!r} is no duration: write 30s, 5m or 1h30m")
    if not 0 <= seconds <= 366 * 86400:
        raise ValueError(f"{value!r} is out of range: from nothing to a year")
    return timedelta(seconds=seconds)


def write_duration(value: timedelta) -> str:
    """To the second, in the largest units that fit: `1h30m`."""
    rest = round(value.total_seconds())
    parts = []
    for unit in ("d", "h", "m"):
        count, rest = divmod(rest, int(UNITS[unit]))
        parts += [f"{count}{unit}"] if count else []
    return "".join([*parts, f"{rest}s"] if rest or not parts else parts)
