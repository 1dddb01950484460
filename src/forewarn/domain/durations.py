"""A length of time as people write it, and as ARM does: for texts that one of them reads."""

from datetime import timedelta


def format_duration(duration: timedelta) -> str:
    """`1h30m`, to the millisecond."""
    if duration < timedelta(0):
        return f"-{format_duration(-duration)}"
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((duration.days, "d"), (hours, "h"), (minutes, "m"), (seconds, "s"), (duration.microseconds // 1000, "ms"))
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"


def format_iso(duration: timedelta) -> str:
    """`PT1H30M`, to the microsecond."""
    if duration < timedelta(0):
        raise ValueError(f"a duration cannot be negative: {duration}")
    minutes, seconds = divmod(duration.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{duration.microseconds:06}".rstrip("0") if duration.microseconds else ""
    date = f"{duration.days}D" if duration.days else ""
    time = (f"{hours}H" if hours else "") + (f"{minutes}M" if minutes else "")
    if seconds or fraction or not (date or time):
        time += f"{seconds}{fraction}S"
    return f"P{date}T{time}" if time else f"P{date}"
