"""Everybody who wants something of the fleet, at the right moment and at the wrong one; and who sets the clocks."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.events import Actor, EventType, Operation
from forewarn.domain.machines import Power
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.settings import minimum_notice
from forewarn.engine.clock import LOOK_AGAIN
from forewarn.engine.engine import Engine
from forewarn.testing.simulation import fleets
from forewarn.testing.simulation.fleets import POOL_GROUP
from forewarn.testing.simulation.owner import Owner
from forewarn.testing.simulation.site import Site
from forewarn.testing.simulation.trace import Approved, Looked

INSTANT = timedelta(microseconds=1)
MINUTE = timedelta(minutes=1)


class Crowd(Owner):
    def __init__(self, site: Site) -> None:
        super().__init__(site)
        self._campaigns: list[str] = []
        habits: list[tuple[int, Callable[[], Awaitable[None]]]] = [
            (10, self.schedule),
            (12, self.request),
            (2, self.retry),
            (20, self.approve),
            (4, self.approve_as_operator),
            (12, self.say_ready),
            (3, self.set_policy),
            (4, self.cancel),
            (3, self.cancel_at_not_before),
            (4, self.set_power),
            (6, self.poll),
            (3, self.begin_campaign),
            (4, self.steer_campaign),
            (2, self.redeclare),
            (6, self.scale),
            (1, self.upgrade),
            (1, self.protect),
            (3, self.ask_of_instances),
            (3, self.report_unhealthy),
            (1, self.delete_all),
            (16, self.wait),
            (4, self.look),
            (6, self.jump),
            (1, self.cut_power),
        ]
        self._weights = [weight for weight, _ in habits]
        self._habits = [habit for _, habit in habits]

    async def step(self) -> None:
        (habit,) = self._rng.choices(self._habits, self._weights)
        await habit()

    # Commands

    async def schedule(self) -> None:
        scope = self._some_scope()
        names = self._members(scope)
        chosen = self._rng.sample(names, self._rng.randint(0, len(names)))
        impact = self._rng.choice(list(EventType))
        longer = minimum_notice(impact, self._site.fleet.settings) + MINUTE
        notice = self._rng.choice([None, None, timedelta(0), longer])
        work = Maintenance(impact=impact, notice=notice, at_once=self._rng.random() < 0.1)
        key = self._some_key()
        await self._promise(
            f"schedule {impact.value} on {', '.join(chosen)}",
            key,
            lambda engine: engine.schedule([(scope, name) for name in chosen], work, self._somebody(), key),
        )

    async def request(self) -> None:
        machine = self._some_machine()
        impact = self._rng.choice([*EventType, EventType.TERMINATE, EventType.TERMINATE])
        key, by = self._some_key(), self._somebody()

        async def command(engine: Engine) -> list[Operation]:
            return [await engine.request((fleets.home(machine), machine), impact, by, key)]

        await self._promise(f"{by} requests {impact.value} of {machine}", key, command)

    async def retry(self) -> None:
        """The answer was lost, or somebody pressed the button twice."""
        if self._promises:
            await self._promise(*self._rng.choice(self._promises))

    async def approve(self) -> None:
        """Late, doubled, by others, of others, of nobody."""
        machine = self._some_machine()
        home = fleets.home(machine)
        own = [event.id for event in self._live() if event.scope == home]
        anybodys = list(self._site.events)
        ids = self._rng.choices(own, k=self._rng.randint(1, 3)) if own else []
        if anybodys and self._rng.random() < 0.3:
            ids.append(self._rng.choice(anybodys))
        if self._rng.random() < 0.1:
            ids.append(self._site.new_id())

        async def command(engine: Engine) -> None:
            unknown = await engine.approve(home, ids, Actor.machine(machine))
            self._site.note(Approved(scope=home, ids=tuple(ids), unknown=unknown))

        await self._ask(f"{machine} approves {', '.join(i[:8] for i in ids)}", command)

    async def approve_as_operator(self) -> None:
        if self._site.events:
            event = self._rng.choice(list(self._site.events))
            await self._ask(f"approve {event[:8]}", lambda engine: engine.approve_event(event, self._somebody()))

    async def say_ready(self) -> None:
        """Mostly for what is its own; now and then one takes it back."""
        said = [(event.id, each.machine) for event in self._live() for each in event.readiness if each.ready]
        ready = not said or self._rng.random() < 0.8
        event, machine = ("NOBODY", self._some_machine()) if ready else self._rng.choice(said)
        if ready:
            own = [event.id for event in self._live() if machine in event.resources]
            event = self._rng.choice(own if own and self._rng.random() < 0.8 else [*self._site.events, event])
        await self._ask(
            f"{machine} is {'' if ready else 'not '}ready for {event[:8]}",
            lambda engine: engine.say_ready(fleets.home(machine), event, machine, ready),
        )

    async def set_policy(self) -> None:
        scopes, policy = [self._some_scope()], fleets.any_approval(self._rng)
        await self._ask(f"{policy} in {scopes[0]}", lambda engine: engine.set_policy(scopes, policy, self._somebody()))

    async def cancel(self) -> None:
        if self._site.events:
            event = self._rng.choice(list(self._site.events))
            await self._ask(f"cancel {event[:8]}", lambda engine: engine.cancel_event(event, self._somebody()))

    async def cancel_at_not_before(self) -> None:
        event = self._some_waiting()
        if event is not None:
            await self._go_to(event.not_before + self._rng.choice([-1, 0, 1]) * INSTANT)
            if self._rng.random() < 0.5:
                ticker = self._site.process.ticker
                await self._ask("the ticker looks", lambda engine: ticker.turn(), wait=False)
            what = f"cancel {event.id[:8]} at its NotBefore"
            await self._ask(what, lambda engine: engine.cancel_event(event.id, self._somebody()))

    async def set_power(self) -> None:
        """Now and then all of a scope at once."""
        first = self._some_machine()
        home, power = fleets.home(first), self._rng.choice(list(Power))
        names = self._members(home) if self._rng.random() < 0.3 else [first]
        for name in names:
            await self._ask(
                f"{name} is {power.value}",
                lambda engine, name=name: engine.set_power((home, name), power, self._somebody()),  # type: ignore[misc]
            )

    async def poll(self) -> None:
        scope = self._some_scope()
        await self._ask(f"{scope} polls", lambda engine: engine.enrol(scope, Actor.machine(f"{scope}_0")), wait=False)
        marks = {scope: self._now(), self._some_scope(): self._now()}
        await self._ask(f"marks of {', '.join(marks)}", lambda engine: engine.mark_seen(marks))

    async def begin_campaign(self) -> None:
        names = [*(scope.id for scope in self._site.fleet.scopes), POOL_GROUP]
        campaign = Campaign(
            id=self._site.new_id(),
            impact=self._rng.choice([EventType.FREEZE, EventType.REBOOT, EventType.REDEPLOY]),
            scopes=tuple(self._rng.sample(names, self._rng.randint(1, 2))),
            requested_by=self._somebody(),
            requested_at=self._now(),
            pause=self._rng.choice([None, timedelta(0), 3 * MINUTE]),
        )
        self._campaigns.append(campaign.id)
        await self._ask(f"campaign {campaign.id[:8]}", lambda engine: engine.begin_campaign(campaign))

    async def steer_campaign(self) -> None:
        if self._campaigns:
            await self.steer(self._rng.choice(self._campaigns), self._rng.choice(list(CampaignState)))

    async def steer(self, campaign: str, wish: CampaignState) -> None:
        await self._ask(
            f"campaign {campaign[:8]} should be {wish.value}",
            lambda engine: engine.steer_campaign(campaign, wish, self._somebody()),
        )

    async def end_campaigns(self) -> None:
        for campaign in self._campaigns:
            await self.steer(campaign, CampaignState.CANCELED)

    async def redeclare(self) -> None:
        self._site.declare(fleets.redeclared(self._rng, self._site.fleet))
        fleet, fingerprint = self._site.fleet, self._site.fingerprint
        await self._ask("a new fleet", lambda engine: engine.load_fleet(fleet, fingerprint), wait=True)

    # Time and accidents

    async def wait(self) -> None:
        if self._site.rate == 0:
            await self._advance(self._rng.choice([timedelta(seconds=1), MINUTE, 5 * MINUTE, 15 * MINUTE]))
        await asyncio.sleep(self._rng.choice([0.001, 0.5, 5, 20]))

    async def look(self) -> None:
        """Give the ticker its time, and note what it should have done by now."""
        since, began = self._now(), self._site.loop.time()
        if self._site.rate == 0:
            await self._advance(timedelta(0))
        await asyncio.sleep(LOOK_AGAIN + 5)
        if self._site.disturbed_at < began and not self._site.process.dead:
            self._site.note(Looked(since=since))

    async def jump(self) -> None:
        event = self._some_waiting()
        match self._rng.randrange(6):
            case 0 | 1 | 2 if event is not None:
                await self._go_to(event.not_before + self._rng.choice([-1, 0, 1]) * INSTANT)
            case 3:
                await self._go_to(self._now() + timedelta(hours=self._rng.choice([1, 25, 24 * 400])))
            case 4:
                self._set_wall(-timedelta(seconds=self._rng.choice([1, 600, 86_400])))
            case _:
                await self._go_to(self._now() + timedelta(minutes=self._rng.choice([1, 5, 30])))

    async def play_on(self) -> None:
        """A day, by the wall too, since leases end by it; or to the next moment, if that is further off."""
        self._set_wall(timedelta(days=1))
        moment = await self._site.process.player.next_moment()
        await self._go_to(moment or self._now())
        await asyncio.sleep(3 * 60)

    async def cut_power(self) -> None:
        self._site.cut_power()

    async def _go_to(self, moment: datetime) -> None:
        ahead = moment - self._now()
        if ahead <= timedelta(0):
            return
        if self._site.rate == 0:
            await self._advance(ahead)
        else:
            self._set_wall(ahead / (self._site.rate or 1))

    def _set_wall(self, delta: timedelta) -> None:
        self._site.offset += delta
        self._site.disturb(f"the wall clock is set by {delta}")

    async def _advance(self, delta: timedelta) -> None:
        player = self._site.process.player
        await self._ask(f"advance {delta}", lambda engine: player.advance(delta), wait=True)
