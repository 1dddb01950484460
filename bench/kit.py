"""What a test pays for the test kit: to start a Forewarn, to live through a notice of 15 minutes, and to do so often.

A cycle is what a test does: a machine is told of a reboot, polls, lets ten minutes pass, approves, lets the rest pass,
and the event is gone. A thousand of them are done as a thousand tests would, each with a Forewarn of its own.
"""

import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

from bench.measuring import Row, median, resident
from forewarn.testing import Forewarn

WARM, CYCLES, LOOK, KEPT = 1000, 1000, 50, 400
"""Cycles before memory is looked at for the first time, from then on, from look to look, and in one Forewarn alone."""


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    told = []
    for number in range(rounds):
        done = subprocess.run([sys.executable, "-m", "bench.kit"], capture_output=True, text=True, check=True)
        told.append(json.loads(done.stdout))
        tell(f"kit: round {number + 1} of {rounds}, a cycle takes {told[-1]['cycle'] * 1000:.1f} ms")
    figures = {name: median([each[name] for each in told]) for name in told[0]}
    start, cycle, grown = figures["start"], figures["cycle"], figures["grown"]
    return [
        Row(
            what=f"the test kit: a Forewarn starts (the first of a process: {figures['first'] * 1000:.0f} ms)",
            measured=f"{start * 1000:.1f} ms, and ends in {figures['end'] * 1000:.1f} ms",
            wanted="< 50 ms",
            holds=start < 0.05,
        ),
        Row(
            what="a whole cycle of 15 minutes: scheduled, polled, approved, gone",
            measured=f"{cycle * 1000:.1f} ms",
            wanted="< 50 ms",
            holds=cycle < 0.05,
        ),
        Row(
            what=f"memory that {CYCLES:,} cycles in one process leave behind, a Forewarn each, see below",
            measured=f"{grown / 1e6:+.1f} MB, of {figures['resident'] / 1e6:.0f} MB",
            wanted="< 5 %",
            holds=grown < 0.05 * figures["resident"],
        ),
        Row(
            what="what one Forewarn keeps of each cycle it lives through: the event, its history, the requests",
            measured=f"{figures['kept'] / 1024:.1f} KiB",
            wanted="(to know)",
            holds=True,
        ),
    ]


def main() -> None:
    began = time.perf_counter()
    Forewarn.start().close()
    first = time.perf_counter() - began
    starts, ends, cycles, held = [], [], [], []
    for number in range(WARM + CYCLES):
        if number >= WARM and number % LOOK == 0:
            held.append(_resident())
        at = [time.perf_counter()]
        forewarn = Forewarn.start()
        at.append(time.perf_counter())
        forewarn.vm()
        at.append(time.perf_counter())
        cycle(forewarn)
        at.append(time.perf_counter())
        forewarn.close()
        starts.append(at[1] - at[0])
        cycles.append(at[3] - at[2])
        ends.append(time.perf_counter() - at[3])
    grown = median(held[-5:]) - median(held[:5])
    figures = {"first": first, "start": median(starts), "cycle": median(cycles), "end": median(ends)}
    print(json.dumps({**figures, "grown": grown, "resident": held[-1], "kept": _kept()}))


def cycle(forewarn: Forewarn) -> None:
    vm = forewarn.machine_called("vm", "vm")
    event = vm.schedule("Reboot")
    assert vm.poll()["Events"][0]["EventStatus"] == "Scheduled"
    forewarn.advance("10m")
    vm.approve(event)
    forewarn.advance("5m")
    assert event.gone
    assert vm.poll()["Events"] == []


def _kept() -> float:
    with Forewarn.start() as forewarn:
        forewarn.vm()
        for _ in range(KEPT):
            cycle(forewarn)
        before = _resident()
        for _ in range(KEPT):
            cycle(forewarn)
        return (_resident() - before) / KEPT


def _resident() -> int:
    """Without what the allocator keeps for the next time."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    return resident(os.getpid())


if __name__ == "__main__":
    main()
