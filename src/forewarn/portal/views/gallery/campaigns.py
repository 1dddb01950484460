"""Campaigns: the list, and one at every pace."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.events import EventType, Phase
from forewarn.domain.scopes import Walk
from forewarn.portal.views.campaigns import CampaignRow, CampaignsView, CampaignView, Standing
from forewarn.portal.views.gallery.making import ALICE, MINUTE, a_machine, a_scope, an_event
from forewarn.portal.views.paging import page_of
from forewarn.portal.views.rolling import Rolling, Step, StepState, rolling

ID = "00000000000000000000000000000007"
SCOPES = ("shop", "stock", "till")


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignStates:
    steps: Rolling
    """An update domain in each state."""
    lists: dict[str, CampaignsView]
    views: dict[str, CampaignView]


def campaign_states(now: datetime) -> CampaignStates:
    return CampaignStates(
        steps=Rolling(
            campaign=_campaign(now),
            scope="web:0",
            pace=rolling(_campaign(now), None, "web:0", [], [], now).pace,
            steps=tuple(_step(number, state, now) for number, state in enumerate(StepState)),
        ),
        lists=_lists(now),
        views={standing.value: _view(now, standing, number) for number, standing in enumerate(Standing, 1)},
    )


def _campaign(now: datetime, **changes: Any) -> Campaign:
    campaign = Campaign(
        id=ID,
        impact=EventType.REBOOT,
        scopes=SCOPES,
        requested_by=ALICE,
        requested_at=now - timedelta(hours=1),
    )
    return replace(campaign, **changes)


def _described(now: datetime) -> Campaign:
    return _campaign(now, notice=20 * MINUTE, pause=5 * MINUTE, description="Kernel update of the hosts.")


def _step(number: int, state: StepState, now: datetime) -> Step:
    until = now + 9 * MINUTE if state is StepState.NOTICE else None
    return Step(domain=number, state=state, machines=3, not_before=until)


def _lists(now: datetime) -> dict[str, CampaignsView]:
    rows = [_row(now, standing) for standing in Standing]
    every = [row.campaign for row in rows]
    return {
        "the first page": CampaignsView(rows=tuple(rows), page=page_of(every, 1, 2)),
        "the second": CampaignsView(rows=tuple(rows[:1]), page=page_of(every, 2, 2)),
        "the last": CampaignsView(rows=tuple(rows[:1]), page=page_of(every, 3, 2)),
        "none": CampaignsView(rows=(), page=page_of([], 1, 2)),
    }


def _row(now: datetime, standing: Standing) -> CampaignRow:
    campaign = _described(now) if standing is Standing.HALTED else _campaign(now)
    return CampaignRow(campaign=campaign, standing=standing, scopes=len(SCOPES), under_way=2)


def _view(now: datetime, standing: Standing, number: int) -> CampaignView:
    """As many scopes as there are states of a walk, so that each pace and each sentence is there."""
    return CampaignView(
        row=_row(now, standing),
        domains=0 if standing is Standing.COMPLETED else 15,
        domains_left=7,
        scopes=tuple(_rollings(now)) if standing is Standing.RUNNING else (),
        page=page_of(SCOPES, number, 1),
    )


def _rollings(now: datetime) -> Iterator[Rolling]:
    """At each pace; and a step under way, with its notice over."""
    walks: list[tuple[CampaignState, dict[str, Any]]] = [
        (CampaignState.RUNNING, {"current": 1}),
        (CampaignState.RUNNING, {"due": now + 4 * MINUTE}),
        (CampaignState.PAUSED, {"due": None}),
        (CampaignState.RUNNING, {"halted": True}),
        (CampaignState.CANCELED, {"due": None}),
    ]
    machines = [a_machine(n, scope="shop", name=f"shop-{n}") for n in range(4)]
    told = an_event(1, now, scope="shop", resources=("shop-1",), campaign=ID)
    for state, changes in walks:
        walk = Walk(campaign=ID, pause=10 * MINUTE, remaining=(2, 3), **changes)
        events = [told] if walk.current is not None else []
        scope = a_scope(events, id="shop", scale_set=None, walk=walk)
        yield rolling(_campaign(now, state=state), scope, "shop", machines, events, now)
    begun = replace(told, phase=Phase.STARTED, started_at=now)
    walk = Walk(campaign=ID, pause=10 * MINUTE, remaining=(2, 3), current=1)
    yield rolling(_campaign(now), a_scope([begun], walk=walk), "shop", machines, [begun], now)
    for state in (CampaignState.RUNNING, CampaignState.CANCELED):
        yield rolling(_campaign(now, state=state), a_scope(), "shop", machines, [], now)
