"""Takes actions from the outbox, has the driver perform them, and reports what came of it.

A lease keeps others away while the driver works; the fence that comes with it lets the driver, and the report, refuse
whoever held the lease before.
"""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from forewarn.domain.draft import Change
from forewarn.domain.events import Action
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Done, Driver, Failed, Running
from forewarn.engine.waiting import Sleeper

log = logging.getLogger(__name__)
AT_A_TIME = 64
LOOK_AGAIN = 60.0
"""Seconds of real time after which to look for leases that ran out."""

GRACE = timedelta(seconds=30)
EVER_AFTER = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)


class Worker:
    def __init__(self, engine: Engine, driver: Driver, wall: Callable[[], datetime], *, alone: bool = True) -> None:
        """`alone`: no other process works on this store, so whatever is leased at the start was left by a dead one."""
        self._engine = engine
        self._driver = driver
        self._wall = wall
        self._inherits = alone
        self._length = timedelta(seconds=driver.time_limit) + GRACE
        self._sleeper = Sleeper(engine.clock)
        self._under_way: set[asyncio.Task[None]] = set()
        self._taking = asyncio.Lock()
        self._failure: BaseException | None = None
        engine.on_change(self._look)

    async def run(self) -> None:
        try:
            while True:
                try:
                    await self._take()
                    moment = await self.next_moment()
                except Exception:
                    log.exception("no action could be taken; trying again")
                    await self._sleeper.back_off()
                else:
                    await self._sleeper.sleep_until(moment, at_most=LOOK_AGAIN)
        finally:
            await self.stop()

    async def stop(self) -> None:
        """Leave what is under way to whoever takes it over."""
        for task in self._under_way:
            task.cancel()
        await asyncio.gather(*self._under_way, return_exceptions=True)

    async def next_moment(self) -> datetime | None:
        return await self._engine.store.read(lambda r: r.next_action())

    async def turn(self) -> bool:
        """Everything that is to be done now. Says whether there was anything; raises if a report was not saved."""
        moved, self._failure = False, None
        while await self._take() or self._under_way:
            moved = True
            await asyncio.wait(self._under_way, return_when=asyncio.FIRST_COMPLETED)
            if self._failure is not None:
                raise self._failure
        return moved

    async def _take(self) -> bool:
        """Take what is due, as far as there are hands free: a slow driver holds up nobody else."""
        async with self._taking:
            if self._inherits and self._under_way:
                await asyncio.wait(self._under_way)  # or it would inherit from itself
            elif len(self._under_way) >= AT_A_TIME:
                await asyncio.wait(self._under_way, return_when=asyncio.FIRST_COMPLETED)
            leased = await self._lease(AT_A_TIME - len(self._under_way))
            for action in leased:
                task = asyncio.create_task(self._perform(action))
                self._under_way.add(task)
                task.add_done_callback(self._over)
        return bool(leased)

    def _over(self, task: "asyncio.Task[None]") -> None:
        self._under_way.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failure = failure
            log.error("an action could not be reported: %s", failure, exc_info=failure)

    async def _lease(self, limit: int) -> list[Action]:
        wall = self._wall()
        free_by = EVER_AFTER if self._inherits else wall
        leased = list(await self._engine.lease(wall, free_by, self._length, limit))
        self._inherits = self._inherits and len(leased) == limit
        return leased

    async def _perform(self, action: Action) -> None:
        await self._engine.report(action, await self._ask(action))

    async def _ask(self, action: Action) -> Done | Running | Failed:
        try:
            async with asyncio.timeout(self._driver.time_limit):
                return await self._driver.perform(action, self._engine.clock.now())
        except TimeoutError:
            return Failed(f"the driver gave no answer within {self._driver.time_limit:g} s")
        except Exception as error:
            log.exception("the driver failed on %s", action.machine)
            return Failed(f"the driver failed: {error}")

    def _look(self, change: Change) -> None:
        for action in change.actions:
            self._sleeper.wake_for(action.due)
