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
from bench.writes import BY
from forewarn.domain.events import EventType
from forewarn.domain.maintenance import Maintenance
from forewarn.engine.engine import Engine
from forewarn.wiring import Options, running

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


def _fleet_file(folder: str, scopes: int) -> Path:
    file = Path(folder, "fleet.toml")
    file.write_text("\n".join(f"[availability_set.set{number}]\nmachines = 100" for number in range(scopes)))
    return file


async def _measure(scopes: int) -> dict[str, float]:
    """The whole service on a fleet file, as `forewarn up` would start it."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        options = Options(
            metadata=("127.0.0.1", 0),
            control=("127.0.0.1", 0),
            arm=("127.0.0.1", 0),
            data=Path(folder, "data"),
            fleet=_fleet_file(folder, scopes),
            clock="manual",
        )
        started = time.perf_counter()
        async with running(options) as forewarn:
            load = time.perf_counter() - started
            spent = [await _one_event(forewarn.engine, f"set{number % scopes}") for number in range(SAMPLES)]
            weight = resident(os.getpid())
    return {"load": load, "resident": weight, "event": median(spent)}


async def _one_event(engine: Engine, scope: str) -> float:
    """Schedule one, and call it off again so that the next one finds the scope as it was."""
    started = time.perf_counter()
    (operation,) = await engine.schedule([(scope, f"{scope}-0")], Maintenance(impact=EventType.FREEZE), BY)
    spent = time.perf_counter() - started
    await engine.cancel_event(str(operation.event), BY)
    return spent


if __name__ == "__main__":
    print(json.dumps(uvloop.run(_measure(int(sys.argv[1])))))
