"""A world of pure values in which the stories of these tests happen.

It applies what a draft sealed, as a store would, and keeps everything that was ever true so that a law can be asked of
it afterwards. It decides nothing: every rule it calls is the domain's.
"""

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from msgspec.structs import replace

from forewarn.domain import approving, campaigns, enrolment, maintenance, outcomes, requesting, ticking
from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.consent import ApprovalPolicy
from forewarn.domain.draft import Change, Draft, next_due
from forewarn.domain.events import Action, Actor, Document, Event, EventType, Operation, Phase
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine, Power, Priority
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle

T = TypeVar("T")

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
ALICE = Actor.user("alice")
EVER = timedelta(days=365)


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def scope(name: str = "web", *, enrolled: bool = True, scale_set: str | None = None) -> Scope:
    kind = ScopeKind.PLACEMENT_GROUP if scale_set else ScopeKind.AVAILABILITY_SET
    since = NOON if enrolled else None
    return Scope(id=name, kind=kind, scale_set=scale_set, enrolled_at=since, last_seen=since)


def machines(
    in_scope: str = "web",
    count: int = 3,
    *,
    domains: int = 1,
    notice: timedelta | None = None,
    priority: Priority = Priority.REGULAR,
) -> list[Machine]:
    """`count` machines, each on a host of its own, dealt over so many update domains."""
    return [
        Machine(
            scope=in_scope,
            name=f"{in_scope}_{i}",
            update_domain=i % domains,
            host=f"host-{in_scope}-{i}",
            terminate_notice=notice,
            priority=priority,
        )
        for i in range(count)
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Moment:
    """What one command left behind."""

    at: datetime
    before: dict[str, Scope]
    after: dict[str, Scope]


class World:
    def __init__(self, scopes: Iterable[Scope], machines: Iterable[Machine], settings: Settings | None = None) -> None:
        self.now = NOON
        self.settings = settings or Settings()
        self.scopes = {scope.id: scope for scope in scopes}
        self.machines = {machine.name: machine for machine in machines}
        self.events: dict[str, Event] = {}  # every event there ever was, as it is now
        self.operations: dict[str, Operation] = {}
        self.actions: dict[tuple[str, str], Action] = {}
        self.campaigns: dict[str, Campaign] = {}
        self.entries: list[Entry] = []
        self.lives: dict[str, list[Event]] = {}  # every shape each event has had
        self.moments: list[Moment] = []
        self._ids = 0

    def new_id(self) -> str:
        self._ids += 1
        return f"ID-{self._ids:04}"

    def do(self, scope: str, decide: Callable[[Draft], T]) -> T:
        """One command on a scope and those it shares a scale set with; refused, it leaves no trace."""
        home = self.scopes[scope]
        shared = home.scale_set
        family = [s for s in self.scopes.values() if s is home or (shared is not None and s.scale_set == shared)]
        draft = Draft(sorted(family, key=lambda s: s.id), self.now)
        result = decide(draft)
        self._apply(draft.seal(self.settings))
        return result

    def _apply(self, change: Change) -> None:
        before = dict(self.scopes)
        for revision in change.revisions:
            after = revision.after
            assert revision.due == next_due(after, self.settings)
            self._remember(after.events)
            self.operations |= {operation.id: operation for operation in after.operations}
            self.scopes[after.id] = replace(
                after,
                events=tuple(event for event in after.events if event.phase.is_live),
                operations=tuple(operation for operation in after.operations if operation.ended_at is None),
            )
        self.actions |= {(action.operation, action.machine): action for action in change.actions}
        for key in change.finished:
            del self.actions[key]
        self.machines |= {machine.name: machine for machine in change.machines}
        for _, name in change.gone:
            del self.machines[name]
        for here in self.scopes.values():
            self.scopes[here.id] = replace(here, any_running=self._any_running(here.id))
        self.entries += change.entries
        self.moments.append(Moment(at=self.now, before=before, after=dict(self.scopes)))

    def _remember(self, events: Iterable[Event]) -> None:
        for event in events:
            if self.events.get(event.id) != event:
                self.lives.setdefault(event.id, []).append(event)
            self.events[event.id] = event

    def _any_running(self, scope: str) -> bool:
        powers = [machine.power for machine in self.machines.values() if machine.scope == scope]
        return not powers or Power.RUNNING in powers

    # Commands

    def request(self, machine: str, impact: EventType) -> Operation:
        target = self.machines[machine]
        return self.do(target.scope, lambda d: requesting.request(d, target, impact, ALICE, self.settings, self.new_id))

    def schedule(self, names: Sequence[str], work: Maintenance | EventType) -> list[Operation]:
        asked = Maintenance(impact=work) if isinstance(work, EventType) else work
        members = [self.machines[name] for name in names]
        return self.do(
            members[0].scope, lambda d: maintenance.schedule(d, members, asked, ALICE, self.settings, self.new_id)
        )

    def approve(self, scope: str, *ids: str, by: Actor = ALICE, acknowledged: bool = False) -> tuple[str, ...]:
        return self.do(scope, lambda d: approving.approve(d, scope, ids, by, acknowledged=acknowledged))

    def say_ready(self, event: str, machine: str, ready: bool = True) -> Event:
        known = self.events[event]
        return self.do(known.scope, lambda d: approving.say_ready(d, known, machine, ready))

    def set_policy(self, scope: str, policy: ApprovalPolicy) -> None:
        def decide(draft: Draft) -> None:
            approving.set_policy(draft, scope, policy, ALICE)
            settle(draft)

        self.do(scope, decide)

    def cancel(self, event: str) -> None:
        known = self.events[event]
        self.do(known.scope, lambda d: approving.cancel(d, known, ALICE))

    def set_power(self, machine: str, power: Power) -> None:
        self._change(machine, lambda draft, target: outcomes.set_power(draft, target, power, ALICE))

    def remove(self, machine: str) -> None:
        self._change(machine, lambda draft, target: outcomes.remove_machine(draft, target, ALICE))

    def _change(self, machine: str, what: Callable[[Draft, Machine], None]) -> None:
        target = self.machines[machine]

        def decide(draft: Draft) -> None:
            what(draft, target)
            outcomes.recount(draft, [target.scope], self.members)
            settle(draft)

        self.do(target.scope, decide)

    def enrol(self, scope: str) -> None:
        self.do(scope, lambda d: enrolment.enrol(d, scope, ALICE))

    def poll(self, scope: str) -> None:
        self.scopes[scope] = enrolment.seen(self.scopes[scope], self.now)

    # Campaigns

    def begin(self, campaign: Campaign) -> None:
        (home,) = campaign.scopes
        members = self.members(home)
        self.do(home, lambda d: campaigns.begin(d, home, campaign, members, self.settings))
        self.campaigns[campaign.id] = campaign

    def steer(self, campaign: str, wish: CampaignState) -> None:
        wished = self.campaigns[campaign] = replace(self.campaigns[campaign], state=wish)
        for home in wished.scopes:
            self.do(home, functools.partial(campaigns.steer, scope=home, campaign=wished, by=ALICE))

    # What happens by itself

    def tick(self, scope: str) -> None:
        walk = self.scopes[scope].walk
        campaign = self.campaigns[walk.campaign] if walk else None
        members = self.members(scope)
        self.do(scope, lambda d: ticking.tick(d, scope, campaign, members, self.settings, self.new_id))

    def tick_all(self) -> None:
        """As the ticker does: until nothing is due. One tick leaves nothing due, or it would never end."""
        rounds = 0
        while due := [s.id for s in self.scopes.values() if (d := next_due(s, self.settings)) and d <= self.now]:
            for name in due:
                self.tick(name)
            rounds += 1
            assert rounds < 10, f"{due} stay due at {self.now}"

    def advance(self, delta: timedelta) -> None:
        """Every moment on the way is visited."""
        target = self.now + delta
        while moments := [m for s in self.scopes.values() if (m := next_due(s, self.settings)) and m <= target]:
            self.now = max(self.now, min(moments))
            self.tick_all()
        self.now = target

    def done(self, operation: Operation | str, machine: str | None = None) -> None:
        """The drivers have performed all that the operation asks of them, or their part on one machine."""
        for action in self._actions_of(operation, machine):
            self.do(action.scope, functools.partial(self._performed, action))

    def _performed(self, action: Action, draft: Draft) -> None:
        outcomes.performed(draft, action, self.machines.get(action.machine))
        outcomes.recount(draft, [action.scope], self.members)
        settle(draft)

    def fail(self, operation: Operation | str, reason: str = "no such host", machine: str | None = None) -> None:
        """The drivers have given up."""
        for action in self._actions_of(operation, machine):
            self.do(action.scope, functools.partial(outcomes.given_up, action=action, reason=reason))

    def _actions_of(self, operation: Operation | str, machine: str | None) -> list[Action]:
        known = operation if isinstance(operation, str) else operation.id
        return [a for a in self.actions.values() if a.operation == known and machine in (None, a.machine)]

    # Looking

    def members(self, scope: str) -> list[Machine]:
        return [machine for machine in self.machines.values() if machine.scope == scope]

    def event(self, operation: Operation) -> Event:
        """The event that announces it, as it is now."""
        assert operation.event is not None
        return self.events[operation.event]

    def phase(self, operation: Operation) -> Phase:
        return self.event(operation).phase

    def document(self, scope: str = "web") -> Document:
        return self.scopes[scope].document

    def live(self, scope: str = "web") -> list[Event]:
        return list(self.scopes[scope].events)
