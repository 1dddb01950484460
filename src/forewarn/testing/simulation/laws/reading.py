"""What a trace says, put in the shape in which a law asks for it."""

from collections.abc import Iterator

from forewarn.domain.events import Announcement, Document, Event, EventType, Operation, OperationState, Phase, Source
from forewarn.domain.scopes import Scope
from forewarn.testing.simulation.trace import Committed, Line, Trace


def event_changes(trace: Trace) -> Iterator[tuple[Line, Event | None, Event]]:
    """Every shape each event ever had, with the one before."""
    known: dict[str, Event] = {}
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            for event in revision.after.events:
                before = known.get(event.id)
                if before is not event:
                    known[event.id] = event
                    yield line, before, event


def pair(document: Document) -> tuple[int, int]:
    return document.epoch, document.incarnation


def looks(document: Document) -> tuple[int, int, tuple[Announcement, ...]]:
    return *pair(document), document.announcements


def visible_changes(before: Document, after: Document) -> int:
    old = {announcement.id: announcement for announcement in before.announcements}
    new = {announcement.id: announcement for announcement in after.announcements}
    return sum(old.get(event) != new.get(event) for event in {*old, *new})


def deletes(scopes: dict[str, Scope], scale_set: str) -> dict[str, Event]:
    ours = [scope for scope in scopes.values() if scope.scale_set == scale_set]
    return {e.id: e for scope in ours for e in scope.events if e.type is EventType.TERMINATE}


def pending_deletes(scopes: dict[str, Scope], scale_set: str) -> list[Event]:
    return [event for event in deletes(scopes, scale_set).values() if event.phase is Phase.SCHEDULED]


def is_users(operation: Operation) -> bool:
    wanted = operation.impact in (EventType.REBOOT, EventType.REDEPLOY) and operation.source is Source.USER
    return wanted and operation.state is OperationState.IN_PROGRESS
