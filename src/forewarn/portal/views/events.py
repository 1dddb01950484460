"""Events: the list of them, and everything about one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

import msgspec

from forewarn.domain.consent import is_approved
from forewarn.domain.events import ActorKind, Approval, Event, EventType, Operation, Phase, Readiness
from forewarn.domain.history import Entry
from forewarn.domain.scopes import Scope
from forewarn.portal.views.lately import Late
from forewarn.portal.views.waiting import RULES, WaitView, wait_view
from forewarn.wire.documents import render
from forewarn.wire.versions import EVENT_VERSIONS, event_version

PAGE = 100


# The list


class Shown(Enum):
    LIVE = "live"  # what machines see now
    ALL = "all"  # and what is over, the newest first


@dataclass(frozen=True, kw_only=True, slots=True)
class EventWish:
    """What somebody wants to see of the events."""

    shown: Shown = Shown.LIVE
    type: EventType | None = None
    search: str = ""
    page: int = 1
    before: int | None = None
    """Among all, only those that were announced before this entry of the history."""

    def fits(self, event: Event) -> bool:
        if self.type not in (None, event.type):
            return False
        words = self.search.lower().split()
        text = " ".join((event.id, event.scope, *event.resources, event.description)).lower() if words else ""
        return all(word in text for word in words)


@dataclass(frozen=True, kw_only=True, slots=True)
class EventRow:
    event: Event
    approved: bool
    """All that its scope's policy asks for is there: if it waits, it is for other deletes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EventsView:
    wish: EventWish
    rows: tuple[EventRow, ...]
    found: int | None = None
    """None where they are not counted."""
    pages: int = 1
    older: int | None = None
    """Where to go on among all; None at the end."""


def live_view(scopes: Mapping[str, Scope], wish: EventWish) -> EventsView:
    """What machines see now: first what is under way, then what starts next."""
    live = [event for scope in scopes.values() for event in scope.events if event.phase.is_live and wish.fits(event)]
    live.sort(key=lambda e: (e.phase is not Phase.STARTED, e.not_before, e.id))
    pages = max(1, -(-len(live) // PAGE))
    first = (min(max(wish.page, 1), pages) - 1) * PAGE
    rows = _rows(live[first : first + PAGE], scopes)
    return EventsView(wish=wish, rows=rows, found=len(live), pages=pages)


def all_view(
    events: Iterable[Event], scopes: Mapping[str, Scope], wish: EventWish, older: int | None = None
) -> EventsView:
    return EventsView(wish=wish, rows=_rows(events, scopes), older=older)


def _rows(events: Iterable[Event], scopes: Mapping[str, Scope]) -> tuple[EventRow, ...]:
    return tuple(EventRow(event=event, approved=_approved(event, scopes.get(event.scope))) for event in events)


def _approved(event: Event, scope: Scope | None) -> bool:
    return event.phase is Phase.SCHEDULED and scope is not None and is_approved(event, scope.approval_policy)


# One of them


class Listed(Enum):
    """Whether a document tells of an event."""

    YES = "yes"
    OVER = "over"  # it is no longer told of
    UNKNOWN = "unknown"  # this api-version has no such type: readers of it never see it


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentView:
    version: str
    text: str
    listed: Listed


@dataclass(frozen=True, kw_only=True, slots=True)
class Consent:
    """What one of an event's machines has said to it."""

    machine: str
    approval: Approval | None
    readiness: Readiness | None


@dataclass(frozen=True, kw_only=True, slots=True)
class EventView:
    event: Event
    operation: Operation | None
    waiting: WaitView
    machines: tuple[Consent, ...]
    others: tuple[Approval, ...]
    """Approvals by who is not one of its machines."""
    history: tuple[Late, ...]
    starts_if_approved: bool

    @property
    def is_open(self) -> bool:
        """Whether it can still be called off."""
        return self.event.phase is Phase.SCHEDULED

    @property
    def asks_for_approval(self) -> bool:
        """Whether one more approval could change anything."""
        return self.waiting.wait in RULES.values()


def event_view(
    event: Event,
    scopes: Sequence[Scope],
    operation: Operation | None,
    history: Sequence[Entry],
    now: datetime,
    *,
    starts_if_approved: bool = False,
) -> EventView:
    """`scopes`: the event's own, if it is still there, and those that share a scale set with it."""
    own = {approval.by.name: approval for approval in event.approvals if _is_own(approval, event)}
    ready = {readiness.machine: readiness for readiness in event.readiness}
    return EventView(
        event=event,
        operation=operation,
        waiting=wait_view(event, scopes, operation, now),
        machines=tuple(Consent(machine=m, approval=own.get(m), readiness=ready.get(m)) for m in event.resources),
        others=tuple(approval for approval in event.approvals if not _is_own(approval, event)),
        history=tuple(Late(entry=entry) for entry in history),
        starts_if_approved=starts_if_approved,
    )


def _is_own(approval: Approval, event: Event) -> bool:
    by = approval.by
    return by.kind is ActorKind.MACHINE and by.name in event.resources and not approval.acknowledged


def document_views(event: Event, scope: Scope | None) -> tuple[DocumentView, ...]:
    """What its scope's machines get now, from the newest api-version to the oldest."""
    if scope is None:
        return ()
    return tuple(_document(event, scope, name) for name in reversed(EVENT_VERSIONS))


def _document(event: Event, scope: Scope, name: str) -> DocumentView:
    version = event_version(name)
    assert version is not None
    listed = Listed.UNKNOWN if event.type not in version.types else Listed.YES if event.phase.is_live else Listed.OVER
    text = msgspec.json.format(render(scope.document, version), indent=2).decode()
    return DocumentView(version=name, text=text, listed=listed)
