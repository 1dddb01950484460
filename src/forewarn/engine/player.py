"""Plays time: an `advance` visits every moment on its way, so that each thing happens at its own time."""

from datetime import datetime, timedelta

import msgspec

from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker

CLOCK_NOTE = "clock"


class Player:
    def __init__(self, engine: Engine, clock: FleetClock, ticker: Ticker, worker: Worker) -> None:
        self._engine = engine
        self._clock = clock
        self._ticker = ticker
        self._worker = worker

    async def advance(self, delta: timedelta) -> datetime:
        """Move the clock, and return when all that was due on the way has happened."""
        target = self._clock.moved(delta)
        await self._keep(target)
        while (moment := await self.next_moment()) is not None and moment <= target.fleet:
            self._clock.step_to(moment)
            await self.settle()
        self._clock.step_to(target.fleet)
        await self.settle()
        return self._clock.now()

    async def set_rate(self, rate: float) -> None:
        state = self._clock.paced(rate)
        await self._keep(state)
        self._clock.set(state)

    async def settle(self) -> None:
        """Everything due by now happens, and what follows from it."""
        while await self._ticker.turn() or await self._worker.turn():
            pass

    async def next_moment(self) -> datetime | None:
        moments = [await self._ticker.next_moment(), await self._worker.next_moment()]
        return min((moment for moment in moments if moment is not None), default=None)

    async def _keep(self, state: ClockState) -> None:
        text = msgspec.json.encode(state).decode()
        await self._engine.store.run(lambda tx: tx.put_note(CLOCK_NOTE, text))
