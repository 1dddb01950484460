"""The fleet's clock: real, standing still until somebody moves it, or faster than life."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.rates import checked_rate

LOOK_AGAIN = 30.0
"""Seconds of real time after which a waiter reads the clock again, in case the machine's own clock was set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ClockState:
    """Fleet time as a line through (wall, fleet) with a slope. A rate of 0 stands still."""

    wall: datetime
    fleet: datetime
    rate: float


class FleetClock:
    def __init__(self, wall: Callable[[], datetime], state: ClockState | None = None) -> None:
        self._wall = wall
        self._state = state
        self._changed = asyncio.Event()
        self._told: list[Callable[[], object]] = []

    def on_set(self, tell: Callable[[], object]) -> None:
        """Called whenever somebody has set the clock, for those who read it only now and then."""
        self._told.append(tell)

    @property
    def is_real(self) -> bool:
        return self._state is None

    @property
    def state(self) -> ClockState | None:
        """Another one each time that somebody sets the clock; None on a real one."""
        return self._state

    @property
    def rate(self) -> float:
        return 1.0 if self._state is None else self._state.rate

    def now(self) -> datetime:
        state = self._state
        if state is None:
            return self._wall()
        return state.fleet + (self._wall() - state.wall) * state.rate

    def moved(self, delta: timedelta) -> ClockState:
        """What the state would be `delta` later; refused on a real clock, and backwards."""
        if delta < timedelta(0):
            raise Invalid("Time does not go back: advance the clock by a positive duration.", key="time_goes_on")
        try:
            return self._at(self.now() + delta, self.rate)
        except OverflowError:
            raise Invalid(
                "The calendar ends before that: advance the clock by less than {delta}.",
                key="calendar_ends",
                delta=delta,
            ) from None

    def paced(self, rate: float) -> ClockState:
        """What the state would be at another rate."""
        return self._at(self.now(), checked_rate(rate))

    def set(self, state: ClockState) -> None:
        self._state = state
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
        for tell in self._told:
            tell()

    def step_to(self, moment: datetime) -> None:
        """Move to a moment on the way of an `advance` that is already decided."""
        self.set(self._at(max(moment, self.now()), self.rate))

    async def wait_until(self, moment: datetime | None) -> None:
        changed = self._changed
        while not changed.is_set():
            pause = self._pause_until(moment)
            if pause is not None and pause <= 0:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN if pause is None else min(pause, LOOK_AGAIN)):
                    await changed.wait()

    def _pause_until(self, moment: datetime | None) -> float | None:
        """Seconds of real time until the moment; None if it does not come by itself."""
        if moment is None or self.rate == 0:
            return None if moment is None or moment > self.now() else 0.0
        return (moment - self.now()).total_seconds() / self.rate

    def _at(self, fleet: datetime, rate: float) -> ClockState:
        if self._state is None:
            raise Conflict(
                "This fleet runs on the real clock: start it with --clock manual or --clock 60x to set time.",
                key="real_clock",
            )
        return ClockState(wall=self._wall(), fleet=fleet, rate=rate)
