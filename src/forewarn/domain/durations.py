"""A length of time as people write it, for texts that people read."""

from datetime import timedelta


def format_duration(duration: timedelta) -> str:
    """`1h30m`, to the millisecond."""
    if duration < timedelta(0):
        return f"-{format_duration(-duration)}"
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((duration.days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s"), (duration.microseconds // 1000, "ms"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"
