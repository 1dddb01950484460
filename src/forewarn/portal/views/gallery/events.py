"""Events: the list, one of them, its documents, and what it waits for."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from msgspec import structs

from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.events import Actor, Event, EventType, OperationState, Phase, Readiness, Source
from forewarn.domain.history import Entry, What
from forewarn.domain.scopes import Scope
from forewarn.portal.views.events import (
    DocumentView,
    EventRow,
    EventsView,
    EventView,
    EventWish,
    Shown,
    document_views,
    event_view,
)
from forewarn.portal.views.gallery.making import (
    ALICE,
    MINUTE,
    RULE,
    a_scope,
    an_approval,
    an_entry,
    an_event,
    an_operation,
)
from forewarn.portal.views.waiting import WaitView, wait_view

MANY = tuple(f"web_{n}" for n in range(1, 14))


@dataclass(frozen=True, kw_only=True, slots=True)
class EventStates:
    waits: tuple[WaitView, ...]
    views: dict[str, EventView]
    documents: tuple[tuple[Event, tuple[DocumentView, ...]], ...]
    lists: dict[str, EventsView]


def event_states(now: datetime) -> EventStates:
    live, over = an_event(1, now, type=EventType.TERMINATE), an_event(2, now, phase=Phase.COMPLETED)
    return EventStates(
        waits=tuple(_waits(now)),
        views=_views(now),
        documents=(
            (live, document_views(live, a_scope([live]))),
            (over, document_views(over, a_scope())),
            (over, ()),
        ),
        lists=_lists(now),
    )


def _waits(now: datetime) -> Iterator[WaitView]:
    """Each of them, and those with much to tell."""
    for rule in Rule:
        event = an_event(1, now, resources=MANY[:2])
        policy = ApprovalPolicy(rule=rule, count=2 if rule is Rule.K_OF_N else 0)
        yield wait_view(event, [a_scope([event], approval=policy)], None, now)
    mine, others = _delete(1, now), [_delete(n, now) for n in range(2, 9)]
    approved = structs.replace(mine, approvals=(an_approval(now),))
    yield wait_view(mine, [a_scope([mine, *others])], None, now)
    yield wait_view(approved, [a_scope([approved, *others[:1]])], None, now)
    yield wait_view(approved, [a_scope([approved])], None, now)
    started = an_event(1, now, phase=Phase.STARTED, resources=MANY)
    yield wait_view(started, [a_scope([started])], None, now)
    yield wait_view(an_event(1, now, phase=Phase.COMPLETED), [], None, now)


def _delete(number: int, now: datetime, **changes: Any) -> Event:
    told = {"type": EventType.TERMINATE, "source": Source.USER, "resources": (f"web_{number}",), **changes}
    return an_event(number, now, **told)


def _views(now: datetime) -> dict[str, EventView]:
    fresh = an_event(1, now, type=EventType.FREEZE, resources=MANY[:2], duration=9, description="Host network work.")
    said = _delete(2, now, resources=MANY[:4], approvals=_approvals(now), readiness=_ready(now), duration=0)
    other = _delete(3, now)
    agreed = structs.replace(said, approvals=(an_approval(now),))
    started = an_event(4, now, phase=Phase.STARTED, campaign="00000000000000000000000000000007")
    failed = _delete(5, now, phase=Phase.FAILED)
    gone = an_operation(failed, state=OperationState.FAILED, failures=("web_5: no answer",), replacement="web:0/web_9")
    history = _history(now)
    return {
        "announced": event_view(fresh, [a_scope([fresh])], None, history[:1], now, starts_if_approved=True),
        "some have said yes": event_view(
            said, [_all_named(said, other)], an_operation(said), history, now, starts_if_approved=False
        ),
        "approved, and waits": event_view(agreed, [a_scope([agreed, other])], None, history, now),
        "started": event_view(started, [a_scope([started])], an_operation(started), history, now),
        "failed": event_view(failed, [], gone, history, now),
    }


def _all_named(*events: Event) -> Scope:
    return a_scope(events, approval=ApprovalPolicy(rule=Rule.ALL_NAMED))


def _approvals(now: datetime) -> tuple[Any, ...]:
    return (an_approval(now - MINUTE, Actor.machine("web_1")), an_approval(now, Actor.machine("web_8")))


def _ready(now: datetime) -> tuple[Readiness, ...]:
    return tuple(
        Readiness(machine=name, ready=ready, at=now, times=1) for name, ready in (("web_2", True), ("web_3", False))
    )


def _history(now: datetime) -> list[Entry]:
    web_1 = Actor.machine("web_1")
    return [
        an_entry(now - 5 * MINUTE, What.SCHEDULED, "1", who=ALICE),
        an_entry(now - 4 * MINUTE, What.APPROVED, "1", who=web_1, detail="first of two"),
        an_entry(now - 3 * MINUTE, What.STARTED, "1", who=RULE, before="Scheduled", after="Started"),
    ]


def _lists(now: datetime) -> dict[str, EventsView]:
    everything = [an_event(n, now, type=kind, phase=phase) for n, (kind, phase) in enumerate(_every())]
    rows = tuple(
        EventRow(event=e, approved=e.phase is Phase.SCHEDULED and n % 2 == 0) for n, e in enumerate(everything)
    )
    some = EventWish(type=EventType.REBOOT, page=2)
    return {
        "all, the newest first": EventsView(wish=EventWish(shown=Shown.ALL), rows=rows, older=7),
        "the first of three pages": EventsView(wish=EventWish(), rows=rows[:1], found=234, pages=3),
        "one in the middle": EventsView(wish=some, rows=rows[:1], found=234, pages=3),
        "the last": EventsView(wish=EventWish(page=3), rows=rows[:1], found=234, pages=3),
        "nothing is live": EventsView(wish=EventWish(), rows=(), found=0),
        "nothing ever was": EventsView(wish=EventWish(shown=Shown.ALL), rows=()),
    }


def _every() -> Iterator[tuple[EventType, Phase]]:
    return ((kind, phase) for kind in EventType for phase in Phase)
