"""Plays time: an `advance` visits every moment on its way, so that each thing happens at its own time."""

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec

from forewarn.domain.errors import Conflict
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Store
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker

CLOCK_NOTE = "clock"


async def clock_state(
    store: Store, rate: float | None, wall: Callable[[], datetime], start: datetime | None = None
) -> ClockState | None:
    """Where fleet time goes on after a start: never before where it was. No rate means the real clock.

    `start`: where a virtual clock begins, if it was never set before.
    """
    text = await store.read(lambda reader: reader.note(CLOCK_NOTE))
    kept = msgspec.json.decode(text, type=ClockState) if text else None
    reached = wall() if kept is None else max(wall(), kept.fleet, FleetClock(wall, kept).now())
    if rate is not None:
        if kept is None and start is not None:
            reached = start
        state = ClockState(wall=wall(), fleet=reached, rate=rate)
        await _keep(store, state)
        return state
    if reached - wall() > timedelta(seconds=1):
        raise Conflict(
            f"This fleet's clock was moved ahead to {reached:%Y-%m-%d %H:%M:%S} UTC and time does not go back: "
            "start with --clock manual, or with another --data."
        )
    return None


class Player:
    def __init__(
        self,
        engine: Engine,
        clock: FleetClock,
        ticker: Ticker,
        worker: Worker,
        moved: Callable[[], object] = lambda: None,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._ticker = ticker
        self._worker = worker
        self._moved = moved  # for who reads the clock only now and then
        self._playing = asyncio.Lock()

    async def advance(self, delta: timedelta) -> datetime:
        """Move the clock, and return when all that was due on the way has happened."""
        async with self._playing:
            return await self._play(self._clock.moved(delta))

    async def advance_to_next(self) -> datetime:
        """Move the clock to the next moment at which something happens by itself."""
        async with self._playing:
            here = self._clock.moved(timedelta(0))
            moment = await self.next_moment()
            if moment is None:
                raise Conflict("Nothing is going to happen by itself: there is no next moment.", key="no_next_moment")
            return await self._play(self._clock.moved(max(moment - here.fleet, timedelta(0))))

    async def set_rate(self, rate: float) -> None:
        async with self._playing:
            state = self._clock.paced(rate)
            await _keep(self._engine.store, state)
            self._clock.set(state)

    async def _play(self, target: ClockState) -> datetime:
        await _keep(self._engine.store, target)
        while (moment := await self.next_moment()) is not None and moment <= target.fleet:
            self._clock.step_to(moment)
            await self.settle()
        self._clock.step_to(target.fleet)
        self._moved()
        await self.settle()
        return self._clock.now()

    async def settle(self) -> None:
        """Everything due by now happens, and what follows from it."""
        while await self._ticker.turn() or await self._worker.turn():
            pass

    async def next_moment(self) -> datetime | None:
        moments = [await self._ticker.next_moment(), await self._worker.next_moment()]
        return min((moment for moment in moments if moment is not None), default=None)


async def _keep(store: Store, state: ClockState) -> None:
    text = msgspec.json.encode(state).decode()
    await store.run(lambda tx: tx.put_note(CLOCK_NOTE, text))
