"""Random stories: a small fleet with every kind of scope, steps in any order, and what the rules refuse left out."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Protocol

from hypothesis import strategies as st
from msgspec.structs import replace

from forewarn.domain.campaigns import ROLLED_OUT, Campaign, CampaignState
from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.errors import Refused
from forewarn.domain.events import Actor, EventType
from forewarn.domain.machines import EvictionPolicy, Power, Priority
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import EventsPolicy
from tests.domain.world import ALICE, World, machines, minutes, scope

SCOPES = ("a", "b", "lone", "web")


def new_world() -> World:
    """Two placement groups of one scale set, a set with shared hosts and a Spot machine, and a machine on its own."""
    web = [replace(m, host=f"host-{i // 3}") for i, m in enumerate(machines("web", 5, domains=2))]
    web[4] = replace(web[4], priority=Priority.SPOT, eviction_policy=EvictionPolicy.DELETE)
    fleet = [*machines("a", 3, notice=minutes(5)), *machines("b", 2, notice=minutes(7)), *machines("lone", 1), *web]
    waived = EventsPolicy(approve_user_reboot=True, approve_all_instances_down=False)
    groups = [scope(name, scale_set="vmss") for name in ("a", "b")]
    return World([*groups, replace(scope("lone", enrolled=False), policy=waived), scope("web")], fleet)


MACHINES = tuple(new_world().machines)


class Step(Protocol):
    def play(self, world: World) -> None: ...


@dataclass(frozen=True)
class Request:
    machine: str
    impact: EventType

    def play(self, world: World) -> None:
        if self.machine in world.machines:
            world.request(self.machine, self.impact)


@dataclass(frozen=True)
class Schedule:
    in_scope: str
    impact: EventType
    at_once: bool
    notice: timedelta | None

    def play(self, world: World) -> None:
        names = [machine.name for machine in world.members(self.in_scope)]
        if names:
            world.schedule(names, Maintenance(impact=self.impact, at_once=self.at_once, notice=self.notice))


@dataclass(frozen=True)
class Approve:
    """Any machine, any event: also those of other scopes, and those long gone."""

    machine: str
    events: tuple[int, ...]

    def play(self, world: World) -> None:
        home = self.machine.partition("_")[0]
        world.approve(home, *(_nth(world, i) for i in self.events), by=Actor.machine(self.machine))


@dataclass(frozen=True)
class Together:
    """The machines of one update domain move to one host, which is to be rebooted."""

    def play(self, world: World) -> None:
        names = [name for name in world.machines if name in ("web_0", "web_2", "web_4")]
        world.machines |= {name: replace(world.machines[name], host="shared") for name in names}
        world.schedule(names, EventType.REBOOT)


@dataclass(frozen=True)
class Acknowledge:
    """Somebody on the control plane: a user, or a machine that was given the right, of whatever scope."""

    by: Actor
    event: int

    def play(self, world: World) -> None:
        if world.events:
            event = world.events[_nth(world, self.event)]
            world.approve(event.scope, event.id, by=self.by, acknowledged=True)


@dataclass(frozen=True)
class SayReady:
    """Any machine, of any event: also of those that are not about it."""

    machine: str
    event: int
    ready: bool

    def play(self, world: World) -> None:
        if world.events:
            world.say_ready(_nth(world, self.event), self.machine, self.ready)


@dataclass(frozen=True)
class Choose:
    in_scope: str
    policy: ApprovalPolicy

    def play(self, world: World) -> None:
        world.set_policy(self.in_scope, self.policy)


@dataclass(frozen=True)
class Cancel:
    event: int

    def play(self, world: World) -> None:
        if world.events:
            world.cancel(_nth(world, self.event))


@dataclass(frozen=True)
class SetPower:
    machine: str
    power: Power

    def play(self, world: World) -> None:
        if self.machine in world.machines:
            world.set_power(self.machine, self.power)


@dataclass(frozen=True)
class AllDown:
    in_scope: str

    def play(self, world: World) -> None:
        for machine in world.members(self.in_scope):
            world.set_power(machine.name, Power.STOPPED)


@dataclass(frozen=True)
class Remove:
    machine: str

    def play(self, world: World) -> None:
        if self.machine in world.machines:
            world.remove(self.machine)


@dataclass(frozen=True)
class Ask:
    in_scope: str

    def play(self, world: World) -> None:
        world.enrol(self.in_scope)
        world.poll(self.in_scope)


@dataclass(frozen=True)
class Report:
    """A driver is done with one of its actions, or gives up."""

    which: int
    works: bool

    def play(self, world: World) -> None:
        if world.actions:
            operation, machine = list(world.actions)[self.which % len(world.actions)]
            if self.works:
                world.done(operation, machine)
            else:
                world.fail(operation, machine=machine)


@dataclass(frozen=True)
class Begin:
    impact: EventType
    pause: timedelta

    def play(self, world: World) -> None:
        name = f"c{len(world.campaigns)}"
        campaign = Campaign(
            id=name, impact=self.impact, scopes=("web",), requested_by=ALICE, requested_at=world.now, pause=self.pause
        )
        world.begin(campaign)


@dataclass(frozen=True)
class Steer:
    wish: CampaignState

    def play(self, world: World) -> None:
        walk = world.scopes["web"].walk
        if walk is not None and world.campaigns[walk.campaign].state is not CampaignState.CANCELED:
            world.steer(walk.campaign, self.wish)


@dataclass(frozen=True)
class Wait:
    """Time passes, and every moment on the way is visited."""

    length: timedelta

    def play(self, world: World) -> None:
        world.advance(self.length)


@dataclass(frozen=True)
class Jump:
    """The clock is set, forwards or back, before anybody looks."""

    length: timedelta

    def play(self, world: World) -> None:
        world.now += self.length


def _nth(world: World, index: int) -> str:
    return list(world.events)[index % len(world.events)] if world.events else "NOBODY"


some_machine = st.sampled_from(MACHINES)
some_scope = st.sampled_from(SCOPES)
any_type = st.sampled_from(EventType)
index = st.integers(0, 30)
policies = st.sampled_from(
    [*(ApprovalPolicy(rule=rule) for rule in Rule if rule is not Rule.K_OF_N)]
    + [ApprovalPolicy(rule=Rule.K_OF_N, count=count) for count in (1, 2, 9)]
)
lengths = st.sampled_from([minutes(m) for m in (0, 0.5, 1, 4, 5, 7, 10, 15, 30, 60)] + [timedelta(hours=25)])
hops = st.one_of(lengths, st.sampled_from([timedelta(microseconds=1), minutes(-1), timedelta(hours=-1)]))

steps: st.SearchStrategy[Step] = st.one_of(
    st.builds(Request, some_machine, any_type),
    st.builds(Request, some_machine, st.just(EventType.TERMINATE)),
    st.builds(Schedule, some_scope, any_type, st.booleans(), st.none() | lengths),
    st.builds(Approve, some_machine, st.lists(index, min_size=1, max_size=3).map(tuple)),
    st.builds(Approve, some_machine, st.lists(index, min_size=1, max_size=3).map(tuple)),
    st.builds(Acknowledge, st.just(ALICE) | some_machine.map(Actor.machine), index),
    st.builds(SayReady, some_machine, index, st.sampled_from([True, True, False])),
    st.builds(SayReady, some_machine, index, st.just(True)),
    st.builds(Choose, some_scope, policies),
    st.builds(Cancel, index),
    st.builds(SetPower, some_machine, st.sampled_from(Power)),
    st.builds(Remove, some_machine),
    st.builds(Ask, some_scope),
    st.builds(Report, index, st.booleans()),
    st.builds(Begin, st.sampled_from(sorted(ROLLED_OUT, key=lambda t: t.value)), lengths),
    st.builds(Steer, st.sampled_from(CampaignState)),
    st.builds(Wait, lengths),
    st.builds(Jump, hops),
)
stories = st.lists(st.lists(steps)).map(lambda parts: list(chain.from_iterable(parts)))
"""In parts, so that they are long on average and still shrink to a few steps."""


named = st.sampled_from(("web_0", "web_2", "web_4"))
debate: st.SearchStrategy[Step] = st.one_of(
    st.builds(SayReady, named, st.just(0), st.just(True)),
    st.builds(SayReady, named, st.just(0), st.just(True)),
    st.builds(SayReady, named, st.just(0), st.just(False)),
    st.builds(Approve, named | st.just("web_1"), st.just((0,))),
    st.builds(Choose, st.just("web"), policies),
    st.builds(Acknowledge, named.map(Actor.machine), st.just(0)),
    st.just(AllDown("web")),
    st.builds(Remove, named),
)
debates = st.tuples(policies, st.lists(debate, min_size=1, max_size=10)).map(
    lambda parts: [Choose("web", parts[0]), Together(), *parts[1]]
)
"""Of one event that names three machines: whose word counts is all that it is about."""


def told(story: list[Step], after_each: Callable[[World], None] = lambda world: None) -> World:
    """The world after the story. The ticker looks after every step, as it would in life."""
    world = new_world()
    for step in story:
        with suppress(Refused):
            step.play(world)
        world.tick_all()
        after_each(world)
    return world
