"""What is told, in plain words: `vm1: Reboot in 14 min 20 s (not before 10:42 UTC), requested by the platform`."""

from datetime import datetime, timedelta

from forewarn.agent.moments import Moment
from forewarn.agent.records import Progress, Record, Stage

STAGES = {
    Stage.PREPARING: "preparing",
    Stage.READY: "prepared",
    Stage.BLOCKED: "not prepared",
    Stage.RESTORING: "restoring",
    Stage.OVER: "restored",
}
AHEAD = (Stage.PREPARING, Stage.READY, Stage.BLOCKED)
"""Where there is something left to approve."""
ASKERS = {"Platform": "requested by the platform", "User": "requested by a user"}
NAMED = 5
"""So many machines are named, the others counted."""
LONGEST = 500
"""Characters of what others wrote; chats refuse a message that is too long."""
LATE = timedelta(minutes=1)


def words(record: Record, moment: Moment, me: str, note: str, now: datetime) -> str:
    said = "; ".join(part for part in (_what(record, moment, now), _others(record, me), _state(record, moment)) if part)
    remarks = [short(text) for text in (record.event.description if moment is Moment.SEEN else "", note)]
    return " ".join([f"{me}: {said}.", *(_sentence(remark) for remark in remarks if remark)])


def belated(text: str, at: datetime, now: datetime) -> str:
    """Nobody shall take for news what could not be told in time."""
    return text if now - at < LATE else f"{text} (This is of {clock(at, now)}; it could not be told earlier.)"


def short(text: str, longest: int = LONGEST) -> str:
    line = " ".join(text.split())
    return line if len(line) <= longest else f"{line[: longest - 1]}…"


def clock(at: datetime, now: datetime) -> str:
    return at.strftime("%H:%M UTC" if at.date() == now.date() else "%Y-%m-%d %H:%M UTC")


def span(time: timedelta) -> str:
    """The two largest units that fit: `14 min 20 s`."""
    rest = int(time.total_seconds())
    parts: list[tuple[int, str]] = []
    for name, size in (("d", 86400), ("h", 3600), ("min", 60), ("s", 1)):
        count, rest = divmod(rest, size)
        parts += [(count, name)] if count or parts else []
    return " ".join(f"{count} {name}" for count, name in parts[:2] if count) or "0 s"


def _what(record: Record, moment: Moment, now: datetime) -> str:
    kind = short(record.event.kind)
    match moment:
        case Moment.SEEN:
            return f"{kind} {_when(record, now)}{_asked(record)}"
        case Moment.READY:
            return f"ready for {kind} {_when(record, now)}{_asked(record)}"
        case Moment.STARTED:
            return f"{kind} has started{_lasting(record)}"
        case Moment.OVER:
            return f"{kind} is over" if record.started else f"{kind} is no longer announced: over or called off"
        case Moment.FAILED:
            return f"a step failed for {kind}" + (f" {_when(record, now)}" if record.stage in AHEAD else "")


def _when(record: Record, now: datetime) -> str:
    start = record.event.not_before
    if record.started or record.event.is_started:
        return "that has started"
    if start is None:
        return "at a time unknown"
    ahead = f"in {span(start - now)}" if start > now else "now"
    return f"{ahead} (not before {clock(start, now)})"


def _asked(record: Record) -> str:
    asker = ASKERS.get(record.event.source, "")
    return (f", {asker}" if asker else "") + _lasting(record)


def _lasting(record: Record) -> str:
    lasts = record.event.duration
    return f", for about {span(lasts)}" if lasts is not None and lasts >= timedelta(seconds=1) else ""


def _others(record: Record, me: str) -> str:
    others = [short(name, 64) for name in record.event.resources if name != me]
    more = f" and {len(others) - NAMED} more" if len(others) > NAMED else ""
    return f"together with {', '.join(others[:NAMED])}{more}" if others else ""


def _state(record: Record, moment: Moment) -> str:
    if moment is Moment.SEEN:
        return ""
    left = [step.spec.name for step in record.steps if step.progress is Progress.UNRESTORED]
    stage = f"not restored: {', '.join(left)}" if left else STAGES[record.stage]
    if record.stage not in AHEAD:
        return stage
    return f"{stage}, {'approved' if record.approved else 'not approved'}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."
