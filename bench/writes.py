"""Durable commands through the engine, beside the bare ceiling: SQLite commits of one row, same pragmas, same disk.

TODO: one caller is above what is wanted on a disk that syncs as usual, and below it while the disk is slow. More than
half of its time is the commit, which writes eleven pages where the bare one writes one or two; the rest is the Python
and SQL of a command and two thread hops. The pages to look at first: the history by subject (more than one a command),
the outbox (a table and two indexes), and the two indexes of a scope's operations and events, ended ones included.
"""

import asyncio
import itertools
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from bench.measuring import SERVER_CORE, Row, median, pinned
from forewarn.domain.events import Action, Actor, EventType
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Done, News, Store
from forewarn.store.sqlite import open_store
from forewarn.wiring import new_id, settle_memory

START = datetime(2026, 1, 1, tzinfo=UTC)
BY = Actor.user("bench")
WARM_UP = 1200
"""Commands before the clock runs: until the write-ahead log has its full length, each commit also makes it longer."""


class Nobody:
    def publish(self, news: News) -> None:
        pass


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    figures: dict[str, list[float]] = {"one": [], "many": [], "bare": []}
    for number in range(rounds):
        done = subprocess.run(
            pinned(SERVER_CORE, [sys.executable, "-m", "bench.writes"]), capture_output=True, text=True, check=True
        )
        for key, value in json.loads(done.stdout).items():
            figures[key].append(value)
        tell(f"writes: round {number + 1} of {rounds}, {figures['one'][-1]:,.0f}/s and {figures['many'][-1]:,.0f}/s")
    bare = median(figures["bare"])
    wanted = (("one caller", "one", 2000), ("64 callers", "many", 8000))
    return [
        Row(
            what=f"durable commands, {who} (a bare SQLite commit: {bare:,.0f}/s)",
            measured=f"{median(figures[key]):,.0f}/s, {median(figures[key]) / bare:.2f}× the bare commit",
            wanted=f"≥ {least:,}/s",
            holds=median(figures[key]) >= least,
        )
        for who, key, least in wanted
    ]


async def _commands(callers: int, count: int) -> float:
    """Commands per second, over 256 machines of 64 scopes."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = open_store(Path(folder))
        try:
            engine = await engine_on(store, scopes=64, machines=4)
            settle_memory()
            await _caller(engine, itertools.count(), WARM_UP)
            turns = itertools.count()
            started = time.perf_counter()
            await asyncio.gather(*(_caller(engine, turns, count) for _ in range(callers)))
            return count / (time.perf_counter() - started)
        finally:
            await store.close()


async def _caller(engine: Engine, turns: "itertools.count[int]", count: int) -> None:
    """The life of an event is three commands: it is scheduled, approved, and its driver reports."""
    while (turn := next(turns)) < count // 3:
        scope, machine = f"set{turn % 64}", f"set{turn % 64}_{turn // 64 % 4}"
        (operation,) = await engine.schedule([(scope, machine)], Maintenance(impact=EventType.FREEZE), BY)
        await engine.approve(scope, [str(operation.event)], Actor.machine(machine))
        action = Action(
            operation=operation.id,
            machine=machine,
            scope=scope,
            event=operation.event,
            impact=operation.impact,
            source=operation.source,
            started_at=START,
            due=START,
        )
        await engine.report(action, Done())


async def engine_on(store: Store, *, scopes: int, machines: int) -> Engine:
    fleet = Fleet(
        scopes=tuple(Scope(id=f"set{s}", kind=ScopeKind.AVAILABILITY_SET) for s in range(scopes)),
        machines=tuple(
            Machine(scope=f"set{s}", name=f"set{s}_{m}", update_domain=m % 5)
            for s in range(scopes)
            for m in range(machines)
        ),
    )
    engine = Engine(
        store=store,
        clock=FleetClock(lambda: START, ClockState(wall=START, fleet=START, rate=0)),
        feed=Nobody(),
        new_id=new_id,
        settings=fleet.settings,
    )
    await engine.load_fleet(fleet, "bench")
    return engine


def _bare(count: int = 3000, warm_up: int = 1000) -> float:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        connection = sqlite3.connect(Path(folder, "bare.db"), isolation_level=None)
        connection.execute("pragma journal_mode=wal")
        connection.execute("pragma synchronous=full")
        connection.execute("create table t (id integer primary key, body text)")
        started = time.perf_counter()
        for number in range(warm_up + count):
            if number == warm_up:
                started = time.perf_counter()
            connection.execute("begin immediate")
            connection.execute("insert into t values (?, ?)", (number, "x" * 200))
            connection.execute("commit")
        taken = time.perf_counter() - started
        connection.close()
    return count / taken


if __name__ == "__main__":
    round_ = {
        "bare": _bare(),
        "one": uvloop.run(_commands(callers=1, count=6000)),
        "many": uvloop.run(_commands(callers=64, count=30000)),
    }
    print(json.dumps(round_))
