"""How far a campaign is in one scope, in every state it can be in."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import pytest

from forewarn.domain.campaigns import HALTED, CampaignState
from forewarn.domain.events import Event, Phase
from forewarn.domain.history import Entry, What
from forewarn.domain.scopes import Walk
from forewarn.portal.views.rolling import Pace, Rolling, StepState, rolling
from forewarn.testing.builders import NOON, a_campaign, a_machine, a_scope, an_entry, an_event

MACHINES = [a_machine(f"vm{domain}", update_domain=domain) for domain in range(3)]
PAUSE = timedelta(minutes=10)


def after(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def a_walk(**changes: Any) -> Walk:
    return Walk(**{"campaign": "campaign", "pause": PAUSE, "remaining": (), **changes})


def of(domain: int, phase: Phase = Phase.SCHEDULED, **changes: Any) -> Event:
    over = {} if phase.is_live else {"ended_at": after(3)}
    return an_event(f"E{domain}", resources=(f"vm{domain}",), phase=phase, campaign="campaign", **{**over, **changes})


def told(word: str, minutes: float = 0) -> Entry:
    return an_entry("campaign", what=What.CAMPAIGN, after=word, at=after(minutes))


def look(
    *events: Event, walk: Walk | None = None, state: CampaignState = CampaignState.RUNNING, words: Sequence[Entry] = ()
) -> Rolling:
    scope = a_scope(walk=walk)
    return rolling(a_campaign(state=state), scope, "s", MACHINES, events, after(5), words)


def states(seen: Rolling) -> list[StepState]:
    return [step.state for step in seen.steps]


@pytest.mark.parametrize(
    ("walk", "state", "pace"),
    [
        pytest.param(a_walk(remaining=(1, 2), current=0), CampaignState.RUNNING, Pace.WALKS, id="under way"),
        pytest.param(a_walk(remaining=(0, 1, 2), due=after(5)), CampaignState.RUNNING, Pace.WALKS, id="due now"),
        pytest.param(a_walk(remaining=(2,), due=after(9)), CampaignState.RUNNING, Pace.RECOVERS, id="recovers"),
        pytest.param(a_walk(remaining=(2,)), CampaignState.PAUSED, Pace.PAUSED, id="paused"),
        pytest.param(a_walk(remaining=(2,), halted=True), CampaignState.RUNNING, Pace.HALTED, id="halted"),
        pytest.param(a_walk(current=1), CampaignState.CANCELED, Pace.STOPS, id="cancelled, but something runs"),
        pytest.param(None, CampaignState.CANCELED, Pace.CANCELED, id="cancelled"),
        pytest.param(None, CampaignState.RUNNING, Pace.COMPLETED, id="completed"),
        pytest.param(None, CampaignState.PAUSED, Pace.COMPLETED, id="paused at its end"),
        pytest.param(a_walk(campaign="other"), CampaignState.RUNNING, Pace.COMPLETED, id="another one is there now"),
    ],
)
def test_what_the_campaign_does_here(walk: Walk | None, state: CampaignState, pace: Pace) -> None:
    assert look(walk=walk, state=state).pace is pace


def test_update_domains_are_done_under_way_and_waiting() -> None:
    seen = look(of(0, Phase.COMPLETED), of(1), walk=a_walk(remaining=(2,), current=1))
    assert states(seen) == [StepState.DONE, StepState.NOTICE, StepState.WAITS]
    assert seen.current is not None
    assert seen.current.not_before == after(15)
    assert seen.next is not None
    assert (seen.done, seen.next.domain) == (1, 2)


def test_the_impact_is_under_way() -> None:
    seen = look(of(1, Phase.STARTED, started_at=after(4)), walk=a_walk(remaining=(2,), current=1))
    assert states(seen)[1] is StepState.STARTED


def test_a_recovery_pause_tells_when_it_ends() -> None:
    seen = look(of(0, Phase.COMPLETED), walk=a_walk(remaining=(1, 2), due=after(13)))
    assert (seen.due, seen.steps[0].ended_at) == (after(13), after(3))


def test_an_update_domain_in_which_a_driver_failed_is_told_from_its_event() -> None:
    assert states(look(of(0, Phase.FAILED), walk=a_walk(remaining=(1, 2), halted=True)))[0] is StepState.FAILED


def test_or_from_what_the_campaign_said_long_ago() -> None:
    words = [told("begun"), told("update domain 0"), told(HALTED), told("update domain 1", 2)]
    assert states(look(words=words))[:2] == [StepState.FAILED, StepState.DONE]


def test_what_it_said_tells_when_a_step_began_also_without_its_events() -> None:
    seen = look(words=[told("begun"), told("update domain 0", 1), told("update domain 1", 2), told("completed", 3)])
    assert [step.begun_at for step in seen.steps] == [after(1), after(2), None]
    assert states(seen) == [StepState.DONE, StepState.DONE, StepState.SKIPPED]


def test_a_cancelled_campaign_has_called_off_one_step_and_never_reached_the_others() -> None:
    seen = look(of(0, Phase.COMPLETED), of(1, Phase.CANCELED), state=CampaignState.CANCELED)
    assert states(seen) == [StepState.DONE, StepState.CANCELED, StepState.SKIPPED]


def test_an_event_whose_machines_are_gone_belongs_to_no_step() -> None:
    assert states(look(of(9, Phase.COMPLETED))) == [StepState.SKIPPED] * 3


def test_a_scope_that_is_gone_has_no_steps_left() -> None:
    assert rolling(a_campaign(), None, "s", [], [], NOON).steps == ()
