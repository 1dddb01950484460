"""Ten thousand parked requests, one change: when is the last of them answered, and what does a parked one weigh?"""

import json
import subprocess
import sys
from collections.abc import Callable

from bench.measuring import Row, median

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
