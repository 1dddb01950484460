"""Campaigns as values: how they stand, what can be asked of them, what cancelling would do."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.events import Phase
from forewarn.domain.scopes import Scope, Walk
from forewarn.portal.views.campaigns import (
    PAGE,
    SCOPES,
    Standing,
    campaign_view,
    campaigns_view,
    cancel_view,
    scopes_on,
)
from forewarn.testing.builders import NOON, a_campaign, a_machine, a_scope, a_scope_with, an_event


def a_walk(**changes: Any) -> Walk:
    return Walk(**{"campaign": "C", "pause": timedelta(minutes=10), "remaining": (1,), "current": 0, **changes})


def by_id(*scopes: Scope) -> dict[str, Scope]:
    return {scope.id: scope for scope in scopes}


@pytest.mark.parametrize(
    ("state", "walks", "standing", "verbs"),
    [
        pytest.param(CampaignState.RUNNING, [a_walk()], Standing.RUNNING, ("pause", "cancel"), id="running"),
        pytest.param(CampaignState.PAUSED, [a_walk()], Standing.PAUSED, ("resume", "cancel"), id="paused"),
        pytest.param(
            CampaignState.RUNNING, [a_walk(), a_walk(halted=True)], Standing.HALTED, ("resume", "cancel"), id="halted"
        ),
        pytest.param(CampaignState.RUNNING, [], Standing.COMPLETED, (), id="completed"),
        pytest.param(CampaignState.PAUSED, [], Standing.COMPLETED, (), id="paused at its very end"),
        pytest.param(CampaignState.CANCELED, [a_walk()], Standing.STOPS, (), id="stopping"),
        pytest.param(CampaignState.CANCELED, [], Standing.CANCELED, (), id="cancelled"),
    ],
)
def test_how_a_campaign_stands(
    state: CampaignState, walks: list[Walk], standing: Standing, verbs: tuple[str, ...]
) -> None:
    scopes = by_id(*(a_scope(f"s{number}", walk=walk) for number, walk in enumerate(walks)))
    (row,) = campaigns_view([a_campaign("C", state=state, scopes=("s0", "s1"))], scopes, 1).rows
    assert (row.standing, row.verbs, row.under_way, row.left) == (standing, verbs, len(walks), 2 - len(walks))


def test_the_latest_campaign_comes_first_and_many_come_in_pages() -> None:
    many = [a_campaign(f"C{n:02}", requested_at=NOON + timedelta(hours=n)) for n in range(PAGE + 1)]
    first = campaigns_view(many, {}, 1)
    assert (first.rows[0].campaign.id, len(first.rows), first.page.count) == (f"C{PAGE:02}", PAGE, 2)
    assert [row.campaign.id for row in campaigns_view(many, {}, 2).rows] == ["C00"]


def test_one_campaign_is_told_scope_by_scope() -> None:
    campaign = a_campaign("C", scopes=("b", "a"))
    scopes = by_id(a_scope("a", walk=a_walk()), a_scope("b"))
    machines = {name: [a_machine(f"{name}{d}", name, update_domain=d) for d in (0, 1)] for name in ("a", "b")}
    seen = campaign_view(campaign, scopes, machines, [], {}, NOON, scopes_on(campaign, 1))
    assert [rolling.scope for rolling in seen.scopes] == ["a", "b"]
    assert (seen.domains, seen.domains_left) == (4, 2)


def test_many_scopes_come_in_pages() -> None:
    campaign = a_campaign(scopes=tuple(f"s{number:03}" for number in range(SCOPES + 1)))
    assert list(scopes_on(campaign, 2).items) == [f"s{SCOPES:03}"]


def test_cancelling_calls_off_what_waits_and_leaves_what_has_started() -> None:
    waits = an_event("A", campaign="C")
    starts = an_event("B", campaign="C", phase=Phase.STARTED, started_at=NOON)
    other = an_event("D", campaign=None)
    seen = cancel_view(a_campaign("C"), by_id(a_scope_with([waits, starts, other], walk=a_walk(remaining=(1, 2)))))
    assert (seen.called_off, seen.started, seen.spared) == (1, 1, 2)
    assert [event.id for event in seen.examples] == ["A"]
