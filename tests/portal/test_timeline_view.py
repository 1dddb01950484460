"""The timeline as a value: which lanes there are, in which order, on which page."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from forewarn.domain.events import Event, EventType, Phase
from forewarn.domain.scopes import Scope, Walk
from forewarn.portal.views.rolling import Pace, StepState
from forewarn.portal.views.timeline import MOST_BARS, PAGE, Shown, Span, TimelineView, Wish, choose, timeline_view
from forewarn.testing.builders import NOON, a_campaign, a_machine, a_scope, a_scope_with, an_event


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


NOW = after(5)
WALK = Walk(campaign="C", pause=timedelta(minutes=10), remaining=(1, 2), current=0)


def view(
    *scopes: Scope,
    ended: Sequence[Event] = (),
    wish: Wish | None = None,
    machines: Mapping[str, Sequence[str]] | None = None,
) -> TimelineView:
    """`machines`: their names by scope, each in an update domain of its own."""
    known = {scope.id: scope for scope in scopes}
    chosen = choose(known, ended, wish or Wish(), NOW)
    members = {
        scope: [a_machine(name, scope, update_domain=domain) for domain, name in enumerate(names)]
        for scope, names in (machines or {}).items()
    }
    campaigns = {key: a_campaign(key) for key in chosen.campaigns(known)}
    return timeline_view(chosen, known, members, ended, campaigns)


def lanes(seen: TimelineView) -> list[str]:
    return [f"{group.scope}/{lane.name}" for group in seen.groups for lane in group.lanes]


def an_end(name: str, minutes: float, **changes: Any) -> Event:
    """Of an event that was cancelled."""
    return an_event(name, phase=Phase.CANCELED, scheduled_at=after(minutes - 1), ended_at=after(minutes), **changes)


def test_there_is_a_lane_for_each_machine_with_an_event_and_for_no_other() -> None:
    both = an_event("A", "db", resources=("db-10", "db-2"))
    seen = view(a_scope_with([both], "db"), a_scope("idle"), machines={"db": ["db-2", "db-10", "db-3"]})
    assert lanes(seen) == ["db/db-2", "db/db-10"]
    assert [event.id for event in seen.events] == ["A"], "its details are there once"


def test_what_ended_lately_is_there_and_what_ended_before_the_window_is_not() -> None:
    ended = [an_end("A", -2, resources=("one",)), an_end("B", -200, resources=("two",))]
    assert lanes(view(ended=ended)) == ["s/one"]
    assert lanes(view(ended=ended, wish=Wish(span=Span.DAY))) == ["s/one", "s/two"]


def test_of_a_machine_that_is_gone_the_past_stays() -> None:
    (group,) = view(ended=[an_end("A", -2, resources=("here",)), an_end("B", -2)], machines={"s": ["here"]}).groups
    assert [(lane.name, lane.is_gone) for lane in group.lanes] == [("vm", True), ("here", False)]


def test_only_what_is_live_if_somebody_wants_only_that() -> None:
    scope = a_scope_with([an_event(resources=("waits",))])
    assert lanes(view(scope, ended=[an_end("A", -2)], wish=Wish(shown=Shown.LIVE))) == ["s/waits"]


@pytest.mark.parametrize(
    ("search", "found"),
    [
        pytest.param("", ["db/db-0", "web:0/web_0"], id="everything"),
        pytest.param("WEB_0", ["web:0/web_0"], id="a machine"),
        pytest.param("db", ["db/db-0"], id="a scope"),
        pytest.param("freeze web", ["web:0/web_0"], id="a type and a scope"),
        pytest.param("camp-7", ["db/db-0"], id="a campaign"),
        pytest.param("nothing", [], id="nothing"),
    ],
)
def test_search(search: str, found: list[str]) -> None:
    web = a_scope_with([an_event("A", "web:0", resources=("web_0",), type=EventType.FREEZE)], "web:0")
    db = a_scope_with([an_event("B", "db", resources=("db-0",), campaign="CAMP-7")], "db")
    assert lanes(view(web, db, wish=Wish(search=search))) == found


def test_many_lanes_come_in_pages_and_a_page_that_is_not_there_is_the_last() -> None:
    many = a_scope_with([an_event(resources=tuple(f"vm{number}" for number in range(PAGE + 3)))])
    assert len(lanes(view(many))) == PAGE
    last = view(many, wish=Wish(page=99))
    assert (last.page.number, last.page.count, last.page.found) == (2, 2, PAGE + 3)
    assert lanes(last) == [f"s/vm{number}" for number in range(PAGE, PAGE + 3)]


def test_a_lane_has_so_many_bars_and_first_of_all_what_is_live() -> None:
    ended = [an_end(f"E{number}", -number / 10) for number in range(MOST_BARS + 4)]
    (group,) = view(a_scope_with([an_event("LIVE", scheduled_at=after(-25))]), ended=ended).groups
    (lane,) = group.lanes
    assert (len(lane.bars), lane.unseen) == (MOST_BARS, 5)
    assert lane.bars[0].event.id == "LIVE"
    assert f"E{MOST_BARS + 3}" not in {bar.event.id for bar in lane.bars}, "the oldest found no place"


def test_a_lane_tells_what_is_under_way_or_else_starts_next() -> None:
    later, sooner = an_event("A", not_before=after(30)), an_event("B", not_before=after(9))
    (group,) = view(a_scope_with([later, sooner])).groups
    assert group.lanes[0].pending == sooner
    started = an_event("C", phase=Phase.STARTED, started_at=NOW, not_before=after(60))
    (group,) = view(a_scope_with([later, sooner, started])).groups
    assert group.lanes[0].pending == started


@pytest.mark.parametrize(
    ("span", "first", "ticks"),
    [
        pytest.param(Span.HOUR, NOON - timedelta(minutes=20), 6, id="an hour"),
        pytest.param(Span.SIX_HOURS, NOON - timedelta(hours=2), 5, id="six hours"),
        pytest.param(Span.DAY, NOON - timedelta(hours=8), 5, id="a day"),
        pytest.param(Span.WEEK, NOON - timedelta(days=2, hours=12), 6, id="a week"),
    ],
)
def test_ticks_are_at_round_times_and_none_at_the_very_edge(span: Span, first: datetime, ticks: int) -> None:
    seen = view(a_scope_with([an_event()]), wish=Wish(span=span))
    assert seen.window.x(NOW) == 50.0
    assert (seen.ticks[0].at, len(seen.ticks)) == (first, ticks)
    assert all(2 <= tick.x <= 98 for tick in seen.ticks)


def test_a_campaign_stands_above_the_lanes_with_its_update_domains_as_steps() -> None:
    event = an_event(resources=("a",), campaign="C")
    (group,) = view(a_scope_with([event], walk=WALK), machines={"s": ["a", "b", "c"]}).groups
    (campaign,) = group.campaigns
    assert [(step.domain, step.state) for step in campaign.rolling.steps] == [
        (0, StepState.NOTICE),
        (1, StepState.WAITS),
        (2, StepState.WAITS),
    ]
    assert not group.is_alone


def test_a_campaign_is_there_while_no_event_of_it_is_in_sight() -> None:
    walk = Walk(campaign="C", pause=timedelta(hours=2), remaining=(1,), due=after(60))
    (group,) = view(a_scope(walk=walk), machines={"s": ["a", "b"]}).groups
    assert group.lanes == ()
    assert group.campaigns[0].rolling.pace is Pace.RECOVERS


def test_steps_that_are_out_of_sight_still_count_as_done() -> None:
    done = an_event(
        "A",
        phase=Phase.COMPLETED,
        started_at=after(-300),
        scheduled_at=after(-310),
        ended_at=after(-299),
        campaign="C",
        resources=("a",),
    )
    walk = Walk(campaign="C", pause=timedelta(hours=2), remaining=(), current=1)
    (group,) = view(a_scope(walk=walk), ended=[done], machines={"s": ["a", "b"]}).groups
    assert [step.state for step in group.campaigns[0].rolling.steps] == [StepState.DONE, StepState.NOTICE]


def test_a_machine_by_itself_needs_no_heading() -> None:
    (group,) = view(a_scope_with([an_event(scope="solo", resources=("solo",))], "solo")).groups
    assert group.is_alone
