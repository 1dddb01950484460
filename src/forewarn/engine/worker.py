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
        self._turn = asyncio.Lock()
        engine.on_change(self._look)

    async def run(self) -> None:
        while True:
            await self.turn()
            await self._sleeper.sleep_until(await self.next_moment(), at_most=LOOK_AGAIN)

    async def next_moment(self) -> datetime | None:
        return await self._engine.store.read(lambda r: r.next_action())

    async def turn(self) -> bool:
        """Everything that is to be done now. Says whether there was anything."""
        moved = False
        async with self._turn:
            while actions := await self._lease():
                moved = True
                results = await asyncio.gather(*(self._perform(action) for action in actions), return_exceptions=True)
                failures = [result for result in results if isinstance(result, BaseException)]
                for failure in failures:
                    log.error("an action could not be reported: %s", failure, exc_info=failure)
                if failures:
                    self._sleeper.back_off()
                    break
        return moved

    async def _lease(self) -> list[Action]:
        wall = self._wall()
        free_by = wall
        if self._inherits:
            free_by = EVER_AFTER
        leased = list(await self._engine.lease(wall, free_by, self._length, AT_A_TIME))
        self._inherits = self._inherits and len(leased) == AT_A_TIME
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
