"""A campaign: maintenance rolled over many machines, update domain by update domain.

Each scope walks on its own. A campaign's wish (run, pause, cancel) is read whenever a walk has to decide, so that work
on one scope never waits for another.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import Actor, Event, EventType, Phase
from forewarn.domain.history import Entry, What
from forewarn.domain.lifecycle import Fact
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import LONGEST, Maintenance, check_notice, schedule
from forewarn.domain.scopes import Walk
from forewarn.domain.settings import Settings, minimum_notice


class CampaignState(Enum):
    RUNNING = "Running"
    PAUSED = "Paused"  # what is announced goes on; the next update domain waits for `resume`
    CANCELED = "Canceled"  # what is announced is called off; what has started ends by itself


class Campaign(Struct, frozen=True, kw_only=True):
    id: str
    impact: EventType
    scopes: tuple[str, ...]
    requested_by: Actor
    requested_at: datetime
    notice: timedelta | None = None
    pause: timedelta | None = None  # None: the setting recovery_pause
    description: str | None = None
    state: CampaignState = CampaignState.RUNNING


ROLLED_OUT = frozenset({EventType.FREEZE, EventType.REBOOT, EventType.REDEPLOY})
WISHES = {
    CampaignState.RUNNING: "asked to resume",
    CampaignState.PAUSED: "asked to pause",
    CampaignState.CANCELED: "asked to cancel",
}
DOMAIN = "update domain "
HALTED = "halted: a driver failed"


def begin(draft: Draft, scope: str, campaign: Campaign, machines: Sequence[Machine], settings: Settings) -> None:
    """The walk enters the scope; the first update domain is due at once."""
    here = draft.scopes[scope]
    if campaign.impact not in ROLLED_OUT:
        raise Invalid(
            "A campaign rolls out Freeze, Reboot or Redeploy, not {impact}.",
            key="campaign_type",
            impact=campaign.impact.value,
        )
    if here.walk is not None:
        raise Conflict(
            "Campaign {campaign} is still under way in {scope}: wait for its end, or cancel it.",
            key="campaign_under_way",
            campaign=here.walk.campaign,
            scope=scope,
        )
    check_notice(campaign.impact, campaign.notice, settings)
    pause = settings.recovery_pause if campaign.pause is None else campaign.pause
    if not timedelta(0) <= pause <= LONGEST:
        raise Invalid(
            "The recovery pause is between none and {days} days, not {pause}.",
            key="recovery_pause",
            days=LONGEST.days,
            pause=pause,
        )
    domains = tuple(sorted({machine.update_domain for machine in machines}))
    walk = Walk(campaign=campaign.id, pause=pause, remaining=domains, due=draft.now)
    _put(draft, scope, walk, campaign.requested_by, "begun")


def walk_on(
    draft: Draft,
    scope: str,
    campaign: Campaign,
    machines: Sequence[Machine],
    settings: Settings,
    new_id: Callable[[], str],
) -> None:
    """Decide what the campaign does next in this scope."""
    walk = draft.scopes[scope].walk
    if walk is None or walk.campaign != campaign.id:
        return
    by = Actor.system(f"campaign {campaign.id}")
    if campaign.state is CampaignState.CANCELED:
        _call_off(draft, scope, walk, by)
    elif walk.due is None or walk.due > draft.now:
        return  # it waits for its events, for `resume`, or for the scope to recover
    elif _live(draft, scope, campaign.id):
        _put(draft, scope, replace(walk, due=None))  # one update domain at a time
    elif campaign.state is CampaignState.PAUSED:
        _put(draft, scope, replace(walk, due=None), by, "paused")
    elif walk.halted:
        _put(draft, scope, replace(walk, due=None))
    else:
        _next_domain(draft, scope, walk, campaign, machines, settings, new_id)


def after_event(draft: Draft, event: Event) -> None:
    """An event is over: if it was the last of its campaign's update domain, the recovery pause begins."""
    walk = _walk_of(draft, event)
    if walk is None or _live(draft, event.scope, walk.campaign):
        return
    resume_at = draft.now + walk.pause if walk.remaining else draft.now
    _put(draft, event.scope, replace(walk, current=None, due=resume_at))


