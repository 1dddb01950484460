"""Every state of an event and of a campaign's step, as it is drawn."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from forewarn.domain.events import Actor, Approval, Event, Phase
from forewarn.portal.views.drawing import NARROWEST, SLIVER, Ink, Sign, Window, draw_bars, draw_steps, in_sight
from forewarn.portal.views.rolling import Pace, Rolling, Step, StepState
from forewarn.testing.builders import NOON, a_campaign, an_event


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


NOW = after(10)
WINDOW = Window(begin=after(-20), end=after(40), now=NOW)
APPROVAL = Approval(by=Actor.machine("vm"), at=after(5))
STARTED: dict[str, Any] = {"phase": Phase.STARTED, "started_at": after(6)}


@pytest.mark.parametrize(
    ("changes", "inks", "signs"),
    [
        pytest.param({}, [Ink.NOTICE], [Sign.NOT_BEFORE], id="notice runs"),
        pytest.param({"approvals": (APPROVAL,)}, [Ink.NOTICE], [Sign.APPROVED, Sign.NOT_BEFORE], id="approved"),
        pytest.param({"not_before": after(500)}, [Ink.NOTICE], [], id="NotBefore is out of sight"),
        pytest.param(STARTED, [Ink.GIVEN, Ink.STARTED], [], id="under way"),
        pytest.param({**STARTED, "started_at": NOON}, [Ink.STARTED], [], id="struck without notice"),
        pytest.param(
            {**STARTED, "phase": Phase.COMPLETED, "ended_at": after(8), "approvals": (APPROVAL,)},
            [Ink.GIVEN, Ink.DONE],
            [Sign.APPROVED, Sign.DONE],
            id="done",
        ),
        pytest.param(
            {**STARTED, "phase": Phase.FAILED, "ended_at": after(8)},
            [Ink.GIVEN, Ink.FAILED],
            [Sign.FAILED],
            id="failed",
        ),
        pytest.param({"phase": Phase.CANCELED, "ended_at": after(8)}, [Ink.CANCELED], [Sign.CANCELED], id="cancelled"),
    ],
)
def test_how_an_event_is_drawn(changes: dict[str, Any], inks: list[Ink], signs: list[Sign]) -> None:
    (bar,) = draw_bars([an_event(**changes)], WINDOW)
    assert [piece.ink for piece in bar.pieces] == inks
    assert [mark.sign for mark in bar.marks] == signs


def test_a_bar_is_where_its_moments_are() -> None:
    (bar,) = draw_bars([an_event()], WINDOW)  # notice from 12:00 to 12:15, in a window from 11:40 to 12:40
    assert (bar.x, bar.width) == (33.33, 25.0)


def test_what_sticks_out_of_the_window_is_cut_off_at_its_edges() -> None:
    (bar,) = draw_bars([an_event(scheduled_at=after(-500), not_before=after(500))], WINDOW)
    assert (bar.x, bar.width) == (0.0, 100.0)


def test_what_is_under_way_reaches_up_to_now_and_grows() -> None:
    (bar,) = draw_bars([an_event(**STARTED)], WINDOW)
    impact = bar.pieces[-1]
    assert impact.is_open
    assert impact.x + impact.width == pytest.approx(WINDOW.x(NOW), abs=0.02)


def test_what_has_only_just_begun_is_seen_and_can_be_pointed_at() -> None:
    (bar,) = draw_bars([an_event(phase=Phase.STARTED, scheduled_at=NOW, started_at=NOW)], WINDOW)
    assert bar.width == NARROWEST
    assert [piece.width for piece in bar.pieces] == [SLIVER]


def test_events_that_overlap_are_below_each_other_and_others_share_a_row() -> None:
    first = an_event("A", phase=Phase.CANCELED, ended_at=after(3))
    overlaps = an_event("B", scheduled_at=after(1))
    later = an_event("C", scheduled_at=after(9))
    assert [(bar.event.id, bar.row) for bar in draw_bars([later, overlaps, first], WINDOW)] == [
        ("A", 0),
        ("B", 1),
        ("C", 0),
    ]


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        pytest.param(an_event(), True, id="inside"),
        pytest.param(an_event(phase=Phase.CANCELED, scheduled_at=after(-90), ended_at=after(-30)), False, id="over"),
        pytest.param(an_event(scheduled_at=after(-900), not_before=after(900)), True, id="around it"),
        pytest.param(an_event(scheduled_at=after(50), not_before=after(60)), False, id="later"),
    ],
)
def test_what_is_in_sight(event: Event, seen: bool) -> None:
    assert in_sight(event, WINDOW) is seen


def a_step(domain: int, state: StepState, begun: float | None = None, ended: float | None = None) -> Step:
    return Step(
        domain=domain,
        state=state,
        machines=1,
        begun_at=None if begun is None else after(begun),
        ended_at=None if ended is None else after(ended),
    )


def test_a_campaign_is_its_steps_and_the_pauses_between_and_after_them() -> None:
    steps = (
        a_step(0, StepState.DONE, -15, -10),
        a_step(1, StepState.FAILED, -5, 5),
        a_step(2, StepState.WAITS),
    )
    rolling = Rolling(campaign=a_campaign(), scope="s", pace=Pace.RECOVERS, steps=steps, due=after(20))
    drawn = [(piece.ink, piece.domain, piece.x) for piece in draw_steps(rolling, WINDOW)]
    assert drawn == [
        (Ink.DONE, 0, WINDOW.x(after(-15))),
        (Ink.FAILED, 1, WINDOW.x(after(-5))),
        (Ink.PAUSE, None, WINDOW.x(after(-10))),
        (Ink.PAUSE, None, WINDOW.x(after(5))),
    ]


@pytest.mark.parametrize(
    ("state", "ink"),
    [
        pytest.param(StepState.NOTICE, Ink.NOTICE, id="notice"),
        pytest.param(StepState.STARTED, Ink.STARTED, id="started"),
        pytest.param(StepState.CANCELED, Ink.CANCELED, id="canceled"),
    ],
)
def test_how_a_step_is_drawn(state: StepState, ink: Ink) -> None:
    rolling = Rolling(campaign=a_campaign(), scope="s", pace=Pace.WALKS, steps=(a_step(0, state, 0, 9),))
    assert [piece.ink for piece in draw_steps(rolling, WINDOW)] == [ink]


def test_of_a_step_that_was_never_reached_nothing_is_drawn() -> None:
    rolling = Rolling(campaign=a_campaign(), scope="s", pace=Pace.CANCELED, steps=(a_step(0, StepState.SKIPPED),))
    assert draw_steps(rolling, WINDOW) == ()
