"""A whole engine at one desk: a store in memory, a clock that stands still, and a driver that does as it is told."""

import asyncio
import functools
from collections.abc import Awaitable, Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

from forewarn.domain.events import Action, Actor, Document, Event, EventType, Operation, Phase
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.player import Player
from forewarn.engine.ports import Done, Failed, News, Reader, Running, Transaction
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.store.memory import MemoryStore

P = ParamSpec("P")
T = TypeVar("T")
Outcome = Done | Running | Failed

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
ALICE = Actor.user("alice")


def minutes(count: float) -> timedelta:
    return timedelta(minutes=count)


def in_a_loop(test: Callable[P, Awaitable[None]]) -> Callable[P, None]:
    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        async def story() -> None:
            async with asyncio.timeout(20):  # real seconds; only a test that hangs ever meets it
                await test(*args, **kwargs)

        asyncio.run(story())

    return run


async def idle() -> None:
    """Let everybody else go as far as they can without time passing."""
    for _ in range(50):
        await asyncio.sleep(0)


class ObedientDriver:
    """Does at once what it is asked, unless a test has told it what to answer, or holds it."""

    time_limit = 5.0

    def __init__(self) -> None:
        self.asked: list[Action] = []
        self.answers: dict[str, list[Outcome | Exception]] = {}
        self.held: dict[str, asyncio.Event] = {}

    def tell(self, machine: str, *answers: Outcome | Exception) -> None:
        self.answers.setdefault(machine, []).extend(answers)

    def hold(self, machine: str) -> asyncio.Event:
        return self.held.setdefault(machine, asyncio.Event())

    async def perform(self, action: Action, now: datetime) -> Outcome:
        self.asked.append(action)
        if action.machine in self.held:
            await self.held[action.machine].wait()
        told = self.answers.get(action.machine)
        answer = told.pop(0) if told else Done()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def calls(self, machine: str) -> int:
        return sum(action.machine == machine for action in self.asked)


class CountingStore(MemoryStore):
    """Knows how often it was asked, and can be made to fail."""

    def __init__(self) -> None:
        super().__init__()
        self.runs = 0
        self.reads = 0
        self.failing: Exception | None = None

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        self.runs += 1
        if self.failing is not None:
            raise self.failing
        return await super().run(work, then)

    async def read(self, work: Callable[[Reader], T]) -> T:
        self.reads += 1
        if self.failing is not None:
            raise self.failing
        return await super().read(work)


class Notebook:
    """A feed that writes everything down."""

    def __init__(self) -> None:
        self.news: list[News] = []

    def publish(self, news: News) -> None:
        self.news.append(news)

    def documents(self, scope: str = "web") -> list[Document]:
        return [document for news in self.news for document in news.documents if document.scope == scope]

    def entries(self) -> list[int]:
        return [entry.seq for news in self.news for entry in news.entries]


class Ids:
    def __init__(self) -> None:
        self._given = 0

    def __call__(self) -> str:
        self._given += 1
        return f"ID-{self._given:04}"


class Desk:
    def __init__(self, store: CountingStore | None = None, *, now: datetime = NOON, rate: float = 0.0) -> None:
        self.wall = now
        self.store = store or CountingStore()
        self.clock = FleetClock(lambda: self.wall, ClockState(wall=now, fleet=now, rate=rate))
        self.feed = Notebook()
        self.driver = ObedientDriver()
        self.new_id = Ids()
        self.engine = self.new_engine()
        self.ticker = Ticker(self.engine)
        self.worker = self.new_worker()
        self.player = Player(self.engine, self.clock, self.ticker, self.worker)

    def new_engine(self, heard: Callable[[str], datetime | None] = lambda scope: None) -> Engine:
        return Engine(
            store=self.store,
            clock=self.clock,
            feed=self.feed,
            new_id=self.new_id,
            settings=Settings(),
            heard=heard,
        )

    def new_worker(self, *, alone: bool = True) -> Worker:
        return Worker(self.engine, self.driver, lambda: self.wall, alone=alone)

    @classmethod
    async def open(
        cls,
        scopes: Iterable[str | Scope] = ("web",),
        machines: int | Iterable[Machine] = 3,
        settings: Settings | None = None,
        enrolled: bool = True,
    ) -> "Desk":
        """A desk with a fleet loaded: so many machines in each scope, each in an update domain of its own."""
        desk = cls()
        fleet = a_fleet(scopes, machines, settings)
        await desk.engine.load_fleet(fleet, "first")
        if enrolled:
            for scope in fleet.scopes:
                await desk.engine.enrol(scope.id, ALICE)
        desk.feed.news.clear()
        return desk

    async def schedule(
        self, *machines: str, impact: EventType = EventType.REBOOT, notice: timedelta | None = None
    ) -> Operation:
        targets = [(name.rpartition("_")[0], name) for name in machines]
        made = await self.engine.schedule(targets, Maintenance(impact=impact, notice=notice), ALICE)
        return made[0]

    async def start(self, *machines: str, impact: EventType = EventType.REBOOT) -> Operation:
        """Scheduled and approved: the action waits for the worker."""
        operation = await self.schedule(*machines, impact=impact)
        await self.engine.approve_event(str(operation.event), ALICE)
        return operation

    async def operation(self, operation: Operation) -> Operation:
        found = await self.store.read(lambda r: r.operation(operation.id))
        assert found is not None
        return found

    async def event(self, operation: Operation) -> Event:
        return await self.engine.event(str(operation.event))

    async def phase(self, operation: Operation) -> Phase:
        return (await self.event(operation)).phase

    async def scope(self, name: str = "web") -> Scope:
        found = await self.store.read(lambda r: r.scope(name))
        assert found is not None
        return found


def a_fleet(
    scopes: Iterable[str | Scope] = ("web",), machines: int | Iterable[Machine] = 3, settings: Settings | None = None
) -> Fleet:
    declared = [Scope(id=s, kind=ScopeKind.AVAILABILITY_SET) if isinstance(s, str) else s for s in scopes]
    if isinstance(machines, int):
        machines = [
            Machine(scope=scope.id, name=f"{scope.id}_{i}", update_domain=i, host=f"{scope.id}-host-{i}")
            for scope in declared
            for i in range(machines)
        ]
    return Fleet(scopes=tuple(declared), machines=tuple(machines), settings=settings or Settings())
