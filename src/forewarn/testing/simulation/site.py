"""Where it all happens: what outlives a process, and the process that now and then does not."""

import asyncio
import random
import uuid
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from forewarn.domain.draft import Change
from forewarn.domain.errors import Unavailable
from forewarn.domain.events import Event
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.engine.player import Player, clock_state
from forewarn.engine.ports import Driver, Feed, News, Reader, Store, Transaction
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.store.memory import MemoryStore
from forewarn.testing.simulation.ledger import Ledger, Luck, UnluckyDriver
from forewarn.testing.simulation.loop import Abroad, VirtualLoop
from forewarn.testing.simulation.trace import Committed, Declared, Happened, Impact, Line, Published, Record, Trace

T = TypeVar("T")
BIG_BANG = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, kw_only=True, slots=True)
class Parts:
    """What a simulation is made of. A test that wants to see it fail puts a broken part in."""

    store: Callable[[], Store] = MemoryStore
    engine: Callable[..., Engine] = Engine
    feed: Callable[[Feed], Feed] = lambda feed: feed
    ledger: Callable[[Callable[[Impact], None]], Ledger] = Ledger
    driver: Callable[..., Driver] = UnluckyDriver
    estate: Callable[[Engine], Estate] = Estate


@dataclass(frozen=True, kw_only=True, slots=True)
class Weather:
    """How bad it is: drawn once for each seed, and calm at the end."""

    luck: Luck = field(default_factory=Luck)
    cuts: float = 0.0  # power cuts, before or after a commit
    unavailable: float = 0.0  # the store says so
    lag: float = 0.0  # the store takes its time


class Site:
    def __init__(self, loop: VirtualLoop, rng: random.Random, parts: Parts, trace: Trace, fleet: Fleet) -> None:
        self.loop = loop
        self.rng = rng
        self.parts = parts
        self.trace = trace
        self.step = 0
        self.weather = Weather()
        self.rate = rng.choice([None, 0.0, 60.0, 60.0])
        self.workers = rng.choice([1, 1, 2])
        self.store = Abroad(parts.store(), loop)
        self.ledger = parts.ledger(self.note)
        self.scopes: dict[str, Scope] = {}  # as last committed
        self.events: dict[str, Event] = {}  # all there ever were
        self.instances: dict[str, Machine] = {}  # machines that no fleet declared, as last committed
        self.offset = timedelta(0)
        self.disturbed_at = 0.0
        self.processes = 0
        self._killing: asyncio.Task[None] | None = None
        self.declare(fleet)

    def declare(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.fingerprint = f"{self.rng.getrandbits(32):08x}"

    def wall(self) -> datetime:
        return BIG_BANG + self.offset + timedelta(seconds=self.loop.time())

    def new_id(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4)).upper()

    def note(self, record: Record) -> None:
        self.trace.add(Line(self.step, self.process.clock.now() if self.processes else BIG_BANG, record))

    def disturb(self, what: str) -> None:
        self.disturbed_at = self.loop.time()
        self.note(Happened(what=what))

    def committed(self, change: Change, entries: tuple[Entry, ...]) -> None:
        for revision in change.revisions:
            self.scopes[revision.after.id] = revision.after
            self.events.update((event.id, event) for event in revision.after.events)
        self.instances.update((machine.name, machine) for machine in change.machines if not machine.declared)
        for _, name in change.gone:
            self.instances.pop(name, None)
        for scope in change.dissolved:
            self.scopes.pop(scope, None)
        self.note(Committed(change=change, entries=entries))

    # Processes

    async def start(self) -> None:
        """A process comes up on what is stored. What was promised to the one before must all be there."""
        state = await clock_state(self.store, self.rate, self.wall)
        self.process = Process(self, FleetClock(self.wall, state))
        self.processes += 1
        self.disturb(f"process {self.processes} starts")
        self.note(Declared(fleet=self.fleet))
        self.process.spawn(self.process.serve())
        await self.process.up.wait()

    def cut_power(self) -> None:
        if not self.process.dead:
            self.disturb("the power is cut")
            self.process.dead = True
            self._killing = asyncio.create_task(self.process.end())

    async def recover(self) -> None:
        """Until a process is up and stays up."""
        while self.process.dead:
            if self._killing is not None:
                await self._killing
            if self.rng.random() < 0.5:
                await asyncio.sleep(self.rng.choice([1, 100, 2000]))
            await self.start()


