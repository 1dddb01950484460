"""Events: the list, the page of one, and what people decide about it."""

from dataclasses import dataclass
from urllib.parse import quote

from starlette.responses import Response

from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.events import Event, EventType, Operation, Phase
from forewarn.domain.history import Entry
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader
from forewarn.portal.asked import a_number, one_of
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.recent import announced, last_of_subject
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.sharing import sharing
from forewarn.portal.views.events import (
    PAGE,
    EventsView,
    EventView,
    EventWish,
    Shown,
    all_view,
    document_views,
    event_view,
    live_view,
)
from forewarn.portal.views.rehearsing import Stage, started_by_cancel, starts_if_approved

EVENTS = "/portal/events"
MOST_ENTRIES = 1000
LONGEST_REASON = 1000


def event_place(event: str) -> str:
    return f"{EVENTS}/{quote(event, safe='')}"


# The list


async def see_events(visit: Visit) -> Response:
    return page(visit, "events.html", view=await _list(visit), types=[each.value for each in EventType])


async def see_table(visit: Visit) -> Response:
    return page(visit, "events_table.html", view=await _list(visit))


async def _list(visit: Visit) -> EventsView:
    wish = wish_of(visit)
    scopes = (await visit.desk.roster.fill()).scopes
    if wish.shown is Shown.LIVE:
        return live_view(scopes, wish)
    found = await visit.desk.engine.store.read(lambda r: announced(r, wish.before, wish.fits, PAGE))
    return all_view(found.events, scopes, wish, found.older)


def wish_of(visit: Visit) -> EventWish:
    """From the query; what makes no sense is as if it was not there."""
    return EventWish(
        shown=one_of(Shown, visit.asked("show")) or Shown.LIVE,
        type=one_of(EventType, visit.asked("type")),
        search=visit.asked("search")[:200],
        page=a_number(visit.asked("page")) or 1,
        before=a_number(visit.asked("before")),
    )


# One of them


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    event: Event
    scopes: list[Scope]
    operation: Operation | None
    history: list[Entry]

    @property
    def home(self) -> Scope | None:
        return next((scope for scope in self.scopes if scope.id == self.event.scope), None)


async def see_event(visit: Visit) -> Response:
    found = await _find(visit)
    return page(visit, "event.html", view=_view(visit, found), documents=document_views(found.event, found.home))


async def see_state(visit: Visit) -> Response:
    return page(visit, "event_state.html", view=_view(visit, await _find(visit)))


async def see_documents(visit: Visit) -> Response:
    found = await _find(visit)
    return page(visit, "event_documents.html", event=found.event, documents=document_views(found.event, found.home))


async def see_cancel(visit: Visit) -> Response:
    """What would come of it, before it is done."""
    visit.check_act()
    found = await _find(visit)
    view = _view(visit, found)
    if not view.is_open:
        raise Conflict(
            "Event {event} is {phase}: there is nothing left to cancel.",
            key="nothing_to_cancel",
            event=found.event.id,
            phase=found.event.phase.value,
        )
    return page(
        visit, "event_cancel.html", view=view, starts=started_by_cancel(found.event, _stage(visit, found), visit.by)
    )


async def take_cancel(visit: Visit, form: Form) -> Response:
    visit.check_act()
    event = await visit.desk.engine.cancel_event(_id(visit), visit.by, form.get("why", "").strip()[:LONGEST_REASON])
    return see(event_place(event.id))


async def take_approve(visit: Visit, form: Form) -> Response:
    visit.check_approve()
    event = await visit.desk.engine.approve_event(_id(visit), visit.by)
    return see(event_place(event.id))


def _view(visit: Visit, found: _Found) -> EventView:
    event, stage = found.event, _stage(visit, found)
    starts = event.phase is Phase.SCHEDULED and starts_if_approved(event, stage, visit.by)
    return event_view(event, found.scopes, found.operation, found.history, visit.now, starts_if_approved=starts)


def _stage(visit: Visit, found: _Found) -> Stage:
    return Stage(scopes=found.scopes, settings=visit.desk.engine.settings, now=visit.now)


async def _find(visit: Visit) -> _Found:
    return await visit.desk.engine.store.read(lambda reader: _look(reader, _id(visit)))


def _look(reader: Reader, event_id: str) -> _Found:
    event = reader.event(event_id)
    if event is None:
        raise NotFound("There is no event {event}.", key="no_such_event", event=event_id[:64])
    return _Found(
        event=event,
        scopes=sharing(reader, [event.scope]),
        operation=reader.operation(event.operation),
        history=last_of_subject(reader, event.id, MOST_ENTRIES),
    )


def _id(visit: Visit) -> str:
    return str(visit.request.path_params["event"]).upper()


ROWS: Rows = (
    Row(path="/events", see=see_events),
    Row(path="/events/table", see=see_table),
    Row(path="/events/{event}", see=see_event),
    Row(path="/events/{event}/state", see=see_state),
    Row(path="/events/{event}/documents", see=see_documents),
    Row(path="/events/{event}/approve", take=take_approve),
    Row(path="/events/{event}/cancel", see=see_cancel, take=take_cancel),
)
