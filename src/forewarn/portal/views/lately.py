"""What happened: to a machine lately, to an event in its life. Both are told as rows of one kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forewarn.domain.events import Event, EventType, Operation
from forewarn.domain.history import Entry, What

LATELY = 25
BIRTHS = (What.SCHEDULED, What.STRUCK, What.RAN)
"""Entries of which there is one for each event, or for each operation without one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Late:
    """An entry of the history, and what it gave birth to, where that tells more."""

    entry: Entry
    event: Event | None = None
    operation: Operation | None = None

    @property
    def impact(self) -> EventType | None:
        return self.operation.impact if self.operation is not None else None


def lately_of(
    name: str, entries: Sequence[Entry], events: Mapping[str, Event], operations: Mapping[str, Operation]
) -> tuple[Late, ...]:
    """What the last entries of its scope tell of the machine, the newest first.

    `events` and `operations`: those that the entries are about, by id.
    """
    told = (_late(name, entry, events.get(entry.subject), operations.get(entry.subject)) for entry in reversed(entries))
    return tuple(late for late in told if late is not None)[:LATELY]


def _late(name: str, entry: Entry, event: Event | None, operation: Operation | None) -> Late | None:
    if entry.subject == name:
        return Late(entry=entry)
    if entry.what not in BIRTHS:
        return None
    if event is not None and name in event.resources:
        return Late(entry=entry, event=event)
    if operation is not None and name in operation.machines:
        return Late(entry=entry, operation=operation)
    return None
