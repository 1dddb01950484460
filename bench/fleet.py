"""A fleet of 100,000 machines in 1,000 scopes: how long it takes to load, what it weighs, what one event costs."""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import uvloop

from bench.measuring import Row, median, resident
from bench.writes import BY, engine_on
from forewarn.domain.events import EventType
from forewarn.domain.maintenance import Maintenance
from forewarn.store.sqlite import open_store

SAMPLES = 300


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    large, small = [], []
    for number in range(rounds):
        small.append(_in_a_process(scopes=1))
        large.append(_in_a_process(scopes=1000))
        tell(f"fleet: round {number + 1} of {rounds}, loaded in {large[-1]['load']:.1f} s")
    load, weight = median([f["load"] for f in large]), median([f["resident"] for f in large])
    ratio = median([a["event"] / b["event"] for a, b in zip(large, small, strict=True)])
    return [
        Row(what="load 100,000 machines in 1,000 scopes", measured=f"{load:.1f} s", wanted="< 10 s", holds=load < 10),
        Row(
            what="memory of the whole service with them",
            measured=f"{weight / 1e6:.0f} MB",
            wanted="< 500 MB",
            holds=weight < 500e6,
        ),
        Row(
            what="scheduling one event, against a fleet of 100 machines",
            measured=f"{ratio:.2f}×",
            wanted="≤ 2×",
            holds=ratio <= 2,
        ),
    ]


def _in_a_process(scopes: int) -> dict[str, float]:
    """A fresh process, so that one fleet's memory is not counted for another."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.fleet", str(scopes)], capture_output=True, text=True, check=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


async def _measure(scopes: int) -> dict[str, float]:
    from bench.serving import directory_of

    with tempfile.TemporaryDirectory(dir=".") as folder:
        store = open_store(Path(folder))
        started = time.perf_counter()
        engine = await engine_on(store, scopes=scopes, machines=100)
        directory = await directory_of(engine)
        load = time.perf_counter() - started
        spent = [await _one_event(engine.schedule, n % scopes) for n in range(SAMPLES)]
        weight = resident(os.getpid())
        await store.close()
        del directory
    return {"load": load, "resident": weight, "event": median(spent)}


async def _one_event(schedule: Callable[..., object], scope: int) -> float:
    started = time.perf_counter()
    await schedule([(f"set{scope}", f"set{scope}_0")], Maintenance(impact=EventType.FREEZE), BY)  # type: ignore[misc]
    return time.perf_counter() - started


if __name__ == "__main__":
    print(json.dumps(uvloop.run(_measure(int(sys.argv[1])))))
