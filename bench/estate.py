"""A scale set of 1,000 instances that all have to go: announced in one transaction, and reported gone one by one."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

import uvloop

from bench.measuring import SERVER_CORE, Row, median, pinned
from bench.writes import BY, engine_on
from forewarn.domain.events import EventType
from forewarn.domain.machines import Machine
from forewarn.domain.resources import GROUP, SCALE_SET, Resource, group_id, resource_id
from forewarn.domain.scalesets import SetSpec
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.engine.ports import Done
from forewarn.store.sqlite import open_store
from forewarn.wiring import settle_memory

SIZE = 1000


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    figures: dict[str, dict[str, list[float]]] = {"Uniform": {}, "Flexible": {}}
    for number in range(rounds):
        for mode, figure in figures.items():
            done = subprocess.run(
                pinned(SERVER_CORE, [sys.executable, "-m", "bench.estate", mode]),
                capture_output=True,
                text=True,
                check=True,
            )
            for key, value in json.loads(done.stdout).items():
                figure.setdefault(key, []).append(value)
        tell(f"estate: round {number + 1} of {rounds}, scale-in in {_told(figures['Uniform']['announce'][-1])}")
    return [row for mode, figure in figures.items() for row in _rows(mode, {k: median(v) for k, v in figure.items()})]


def _rows(mode: str, figure: dict[str, float]) -> list[Row]:
    wanted = (
        ("announce", 2.0, "scale-in by 1,000 instances ({}): 1,000 Terminate events in one transaction"),
        ("start", 2.0, "the last of 1,000 approvals ({}): 1,000 events start in one transaction"),
        ("report", 0.005, "a driver reports that one of 1,000 leaving instances has gone ({})"),
        ("first", 0.005, "the same while nearly all of them are there ({})"),
    )
    return [
        Row(what=what.format(mode), measured=_told(figure[key]), wanted=f"< {_told(most)}", holds=figure[key] < most)
        for key, most, what in wanted
    ]


def _told(seconds: float) -> str:
    return f"{seconds * 1000:,.1f} ms"


async def _measure(mode: str) -> dict[str, float]:
    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = open_store(Path(folder))
        try:
            engine = await engine_on(store, scopes=1, machines=1)
            estate = Estate(engine)
            await _resize(estate, mode, SIZE)
            for scope in await store.read(lambda r: r.scopes_of_scale_set("rg/web")):
                await engine.enrol(scope.id, BY)
            settle_memory()
            figures = {"announce": await _timed(_resize(estate, mode, 0))}
            events = await store.read(lambda r: r.list_events(limit=SIZE + 1))
            assert [event.type for event in events] == [EventType.TERMINATE] * SIZE
            *most, last = events
            for event in most:
                await engine.approve(event.scope, [event.id], BY)
            figures["start"] = await _timed(engine.approve(last.scope, [last.id], BY))
            return {**figures, **await _report_all(engine)}
        finally:
            await store.close()


async def _timed(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def _resize(estate: Estate, mode: str, capacity: int) -> None:
    group = Resource(id=group_id("s", "rg"), type=GROUP, name="rg")
    await estate.put(group.key, lambda known: known or group)
    web = Resource(id=resource_id("s", "rg", SCALE_SET, "web"), type=SCALE_SET, name="web", group=group.key)
    spec = SetSpec(
        name="rg/web",
        title="web",
        capacity=capacity,
        flexible=mode == "Flexible",
        single_group=False,
        instance=Machine(scope="", name="", terminate_notice=timedelta(minutes=5)),
    )
    await estate.put_scale_set(web.key, lambda known: (known or web, spec), BY)


async def _report_all(engine: Engine) -> dict[str, float]:
    """What one costs on average, and while most of the others are still there."""
    now = engine.clock.now()
    leased = await engine.lease(now, now, timedelta(minutes=5), SIZE)
    spent = [await _timed(engine.report(action, Done())) for action in leased]
    assert not await engine.store.read(lambda r: [m for m in r.list_machines() if not m.declared])
    return {"report": sum(spent) / SIZE, "first": median(spent[: SIZE // 20])}


if __name__ == "__main__":
    print(json.dumps(uvloop.run(_measure(sys.argv[1]))))
