"""The timeline: what happens to machines, drawn. One lane for each machine that has an event in the window."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum

from forewarn.domain.campaigns import Campaign
from forewarn.domain.events import Event, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.portal.views.drawing import Bar, Piece, Window, draw_bars, draw_steps, in_sight, rows_of
from forewarn.portal.views.paging import Page, page_of
from forewarn.portal.views.rolling import Rolling, rolling

PAGE = 50
"""Lanes on a page."""

MOST_BARS = 12
"""In a lane: what is live, and of the rest the latest."""


class Span(Enum):
    """How much time is shown, half of it past."""

    HOUR = "1h"
    SIX_HOURS = "6h"
    DAY = "24h"
    WEEK = "7d"

    @property
    def length(self) -> timedelta:
        return SPANS[self][0]

    @property
    def step(self) -> timedelta:
        """From one tick to the next."""
        return SPANS[self][1]


SPANS = {
    Span.HOUR: (timedelta(hours=1), timedelta(minutes=10)),
    Span.SIX_HOURS: (timedelta(hours=6), timedelta(hours=1)),
    Span.DAY: (timedelta(hours=24), timedelta(hours=4)),
    Span.WEEK: (timedelta(days=7), timedelta(days=1)),
}
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


Place = tuple[str, str]
"""(scope, machine); without a machine, a scope that a campaign walks through while no event of it is in sight."""


class Shown(Enum):
    ALL = "all"  # all that is in the window
    LIVE = "live"  # what is announced or under way


@dataclass(frozen=True, kw_only=True, slots=True)
class Wish:
    """What somebody wants to see. A search finds machines, scopes, types, and campaigns by their id."""

    span: Span = Span.HOUR
    search: str = ""
    shown: Shown = Shown.ALL
    page: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Tick:
    at: datetime
    x: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Lane:
    name: str
    is_gone: bool
    """The machine is no more."""
    bars: tuple[Bar, ...]
    rows: int
    unseen: int
    """Events of the window that found no place here."""
    pending: Event | None
    """Under way, or else starts next."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignLane:
    rolling: Rolling
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ScopeLanes:
    scope: str
    is_alone: bool
    """A machine by itself: its lane says it all."""
    campaigns: tuple[CampaignLane, ...]
    lanes: tuple[Lane, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineView:
    wish: Wish
    page: Page[Place]
    window: Window
    ticks: tuple[Tick, ...]
    groups: tuple[ScopeLanes, ...]
    events: tuple[Event, ...]
    """Those drawn, each once, for their details."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chosen:
    """What is on the page, before it is looked up what campaigns are there."""

    wish: Wish
    page: Page[Place]
    window: Window
    places: Mapping[str, Sequence[Place]]
    """By scope."""
    events: Mapping[Place, Sequence[Event]]
    """In sight, on this page or another."""

    def campaigns(self, scopes: Mapping[str, Scope]) -> set[str]:
        """Their ids."""
        return {key for scope in self.places for key in self.campaigns_in(scope, scopes)}

    def campaigns_in(self, scope: str, scopes: Mapping[str, Scope]) -> list[str]:
        """The one that walks through the scope, and those whose events are in sight."""
        here = scopes.get(scope)
        walks = [here.walk.campaign] if here is not None and here.walk is not None else []
        seen = [event.campaign for place in self.places[scope] for event in self.events.get(place, ())]
        return list(dict.fromkeys([*walks, *(campaign for campaign in seen if campaign is not None)]))


def choose(scopes: Mapping[str, Scope], ended: Iterable[Event], wish: Wish, now: datetime) -> Chosen:
    window = Window(begin=now - wish.span.length / 2, end=now + wish.span.length / 2, now=now)
    events: dict[Place, list[Event]] = {}
    for event in _to_show(scopes, ended, wish, window):
        for name in event.resources:
            events.setdefault((event.scope, name), []).append(event)
    with_lane = {scope for scope, _ in events}
    walked = {scope.id: scope.walk.campaign for scope in scopes.values() if scope.walk is not None}
    everywhere = [*events, *((scope, "") for scope in walked if scope not in with_lane)]
    found = sorted(_searched(everywhere, events, walked, wish.search), key=lambda at: (at[0], len(at[1]), at[1]))
    page = page_of(found, wish.page, PAGE)
    places: dict[str, list[Place]] = {}
    for place in page.items:
        places.setdefault(place[0], []).append(place)
    return Chosen(wish=wish, page=page, window=window, places=places, events=events)


def timeline_view(
    chosen: Chosen,
    scopes: Mapping[str, Scope],
    machines: Mapping[str, Sequence[Machine]],
    ended: Iterable[Event],
    campaigns: Mapping[str, Campaign],
) -> TimelineView:
    """`machines`: by scope. `ended`: also what is out of sight, as a campaign's steps began earlier."""
    past: dict[str, list[Event]] = {}
    for event in ended:
        if event.campaign in campaigns and event.scope in chosen.places:
            past.setdefault(event.scope, []).append(event)
    groups = [
        _group(chosen, scope, scopes, machines.get(scope, ()), past.get(scope, []), campaigns)
        for scope in chosen.places
    ]
    drawn = {bar.event.id: bar.event for group in groups for lane in group.lanes for bar in lane.bars}
    return TimelineView(
        wish=chosen.wish,
        page=chosen.page,
        window=chosen.window,
        ticks=tuple(_ticks(chosen.window, chosen.wish.span.step)),
        groups=tuple(groups),
        events=tuple(drawn.values()),
    )


def _to_show(scopes: Mapping[str, Scope], ended: Iterable[Event], wish: Wish, window: Window) -> Iterator[Event]:
    live = (event for scope in scopes.values() for event in scope.events if event.phase.is_live)
    yield from (event for event in live if in_sight(event, window))
    if wish.shown is Shown.ALL:
        yield from (event for event in ended if in_sight(event, window))


def _searched(
    places: Sequence[Place], events: Mapping[Place, Sequence[Event]], walked: Mapping[str, str], search: str
) -> Sequence[Place]:
    words = search.lower().split()
    if not words:
        return places

    def told(place: Place) -> str:
        about = (word for event in events.get(place, ()) for word in (event.type.value, event.campaign or ""))
        return " ".join((*place, walked.get(place[0], ""), *about)).lower()

    return [place for place in places if all(word in told(place) for word in words)]


def _group(
    chosen: Chosen,
    scope: str,
    scopes: Mapping[str, Scope],
    machines: Sequence[Machine],
    past: Sequence[Event],
    campaigns: Mapping[str, Campaign],
) -> ScopeLanes:
    here = scopes.get(scope)
    events = [*past, *(here.events if here is not None else ())]
    names = {machine.name for machine in machines}
    lanes = [
        _lane(name, chosen.events[scope, name], chosen.window, is_gone=name not in names)
        for scope, name in chosen.places[scope]
        if name
    ]
    rolled = [
        rolling(campaigns[key], here, scope, machines, [e for e in events if e.campaign == key], chosen.window.now)
        for key in chosen.campaigns_in(scope, scopes)
        if key in campaigns
    ]
    return ScopeLanes(
        scope=scope,
        is_alone=not rolled and [lane.name for lane in lanes] == [scope],
        campaigns=tuple(CampaignLane(rolling=one, pieces=draw_steps(one, chosen.window)) for one in rolled),
        lanes=tuple(lanes),
    )


def _lane(name: str, events: Sequence[Event], window: Window, *, is_gone: bool) -> Lane:
    nearest = sorted(events, key=lambda e: (e.phase.is_live, e.ended_at or e.scheduled_at), reverse=True)[:MOST_BARS]
    live = sorted((e for e in events if e.phase.is_live), key=lambda e: (e.phase is not Phase.STARTED, e.not_before))
    bars = draw_bars(nearest, window)
    return Lane(
        name=name,
        is_gone=is_gone,
        bars=bars,
        rows=rows_of(bars),
        unseen=len(events) - len(nearest),
        pending=live[0] if live else None,
    )


def _ticks(window: Window, step: timedelta) -> Iterator[Tick]:
    """At round times, but not so near to an edge that what is written there is cut off."""
    at = EPOCH + -(-(window.begin - EPOCH) // step) * step
    while at <= window.end:
        if 2 <= window.x(at) <= 98:
            yield Tick(at=at, x=window.x(at))
        at += step
