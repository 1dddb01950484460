"""What became of each event of a recording: when it appeared, started and vanished, as far as somebody looked."""

from dataclasses import dataclass
from datetime import datetime

from forewarn.testing.scenarios.recordings import Recording, SeenEvent


@dataclass(slots=True)
class Trace:
    seen: SeenEvent  # as it was first seen
    first: datetime
    name: str
    started: datetime | None = None  # when it was first seen so
    gone: datetime | None = None  # when it was first missed

    @property
    def was_announced(self) -> bool:
        return self.seen.status == "Scheduled"

    @property
    def was_canceled(self) -> bool:
        """It vanished before it could have started by itself, and nobody saw it start."""
        due = self.seen.not_before
        return self.started is None and self.gone is not None and due is not None and self.gone < due

    @property
    def was_approved(self) -> bool:
        due = self.seen.not_before
        return self.was_announced and self.started is not None and due is not None and self.started < due


def traces(recording: Recording) -> list[Trace]:
    """In the order they appeared."""
    found: dict[str, Trace] = {}
    for look in recording.looks:
        if look.events is None:
            continue
        there = {event.id: event for event in look.events}
        for id, event in there.items():
            trace = found.setdefault(id, Trace(seen=event, first=look.at, name=_name(event, len(found))))
            if event.status == "Started" and trace.started is None:
                trace.started = look.at
        for id, trace in found.items():
            if id not in there and trace.gone is None:
                trace.gone = look.at
                _credit_approval(trace, recording)
    return list(found.values())


def _credit_approval(trace: Trace, recording: Recording) -> None:
    """Between two looks it started and was over: if it was approved, it was not called off."""
    if trace.was_canceled and trace.seen.id in recording.approvals:
        trace.started = recording.approvals[trace.seen.id]


def _name(event: SeenEvent, number: int) -> str:
    return f"{event.type.lower()}-{number + 1}"
