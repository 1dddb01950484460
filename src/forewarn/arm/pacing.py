"""How soon clients that wait for an operation ask again: the more of them wait, the later.

To answer one takes the server half a millisecond, in which no machine is told of its events. So all who wait ask
together no more than so often; whoever waits with few others does not notice.
"""

import time
from collections.abc import Callable

TOGETHER = 5
"""Questions a second of all who wait."""
LATEST = 20.0
"""Seconds until somebody asks again, however many wait."""


class Pace:
    def __init__(self, soonest: float = 1.0, monotonic: Callable[[], float] = time.monotonic) -> None:
        """`soonest`: seconds until somebody asks again if nobody else waits."""
        self._soonest = max(soonest, 0.1)  # clients take 0 for "say nothing", and then wait for half a minute
        self._turn = min(1 / TOGETHER, self._soonest)
        self._monotonic = monotonic
        self._last = 0.0  # when whoever was answered last asks again

    def first(self) -> str:
        """For whoever has just begun something: most of it is soon over."""
        return _told(self._soonest)

    def again(self) -> str:
        """For whoever has asked, and must wait: each gets a turn of its own."""
        now = self._monotonic()
        wait = min(max(self._last + self._turn - now, self._soonest), LATEST)
        self._last = now + wait
        return _told(wait)


def _told(seconds: float) -> str:
    """From a second on in whole ones: not every client reads fractions."""
    return f"{int(seconds)}" if seconds >= 1 else f"{seconds:.2g}"
