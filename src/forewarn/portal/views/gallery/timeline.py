"""The timeline's lanes: bars of every phase, and campaigns at every pace."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from msgspec import structs

from forewarn.domain.campaigns import Campaign
from forewarn.domain.events import Actor, Event, EventType, Phase
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, Walk
from forewarn.portal.views.gallery.making import ALICE, MINUTE, a_machine, a_scope, an_approval, an_event
from forewarn.portal.views.paging import page_of
from forewarn.portal.views.timeline import MOST_BARS, Span, TimelineView, Wish, choose, timeline_view

CAMPAIGN = "00000000000000000000000000000007"


@dataclass(frozen=True, kw_only=True, slots=True)
class TimelineStates:
    lanes: dict[str, TimelineView]
    details: tuple[Event, ...]


def timeline_states(now: datetime) -> TimelineStates:
    return TimelineStates(
        lanes={
            "an hour": _drawn(now),
            "the first page of a week": _page(now, 1),
            "the second": _page(now, 2),
            "the last": _page(now, 3),
            "nothing": _empty(now, Wish()),
            "nothing that fits": _empty(now, Wish(search="xyz")),
        },
        details=(*_bars(now), _crowd(now)),
    )


def _drawn(now: datetime) -> TimelineView:
    """One lane for each phase, a machine that is gone, one with more events than there is room for, a campaign."""
    lanes = a_scope(_bars(now), scale_set=None, id="db")
    busy = a_scope(_many(now))
    walked = a_scope(
        [an_event(70, now, scope="shop", resources=("shop-2",), campaign=CAMPAIGN)],
        id="shop",
        scale_set=None,
        walk=Walk(campaign=CAMPAIGN, pause=10 * MINUTE, remaining=(3, 4), current=2),
    )
    resting = structs.replace(walked, id="stock", events=(), walk=_rest(now))
    quiet = structs.replace(resting, id="till")
    alone = a_scope([an_event(80, now, scope="solo", resources=("solo",))], id="solo", scale_set=None)
    ended = [event for event in _bars(now) if not event.phase.is_live] + _walked(now, "shop") + _walked(now, "stock")
    return _view(now, [lanes, busy, walked, resting, quiet, alone], ended)


def _view(now: datetime, scopes: list[Scope], ended: list[Event]) -> TimelineView:
    known = {scope.id: scope for scope in scopes}
    chosen = choose(known, ended, Wish(), now)
    campaigns = {CAMPAIGN: _campaign(now)}
    here = {name: _members(name) for name in ("shop", "stock", "db")} | {"web:0": [a_machine(9)]}
    solo = {"solo": [a_machine(0, scope="solo", name="solo")]}
    return timeline_view(chosen, known, here | solo, ended, campaigns)


def _members(scope: str) -> list[Machine]:
    """Of more, some are gone."""
    return [a_machine(n, scope=scope, name=f"{scope}-{n}") for n in range(5)]


def _bars(now: datetime) -> list[Event]:
    """Of each phase, one with approvals."""
    approved = (an_approval(now - 4 * MINUTE), an_approval(now - 2 * MINUTE, Actor.machine("db-1")))
    return [
        an_event(n, now, scope="db", phase=phase, type=kind, resources=(f"db-{n}",), approvals=approved)
        for n, (phase, kind) in enumerate(zip(Phase, EventType, strict=True), 1)
    ]


def _many(now: datetime) -> list[Event]:
    """More of one machine than its lane has room for; they overlap, and the last is too short for a word."""
    return [
        an_event(20 + n, now, resources=("web_9",), scheduled_at=now - n * MINUTE, not_before=now + MINUTE)
        for n in range(MOST_BARS + 2)
    ]


def _walked(now: datetime, scope: str) -> list[Event]:
    """The update domains that a campaign has left behind: one done, one failed."""
    return [
        an_event(
            60 + domain,
            now,
            scope=scope,
            resources=(f"{scope}-{domain}",),
            campaign=CAMPAIGN,
            phase=phase,
            scheduled_at=now - (25 - 12 * domain) * MINUTE,
            ended_at=now - (20 - 12 * domain) * MINUTE,
        )
        for domain, phase in ((0, Phase.COMPLETED), (1, Phase.FAILED))
    ]


def _rest(now: datetime) -> Walk:
    return Walk(campaign=CAMPAIGN, pause=10 * MINUTE, remaining=(2, 3, 4), due=now + 4 * MINUTE)


def _campaign(now: datetime) -> Campaign:
    return Campaign(
        id=CAMPAIGN,
        impact=EventType.REBOOT,
        scopes=("shop", "stock"),
        requested_by=ALICE,
        requested_at=now - timedelta(hours=1),
    )


def _crowd(now: datetime) -> Event:
    """As much as the details of one event ever have to tell."""
    names = tuple(f"web_{n}" for n in range(9))
    approvals = tuple(an_approval(now, Actor.machine(name)) for name in names)
    return an_event(90, now, resources=names, approvals=approvals, campaign=CAMPAIGN, description="Host network work.")


def _page(now: datetime, number: int) -> TimelineView:
    places = [("web:0", f"web_{n}") for n in range(3)]
    chosen = choose({"web:0": a_scope([an_event(1, now)])}, [], Wish(span=Span.WEEK, page=number), now)
    view = timeline_view(chosen, {"web:0": a_scope([an_event(1, now)])}, {}, [], {})
    return replace(view, page=page_of(places, number, 1))


def _empty(now: datetime, wish: Wish) -> TimelineView:
    return timeline_view(choose({}, [], wish, now), {}, {}, [], {})
