"""Parts of a simulation, each broken in one way that a law has to see."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from msgspec.structs import replace

from forewarn.domain import approving, campaigns
from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.consent import ApprovalPolicy
from forewarn.domain.draft import Change, Draft
from forewarn.domain.errors import NotFound
from forewarn.domain.events import Action, Actor, Event, EventType, Operation, Phase, Readiness
from forewarn.domain.machines import Machine
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.engine.frame import Lock, Scopes
from forewarn.engine.locking import lock_all
from forewarn.engine.ports import Done, Failed, Feed, News, Running, Transaction
from forewarn.store.memory import MemoryStore, MemoryTransaction
from forewarn.testing.simulation.ledger import Ledger, UnluckyDriver

T = TypeVar("T")
Decision = Callable[[Transaction, Draft], T]


# Drivers


class Fenceless(Ledger):
    """Acts for whoever asks."""

    def is_stale(self, action: Action) -> bool:
        return False


class Boaster(UnluckyDriver):
    """Says that it is done, and has done nothing."""

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        return Done()


class Dawdler(UnluckyDriver):
    """Is always about to be done."""

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        return Running(now + timedelta(days=10))


# Feeds


class Swapping:
    """Tells every other piece of news after the next one."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed
        self._kept: News | None = None

    def publish(self, news: News) -> None:
        if self._kept is None:
            self._kept = news
            return
        self._feed.publish(news)
        self._feed.publish(self._kept)
        self._kept = None


class Gossip:
    """Shows a scope's events to another one."""

    def __init__(self, feed: Feed) -> None:
        self._feed = feed

    def publish(self, news: News) -> None:
        self._feed.publish(news)
        self._feed.publish(News(documents=[replace(document, scope="elsewhere") for document in news.documents]))


# Stores


class Forgetful(MemoryStore):
    """Says that it is saved, and now and then it is not."""

    works = 0

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        self.works += 1
        if self.works % 100:
            return await super().run(work, then)
        answers: list[T] = []
        try:
            await super().run(lambda tx: _lose(answers, work(tx)))
        except LookupError:
            if then is not None:
                then(answers[0])
        return answers[0]


def _lose(answers: list[T], answer: T) -> None:
    answers.append(answer)
    raise LookupError


class Late(MemoryStore):
    """Finds out ten minutes later that something is due."""

    def __init__(self) -> None:
        super().__init__()
        self._held = LateTransaction(self._undo)


class Haunted(MemoryStore):
    """Always sees one machine more than there are."""

    def __init__(self) -> None:
        super().__init__()
        self._held = HauntedTransaction(self._undo)


class HauntedTransaction(MemoryTransaction):
    def some_machines(self, scope: str, limit: int) -> Sequence[Machine]:
        return [*super().some_machines(scope, limit), Machine(scope=scope, name="ghost")]


class LateTransaction(MemoryTransaction):
    def due_scopes(self, now: datetime, limit: int) -> Sequence[str]:
        return super().due_scopes(now - timedelta(minutes=10), limit)

    def next_due(self) -> datetime | None:
        due = super().next_due()
        return None if due is None else due + timedelta(minutes=10)


# Engines


