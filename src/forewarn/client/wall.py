"""The one place in the client that reads the wall clock: for servers that do not say what time it is."""

from datetime import UTC, datetime


def wall_clock() -> datetime:
    return datetime.now(UTC)