def halt(draft: Draft, event: Event) -> None:
    """A driver gave up on one of the campaign's events: no further update domain until somebody resumes it."""
    walk = _walk_of(draft, event)
    if walk is not None and walk.remaining:
        by = Actor.system(f"campaign {walk.campaign}")
        _put(draft, event.scope, replace(walk, halted=True), by, HALTED)


def wished(campaign: Campaign, wish: CampaignState) -> Campaign:
    """The campaign as somebody wishes it to be; Conflict where it is too late for that."""
    if campaign.state is CampaignState.CANCELED and wish is not CampaignState.CANCELED:
        raise Conflict(
            "Campaign {campaign} was cancelled: begin a new one.", key="campaign_canceled", campaign=campaign.id
        )
    return replace(campaign, state=wish)


def domain_entered(entry: Entry) -> int | None:
    """Which update domain a campaign went on to; None if the entry tells something else."""
    is_so = entry.what is What.CAMPAIGN and entry.after.startswith(DOMAIN)
    return int(entry.after.removeprefix(DOMAIN)) if is_so else None


def steer(draft: Draft, scope: str, campaign: Campaign, by: Actor) -> None:
    """Somebody wishes something else of the campaign. Only `cancel` cuts a recovery pause short."""
    walk = draft.scopes[scope].walk
    if walk is None or walk.campaign != campaign.id:
        return
    draft.note(scope, by, What.CAMPAIGN, campaign.id, "", WISHES[campaign.state])
    match campaign.state:
        case CampaignState.PAUSED:
            pass  # read when the next update domain would be due
        case CampaignState.RUNNING:
            _put(draft, scope, replace(walk, halted=False, due=draft.now if walk.due is None else walk.due))
        case CampaignState.CANCELED:
            _call_off(draft, scope, walk, by)


def _call_off(draft: Draft, scope: str, walk: Walk, by: Actor) -> None:
    """No event of it waits any longer. The walk stays until what has started is over, and keeps other campaigns out."""
    for event in _live(draft, scope, walk.campaign):
        if event.phase is Phase.SCHEDULED:
            draft.end(event, Fact.CANCEL, by, "the campaign was cancelled")
    if _live(draft, scope, walk.campaign):
        _put(draft, scope, replace(walk, remaining=(), due=None))
    else:
        _leave(draft, scope, walk, by, "canceled")


def _next_domain(
    draft: Draft,
    scope: str,
    walk: Walk,
    campaign: Campaign,
    machines: Sequence[Machine],
    settings: Settings,
    new_id: Callable[[], str],
) -> None:
    by = Actor.system(f"campaign {campaign.id}")
    present = {machine.update_domain for machine in machines}
    ahead = [domain for domain in walk.remaining if domain in present]
    if not ahead:
        _leave(draft, scope, walk, by, "completed")
        return
    domain, *left = ahead
    told = f"{DOMAIN}{domain}"
    _put(draft, scope, replace(walk, remaining=tuple(left), current=domain, due=None), by, told)
    members = [machine for machine in machines if machine.update_domain == domain]
    least = minimum_notice(campaign.impact, settings)  # which may have grown since the campaign began
    notice = max(campaign.notice or least, least)
    work = Maintenance(impact=campaign.impact, notice=notice, description=campaign.description, campaign=campaign.id)
    schedule(draft, members, work, by, settings, new_id)


def _walk_of(draft: Draft, event: Event) -> Walk | None:
    walk = draft.scopes[event.scope].walk
    return walk if walk is not None and walk.campaign == event.campaign else None


def _live(draft: Draft, scope: str, campaign: str) -> list[Event]:
    return [e for e in draft.scopes[scope].events if e.campaign == campaign and e.phase.is_live]


def _put(draft: Draft, scope: str, walk: Walk, by: Actor | None = None, told: str = "") -> None:
    draft.put_scope(replace(draft.scopes[scope], walk=walk))
    if by is not None:
        draft.note(scope, by, What.CAMPAIGN, walk.campaign, "", told)


def _leave(draft: Draft, scope: str, walk: Walk, by: Actor, told: str) -> None:
    draft.put_scope(replace(draft.scopes[scope], walk=None))
    draft.note(scope, by, What.CAMPAIGN, walk.campaign, "", told)
