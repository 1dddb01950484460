"""Moves the fleet's time from moment to moment: as fast as it can, or at a pace at which somebody can look on."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from forewarn.testing.kit import Forewarn
from forewarn.wire.durations import format_iso

TICK = 0.05
"""Seconds of real time between two moves, where time has a pace."""


class FleetTime:
    """The server's clock stands still unless this moves it, so everything happens at its own moment, at any pace."""

    def __init__(
        self,
        forewarn: Forewarn,
        speed: float | None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`speed`: fleet seconds in a second; None: as fast as it can."""
        self._client = forewarn.client
        self._speed = speed
        self._monotonic = monotonic
        self._sleep = sleep
        clock = self._client.get("/clock")
        self.start = datetime.fromisoformat(clock["now"])
        self._take(clock)
        self.begin()

    def begin(self) -> None:
        """Now: for whoever waited for something before time goes by."""
        self._anchor = self._monotonic(), self.now

    def since(self, moment: str) -> timedelta:
        """From the start to a moment that the API tells."""
        return datetime.fromisoformat(moment) - self.start

    def towards(self, moment: timedelta) -> bool:
        """To this moment, or to one before it at which something happens by itself, or as far as the pace allows.

        Says whether something has happened by itself.
        """
        stop = moment if self.next is None else min(moment, max(self.next, self.now))
        if self._speed is not None:
            stop = min(stop, self._paced(self._speed, stop))
        happens = self.next is not None and self.next <= stop
        self._advance(stop - self.now)
        return happens

    def settle(self) -> None:
        """What follows from what was just done happens before anything else does."""
        self._advance(timedelta(0))

    def _paced(self, speed: float, stop: timedelta) -> timedelta:
        began, since = self._anchor
        left = (stop - since).total_seconds() / speed - (self._monotonic() - began)
        self._sleep(max(0.0, min(TICK, left)))
        return max(self.now, since + timedelta(seconds=(self._monotonic() - began) * speed))

    def _advance(self, by: timedelta) -> None:
        self._take(self._client.post("/clock/advance", {"by": format_iso(by)}))

    def _take(self, clock: Any) -> None:
        self.now = self.since(clock["now"])
        self.next = None if clock["next"] is None else self.since(clock["next"])
