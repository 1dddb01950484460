"""How far a campaign is in one scope: its update domains as steps. For the campaign's page and for the timeline."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum

from forewarn.domain.campaigns import HALTED, Campaign, CampaignState, domain_entered
from forewarn.domain.events import Event, Phase
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, Walk


class StepState(Enum):
    """How far it is with one update domain."""

    DONE = "done"
    FAILED = "failed"  # a driver gave up on one of its machines
    NOTICE = "notice"  # announced; waits for approval or NotBefore
    STARTED = "started"  # the impact is under way
    WAITS = "waits"  # its turn comes
    CANCELED = "canceled"  # called off after it was announced
    SKIPPED = "skipped"  # never reached, and never will be


class Pace(Enum):
    """What a campaign does in one scope."""

    WALKS = "walks"  # an update domain is under way, or due now
    RECOVERS = "recovers"  # the pause between two update domains
    PAUSED = "paused"  # somebody asked for it
    HALTED = "halted"  # a driver failed
    STOPS = "stops"  # cancelled; what has started ends by itself
    COMPLETED = "completed"
    CANCELED = "canceled"

    @property
    def tone(self) -> str:
        """Of the badge that tells it."""
        return TONES[self]


TONES = {
    Pace.WALKS: "accent",
    Pace.RECOVERS: "accent",
    Pace.PAUSED: "warn",
    Pace.HALTED: "bad",
    Pace.STOPS: "warn",
    Pace.COMPLETED: "good",
    Pace.CANCELED: "quiet",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    domain: int
    state: StepState
    machines: int
    """Of the scope, in this update domain, now."""
    begun_at: datetime | None = None
    not_before: datetime | None = None
    """While notice runs."""
    ended_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Rolling:
    campaign: Campaign
    scope: str
    pace: Pace
    steps: tuple[Step, ...]
    due: datetime | None = None
    """When it goes on by itself after a recovery pause."""

    @property
    def done(self) -> int:
        return sum(step.state in (StepState.DONE, StepState.FAILED) for step in self.steps)

    @property
    def next(self) -> Step | None:
        return next((step for step in self.steps if step.state is StepState.WAITS), None)

    @property
    def current(self) -> Step | None:
        return next((step for step in self.steps if step.state in (StepState.NOTICE, StepState.STARTED)), None)


def rolling(
    campaign: Campaign,
    scope: Scope | None,
    name: str,
    machines: Sequence[Machine],
    events: Iterable[Event],
    now: datetime,
    told: Sequence[Entry] = (),
) -> Rolling:
    """`machines`: of the scope. `events`: what is known of this campaign's here. `told`: its words on this scope."""
    walk = scope.walk if scope and scope.walk and scope.walk.campaign == campaign.id else None
    by_domain = _by_domain(events, machines)
    entered = {domain: entry.at for entry in told if (domain := domain_entered(entry)) is not None}
    pace = _pace(campaign, walk, now)
    domains = {machine.update_domain for machine in machines} | by_domain.keys() | entered.keys()
    failed = _halted_in(told)
    steps = [
        _step(domain, walk, by_domain.get(domain, ()), machines, entered.get(domain), failed)
        for domain in sorted(domains | set(walk.remaining if walk else ()))
    ]
    due = walk.due if walk and pace is Pace.RECOVERS else None
    return Rolling(campaign=campaign, scope=name, pace=pace, steps=tuple(steps), due=due)


def _pace(campaign: Campaign, walk: Walk | None, now: datetime) -> Pace:
    is_canceled = campaign.state is CampaignState.CANCELED
    if walk is None:
        return Pace.CANCELED if is_canceled else Pace.COMPLETED
    if is_canceled:
        return Pace.STOPS
    if walk.halted:
        return Pace.HALTED
    if campaign.state is CampaignState.PAUSED:
        return Pace.PAUSED
    return Pace.RECOVERS if walk.current is None and walk.due is not None and walk.due > now else Pace.WALKS


def _by_domain(events: Iterable[Event], machines: Sequence[Machine]) -> Mapping[int, list[Event]]:
    """An event's machines are all of one update domain; where they are gone, nobody knows of which it was."""
    home = {machine.name: machine.update_domain for machine in machines}
    found: dict[int, list[Event]] = {}
    for event in events:
        domain = next((home[name] for name in event.resources if name in home), None)
        if domain is not None:
            found.setdefault(domain, []).append(event)
    return found


def _halted_in(told: Sequence[Entry]) -> frozenset[int]:
    """The update domains in which a driver failed, as far as the campaign said so."""
    last, failed = None, set[int]()
    for entry in told:
        domain = domain_entered(entry)
        last = last if domain is None else domain
        if entry.after == HALTED and last is not None:
            failed.add(last)
    return frozenset(failed)


def _step(
    domain: int,
    walk: Walk | None,
    events: Sequence[Event],
    machines: Sequence[Machine],
    entered: datetime | None,
    failed: frozenset[int],
) -> Step:
    waiting = [event.not_before for event in events if event.phase is Phase.SCHEDULED]
    ends = [event.ended_at for event in events if event.ended_at is not None]
    return Step(
        domain=domain,
        state=_state(domain, walk, events, entered, failed),
        machines=sum(machine.update_domain == domain for machine in machines),
        begun_at=entered or min((event.scheduled_at for event in events), default=None),
        not_before=min(waiting, default=None),
        ended_at=max(ends) if ends and not any(event.phase.is_live for event in events) else None,
    )


def _state(
    domain: int, walk: Walk | None, events: Sequence[Event], entered: datetime | None, failed: frozenset[int]
) -> StepState:
    phases = {event.phase for event in events}
    if Phase.STARTED in phases:
        return StepState.STARTED
    if Phase.SCHEDULED in phases or (walk is not None and walk.current == domain):
        return StepState.NOTICE
    if walk is not None and domain in walk.remaining:
        return StepState.WAITS
    if Phase.FAILED in phases or domain in failed:
        return StepState.FAILED
    if phases == {Phase.CANCELED}:
        return StepState.CANCELED
    return StepState.DONE if events or entered is not None else StepState.SKIPPED