class Process:
    def __init__(self, site: Site, clock: FleetClock) -> None:
        self.site = site
        self.clock = clock
        self.dead = False
        self.up = asyncio.Event()  # also set when it is clear that it will not come up
        self._tasks: dict[asyncio.Task[Any], None] = {}
        connection = Connection(site, self)
        feed = site.parts.feed(Recorder(site, site.processes + 1))
        self.engine = site.parts.engine(
            store=connection, clock=clock, feed=feed, new_id=site.new_id, settings=Settings()
        )
        self.ticker = Ticker(self.engine)
        driver = site.parts.driver(site.ledger, lambda: site.weather.luck, site.rng, site.cut_power)
        alone = site.workers == 1
        self.workers = [Worker(self.engine, driver, site.wall, alone=alone) for _ in range(site.workers)]
        self.player = Player(self.engine, clock, self.ticker, self.workers[0])

    async def serve(self) -> None:
        try:
            await self._until_answered(lambda: self.engine.load_fleet(self.site.fleet, self.site.fingerprint))
            await self._until_answered(self.engine.publish_all)
            self.spawn(self.ticker.run())
            for worker in self.workers:
                self.spawn(worker.run())
        finally:
            self.up.set()

    async def _until_answered(self, command: Callable[[], Awaitable[object]]) -> None:
        while True:
            try:
                await command()
                return
            except Unavailable:
                await asyncio.sleep(1)

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Work that dies with the process."""
        task = asyncio.create_task(work)
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))
        return task

    async def end(self) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Recorder:
    def __init__(self, site: Site, process: int) -> None:
        self._site = site
        self._process = process

    def publish(self, news: News) -> None:
        self._site.note(Published(process=self._process, documents=tuple(news.documents)))


class Connection:
    """One process's way to the store: it can be slow, say no, or be the last thing the process ever did."""

    def __init__(self, site: Site, process: Process) -> None:
        self._site = site
        self._process = process

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        await self._trouble()
        cut = self._site.rng.random() < self._site.weather.cuts
        if cut and self._site.rng.random() < 0.5:
            await self._cut()
        saved: list[tuple[Change, tuple[Entry, ...]]] = []

        def recorded(tx: Transaction) -> T:
            saved.clear()
            return work(Recording(tx, saved))

        def told(result: T) -> None:
            for change, entries in saved:
                self._site.committed(change, entries)
            if then is not None and not cut:
                then(result)

        result = await self._site.store.run(recorded, told)
        if cut:
            await self._cut()
        await self._lag()
        return result

    async def read(self, work: Callable[[Reader], T]) -> T:
        await self._trouble()
        return await self._site.store.read(work)

    async def close(self) -> None:
        """The store outlives it."""

    async def _trouble(self) -> None:
        await self._lag()
        if self._process.dead:
            raise asyncio.CancelledError
        if self._site.rng.random() < self._site.weather.unavailable:
            raise Unavailable("The store is busy. Nothing was changed.")

    async def _lag(self) -> None:
        if self._site.rng.random() < self._site.weather.lag:
            await asyncio.sleep(self._site.rng.choice([0, 0.001, 0.5]))

    async def _cut(self) -> None:
        self._site.cut_power()
        await asyncio.Event().wait()


class Recording:
    """A transaction that remembers what was saved."""

    def __init__(self, tx: Transaction, saved: list[tuple[Change, tuple[Entry, ...]]]) -> None:
        self._tx = tx
        self._saved = saved

    def __getattr__(self, name: str) -> Any:
        return getattr(self._tx, name)

    def save(self, change: Change) -> tuple[Entry, ...]:
        entries = tuple(self._tx.save(change))
        self._saved.append((change, entries))
        return entries