class FastClock:
    """A minute ahead of everybody else."""

    def __init__(self, clock: FleetClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now() + timedelta(minutes=1)

    async def wait_until(self, moment: datetime | None) -> None:
        await self._clock.wait_until(None if moment is None else moment - timedelta(minutes=1))


class Hasty(Engine):
    """Lives by a clock that is fast."""

    def __init__(self, *, clock: FleetClock, **rest: Any) -> None:
        super().__init__(clock=FastClock(clock), **rest)


class Ruthless(Engine):
    """Deletes what is approved without waiting for the others."""

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        def decide(tx: Transaction, draft: Draft) -> tuple[str, ...]:
            unknown = approving.approve(draft, scope, ids, by)
            for event in [event for family in draft.scopes.values() for event in family.events]:
                if event.approvals and event.type is EventType.TERMINATE and event.phase is Phase.SCHEDULED:
                    draft.start(event, by)
            return unknown

        return await self.command([scope], decide)


class Trusting(Engine):
    """Lets any machine approve any event."""

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        for wanted in ids:
            event = await self.store.read(lambda r, i=wanted: r.event(i))  # type: ignore[misc]
            if event is not None:
                await super().approve(event.scope, [wanted], by)
        return ()


class Generous(Engine):
    """Takes one machine's readiness for that of all."""

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        def decide(tx: Transaction, draft: Draft) -> Event:
            event = next((e for e in draft.scopes[scope].events if e.id == event_id), None)
            if event is None:
                raise NotFound("There is no such event.")
            others = [name for name in event.resources if name != machine]
            everybody = [Readiness(machine=name, ready=ready, at=draft.now, times=1) for name in others]
            draft.put_event(replace(event, readiness=tuple(everybody)))
            return approving.say_ready(draft, _live(draft, event), machine, ready)

        return await self.command([scope], decide)


def _live(draft: Draft, event: Event) -> Event:
    return next(each for each in draft.scopes[event.scope].events if each.id == event.id)


class Stubborn(Engine):
    """Lets nothing start by a change of the policy."""

    async def set_policy(self, scopes: Sequence[str], policy: ApprovalPolicy, by: Actor) -> None:
        def decide(tx: Transaction, draft: Draft) -> None:
            for scope in scopes:
                approving.set_policy(draft, scope, policy, by)

        await self.command(scopes, decide)


class Careless(Engine):
    """Takes all machines to be of one update domain."""

    async def _operations(
        self, scopes: Sequence[str], decide: Decision[list[Operation]], key: str | None
    ) -> list[Operation]:
        return await super()._operations(scopes, lambda tx, draft: decide(OneDomain(tx), draft), key)


class OneDomain:
    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def machines(self, scope: str, names: Sequence[str] | None = None) -> list[Machine]:
        return [replace(machine, update_domain=0) for machine in self._tx.machines(scope, names)]


class Restless(Engine):
    """Moves the incarnation even where nothing visible has changed."""

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        def decide(tx: Transaction, draft: Draft) -> tuple[str, ...]:
            seal = draft.seal
            draft.seal = lambda settings: _moved(seal(settings))  # type: ignore[method-assign]
            return approving.approve(draft, scope, ids, by)

        return await self.command([scope], decide)


def _moved(change: Change) -> Change:
    on = (replace(r, after=replace(r.after, incarnation=r.after.incarnation + 1)) for r in change.revisions)
    return replace(change, revisions=tuple(on))


class Deaf(Engine):
    """Says yes to every wish about a campaign, and remembers none."""

    async def steer_campaign(self, campaign_id: str, wish: CampaignState, by: Actor) -> Campaign:
        def decide(tx: Transaction, draft: Draft) -> Campaign:
            known = tx.campaign(campaign_id)
            assert known is not None
            for scope in draft.scopes:
                campaigns.steer(draft, scope, replace(known, state=wish), by)
            return known

        await self.store.read(lambda r: r.campaign(campaign_id))
        return await self.command(lambda tx: [s.id for s in tx.list_scopes(campaign=campaign_id)], decide)


class Gentle(Engine):
    """Says that a machine is gone, and leaves it where it is."""

    async def command(self, scopes: Scopes, decide: Decision[T], lock: Lock = lock_all) -> T:
        def spare(tx: Transaction, draft: Draft) -> T:
            answer = decide(tx, draft)
            draft.gone.clear()
            return answer

        return await super().command(scopes, spare, lock)


class Forsaking(Engine):
    """Promises a replacement, and does not make it."""

    async def _operations(
        self, scopes: Sequence[str], decide: Decision[list[Operation]], key: str | None
    ) -> list[Operation]:
        def forsake(tx: Transaction, draft: Draft) -> list[Operation]:
            made = decide(tx, draft)
            if any(operation.replacement for operation in made):
                draft.machines.clear()
            return made

        return await super()._operations(scopes, forsake, key)


class Crashing(Engine):
    """Has a bug."""

    async def set_power(self, *args: Any) -> None:
        raise KeyError("a bug")


# Estates


class Greedy(Estate):
    """Gives up one instance more than it was asked to."""

    async def put_scale_set(self, key: str, revise: Any, by: Actor) -> tuple[Resource, Job]:
        def one_less(known: Resource | None) -> tuple[Resource, SetSpec]:
            resource, spec = revise(known)
            return resource, replace(spec, capacity=max(spec.capacity - 1, 0) if spec.capacity else spec.capacity)

        return await super().put_scale_set(key, one_less, by)


class Recycling(Estate):
    """Gives numbers again."""

    async def put_scale_set(self, key: str, revise: Any, by: Actor) -> tuple[Resource, Job]:
        def from_the_start(known: Resource | None) -> tuple[Resource, SetSpec]:
            resource, spec = revise(known)
            return replace(resource, counter=0), spec

        return await super().put_scale_set(key, from_the_start, by)
