"""Scheduled events: look at them, schedule the platform's, approve, cancel."""

from collections.abc import Callable, Sequence
from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing, duration
from forewarn.control.desk import Desk
from forewarn.control.endpoints import LARGE, Ask, Endpoint, Endpoints, Made
from forewarn.control.naming import find_event, find_machines
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import EventView, View, tell_event
from forewarn.domain.consent import FIRST, ApprovalPolicy
from forewarn.domain.errors import Invalid
from forewarn.domain.events import Event, EventType, Operation, Phase
from forewarn.domain.maintenance import Maintenance
from forewarn.engine.ports import Reader


class EventQuery(PageQuery, frozen=True):
    scope: str | None = None
    machine: str | None = None
    type: EventType | None = None
    phase: Phase | None = None
    campaign: str | None = None
    all: Annotated[bool, Meta(description="also those that are over")] = False


class Events(View, frozen=True):
    items: list[EventView]
    next: str | None


class Schedule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: EventType
    machines: Annotated[list[str], Meta(min_length=1, max_length=10_000, description="names, or SCOPE/NAME")]
    notice: Annotated[
        str | None, Meta(description="such as 15m or PT15M; if absent, the least that the type allows")
    ] = None
    at_once: Annotated[bool, Meta(description="hardware has failed: the event appears already started")] = False
    description: Annotated[str, Meta(max_length=1000)] | None = None
    duration: Annotated[int, Meta(ge=-1, le=86_400, description="expected interruption in seconds")] | None = None


class Scheduled(View, frozen=True):
    events: list[EventView]


class Cancel(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    why: Annotated[str, Meta(max_length=1000)] = ""


async def list_events(desk: Desk, ask: Ask[EventQuery, Nothing]) -> Events:
    query = ask.query
    live = not query.all and (query.phase is None or query.phase.is_live)
    keep = _filter(query)
    page = await page_of(
        desk.engine.store,
        lambda r, after, limit: r.list_events(scope=query.scope, live=live, after=after, limit=limit),
        lambda event: event.id,
        after=query.after,
        limit=query.limit,
        keep=keep,
    )
    return Events(items=await _tell_all(desk, page.items), next=page.next)


def _filter(query: EventQuery) -> Callable[[Event], bool] | None:
    if (query.machine, query.type, query.phase, query.campaign) == (None, None, None, None):
        return None
    scope, _, name = (query.machine or "").rpartition("/")

    def keep(event: Event) -> bool:
        return (
            (not name or name in event.resources)
            and (not scope or scope == event.scope)
            and query.type in (None, event.type)
            and query.phase in (None, event.phase)
            and query.campaign in (None, event.campaign)
        )

    return keep


async def get_event(desk: Desk, ask: Ask[Nothing, Nothing]) -> EventView:
    return await _tell(desk, await find_event(desk.engine, ask.path["event"]))


async def schedule(desk: Desk, ask: Ask[Nothing, Schedule]) -> Made:
    operations = await desk.engine.made_by(ask.key)  # by now the machines may be gone
    if operations is None:
        operations = await _scheduled(desk, ask)
    ids = [operation.event for operation in operations if operation.event is not None]

    def look(reader: Reader) -> list[Event]:
        return [event for i in ids if (event := reader.event(i)) is not None]

    events = await _tell_all(desk, await desk.engine.store.read(look))
    return Made(body=Scheduled(events=events), location=f"/forewarn/v1/events/{ids[0]}")


async def _scheduled(desk: Desk, ask: Ask[Nothing, Schedule]) -> list[Operation]:
    body = ask.body
    if body.at_once and body.notice is not None:
        raise Invalid("notice and at_once exclude each other: what happens at once gives no notice.")
    machines = await find_machines(desk.engine, body.machines)
    work = Maintenance(
        impact=body.type,
        notice=duration("notice", body.notice),
        at_once=body.at_once,
        description=body.description,
        duration=body.duration,
    )
    return await desk.engine.schedule([(m.scope, m.name) for m in machines], work, ask.by, ask.key)


async def approve(desk: Desk, ask: Ask[Nothing, Nothing]) -> EventView:
    event = await find_event(desk.engine, ask.path["event"])
    return await _tell(desk, await desk.engine.approve_event(event.id, ask.by))


async def cancel(desk: Desk, ask: Ask[Nothing, Cancel]) -> EventView:
    event = await find_event(desk.engine, ask.path["event"])
    return await _tell(desk, await desk.engine.cancel_event(event.id, ask.by, ask.body.why))


async def _tell(desk: Desk, event: Event) -> EventView:
    (told,) = await _tell_all(desk, [event])
    return told


async def _tell_all(desk: Desk, events: Sequence[Event]) -> list[EventView]:
    """Each with what it waits for, which is its scope's to say."""
    waiting = sorted({event.scope for event in events if event.phase is Phase.SCHEDULED})

    def look(reader: Reader) -> dict[str, ApprovalPolicy]:
        return {name: scope.approval_policy for name in waiting if (scope := reader.scope(name)) is not None}

    policies = await desk.engine.store.read(look) if waiting else {}
    return [tell_event(event, policies.get(event.scope, FIRST)) for event in events]


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/events",
        does="The events that machines can see now, or all there ever were.",
        handler=list_events,
        query=EventQuery,
        answer=Events,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/events",
        does="Schedule platform maintenance: one event for each group of machines that goes down together.",
        handler=schedule,
        body=Schedule,
        answer=Scheduled,
        status=201,
        keyed=True,
        limit=LARGE,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/events/{event}",
        does="One event, by its id or an unambiguous beginning of it.",
        handler=get_event,
        answer=EventView,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/events/{event}/approve",
        does="Let it start now, whatever its scope's approval policy asks of machines.",
        handler=approve,
        answer=EventView,
        acknowledges=True,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/events/{event}/cancel",
        does="Call it off, if it has not started.",
        handler=cancel,
        body=Cancel,
        answer=EventView,
    ),
)
