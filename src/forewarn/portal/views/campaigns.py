"""Campaigns: all of them, and one with its scopes."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.events import Event, Phase
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, Walk
from forewarn.portal.views.paging import Page, page_of
from forewarn.portal.views.rolling import Rolling, rolling

PAGE = 25
SCOPES = 50
"""Of one campaign, on a page."""

TOLD = 8
"""Events that are told one by one before they are called off."""


class Standing(Enum):
    """What has become of a campaign, over all its scopes."""

    RUNNING = "running"
    PAUSED = "paused"
    HALTED = "halted"  # in some scope a driver failed
    STOPS = "stops"  # cancelled, and something that has started is not over yet
    COMPLETED = "completed"
    CANCELED = "canceled"

    @property
    def tone(self) -> str:
        """Of the badge that tells it."""
        return TONES[self]


TONES = {
    Standing.RUNNING: "accent",
    Standing.PAUSED: "warn",
    Standing.HALTED: "bad",
    Standing.STOPS: "warn",
    Standing.COMPLETED: "good",
    Standing.CANCELED: "quiet",
}

STEERED = {
    Standing.RUNNING: ("pause", "cancel"),
    Standing.PAUSED: ("resume", "cancel"),
    Standing.HALTED: ("resume", "cancel"),
}
"""What can be asked of a campaign that stands so; of the others, nothing more."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignRow:
    campaign: Campaign
    standing: Standing
    scopes: int
    under_way: int

    @property
    def left(self) -> int:
        """Scopes that it has come to an end in."""
        return self.scopes - self.under_way

    @property
    def verbs(self) -> tuple[str, ...]:
        return STEERED.get(self.standing, ())


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignsView:
    rows: tuple[CampaignRow, ...]
    page: Page[Campaign]


@dataclass(frozen=True, kw_only=True, slots=True)
class CampaignView:
    row: CampaignRow
    domains: int
    """Update domains of all its scopes."""
    domains_left: int
    """Those that are under way or to come."""
    scopes: tuple[Rolling, ...]
    page: Page[str]


@dataclass(frozen=True, kw_only=True, slots=True)
class CancelView:
    """What cancelling would do now."""

    row: CampaignRow
    called_off: int
    examples: tuple[Event, ...]
    started: int
    spared: int
    """Update domains that it would never come to."""


def campaigns_view(campaigns: Iterable[Campaign], scopes: Mapping[str, Scope], number: int) -> CampaignsView:
    """The latest first."""
    ordered = sorted(campaigns, key=lambda campaign: (campaign.requested_at, campaign.id), reverse=True)
    page = page_of(ordered, number, PAGE)
    walks = walks_of(scopes.values())
    rows = tuple(campaign_row(campaign, walks.get(campaign.id, ())) for campaign in page.items)
    return CampaignsView(rows=rows, page=page)


def scopes_on(campaign: Campaign, number: int) -> Page[str]:
    return page_of(sorted(campaign.scopes), number, SCOPES)


def campaign_view(
    campaign: Campaign,
    scopes: Mapping[str, Scope],
    machines: Mapping[str, Sequence[Machine]],
    ended: Iterable[Event],
    told: Mapping[str, Sequence[Entry]],
    now: datetime,
    page: Page[str],
) -> CampaignView:
    """`machines`: by scope, of all its scopes. `page`: of these. `told`: its own words, by scope of the page."""
    events = _events_by_scope(campaign, scopes, ended, page.items)
    rolled = [
        rolling(campaign, scopes.get(scope), scope, machines.get(scope, ()), events[scope], now, told.get(scope, ()))
        for scope in page.items
    ]
    walks = walks_of(scopes.values()).get(campaign.id, ())
    return CampaignView(
        row=campaign_row(campaign, walks),
        domains=sum(len({machine.update_domain for machine in here}) for here in machines.values()),
        domains_left=sum(len(walk.remaining) + (walk.current is not None) for walk in walks),
        scopes=tuple(rolled),
        page=page,
    )


def cancel_view(campaign: Campaign, scopes: Mapping[str, Scope]) -> CancelView:
    walks = walks_of(scopes.values()).get(campaign.id, ())
    live = [event for scope in scopes.values() for event in scope.events if event.campaign == campaign.id]
    waiting = sorted((event for event in live if event.phase is Phase.SCHEDULED), key=lambda event: event.not_before)
    return CancelView(
        row=campaign_row(campaign, walks),
        called_off=len(waiting),
        examples=tuple(waiting[:TOLD]),
        started=sum(event.phase is Phase.STARTED for event in live),
        spared=sum(len(walk.remaining) for walk in walks),
    )


def campaign_row(campaign: Campaign, walks: Sequence[Walk]) -> CampaignRow:
    return CampaignRow(
        campaign=campaign, standing=_standing(campaign, walks), scopes=len(campaign.scopes), under_way=len(walks)
    )


def walks_of(scopes: Iterable[Scope]) -> dict[str, list[Walk]]:
    """By campaign, its ways through scopes that have not come to an end."""
    found: dict[str, list[Walk]] = {}
    for scope in scopes:
        if scope.walk is not None:
            found.setdefault(scope.walk.campaign, []).append(scope.walk)
    return found


def _standing(campaign: Campaign, walks: Sequence[Walk]) -> Standing:
    match campaign.state:
        case CampaignState.CANCELED:
            return Standing.STOPS if walks else Standing.CANCELED
        case _ if not walks:
            return Standing.COMPLETED
        case _ if any(walk.halted for walk in walks):
            return Standing.HALTED
        case CampaignState.PAUSED:
            return Standing.PAUSED
        case CampaignState.RUNNING:
            return Standing.RUNNING


def _events_by_scope(
    campaign: Campaign, scopes: Mapping[str, Scope], ended: Iterable[Event], shown: Collection[str]
) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {scope: [] for scope in shown}
    for event in ended:
        if event.campaign == campaign.id and event.scope in found:
            found[event.scope].append(event)
    for name in shown:
        live = scopes[name].events if name in scopes else ()
        found[name] += [event for event in live if event.campaign == campaign.id]
    return found
