"""Ten thousand parked requests, one change: when is the last of them answered, and what does a parked one weigh?"""

import asyncio
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import uvloop

from bench.measuring import LOAD_CORE, SERVER_CORE, Row, many_files, median, pinned, resident
from bench.serving import SEED, Backend, Clock, document, small_fleet
from forewarn.imds import Limits, Server
from forewarn.imds.listeners import on_loopback

WAITERS = 10_000


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    woken, weights = [], []
    for number in range(rounds):
        done = subprocess.run([sys.executable, "-m", "bench.waits"], capture_output=True, text=True, check=True)
        figures = json.loads(done.stdout)
        woken.append(figures["last"])
        weights.append(figures["each"])
        tell(f"waits: round {number + 1} of {rounds}, the last woken after {woken[-1] * 1000:.0f} ms")
    last, each = median(woken), median(weights)
    return [
        Row(
            what=f"waking {WAITERS:,} parked requests: the last answered",
            measured=f"{last * 1000:.0f} ms",
            wanted="≤ 300 ms",
            holds=last <= 0.3,
        ),
        Row(
            what="memory of one parked request",
            measured=f"{each / 1024:.1f} KiB",
            wanted="≤ 4 KiB",
            holds=each <= 4096,
        ),
    ]


async def _measure() -> dict[str, float]:
    """The server in this process on one core, the waiting crowd in another process on the other."""
    fleet = small_fleet()
    limits = Limits(connections_per_machine=WAITERS + 10, connections=WAITERS + 100)
    server = Server(fleet=fleet, backend=Backend(), clock=Clock(), seed=SEED, limits=limits)
    listener = on_loopback(0)
    await server.serve(listener)
    gc.collect()
    before = resident(os.getpid())
    crowd = await asyncio.create_subprocess_exec(
        *pinned(LOAD_CORE, [sys.executable, "-m", "bench.crowd", str(listener.port), str(WAITERS)]),
        stdout=asyncio.subprocess.PIPE,
    )
    assert crowd.stdout is not None
    while server.parked < WAITERS:  # noqa: ASYNC110  a benchmark may look now and then
        await asyncio.sleep(0.01)
    each = (resident(os.getpid()) - before) / WAITERS
    changed = time.monotonic()
    fleet.publish(documents=[document(3)])
    last_read = float(await crowd.stdout.readline())
    await crowd.wait()
    await server.close()
    return {"last": last_read - changed, "each": each}


if __name__ == "__main__":
    many_files()
    os.sched_setaffinity(0, {SERVER_CORE})
    print(json.dumps(uvloop.run(_measure())))
