"""Sleeps until the next moment that matters, then lets the scopes whose moment it is move on.

It never walks over the fleet: the store knows what is due, and a commit that makes something due earlier wakes it.
"""

import asyncio
import logging
from datetime import datetime

from forewarn.domain.draft import Change
from forewarn.engine.engine import Engine
from forewarn.engine.waiting import Sleeper

log = logging.getLogger(__name__)
AT_A_TIME = 256


class Ticker:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._sleeper = Sleeper(engine.clock)
        self._turn = asyncio.Lock()
        engine.on_change(self._look)

    async def run(self) -> None:
        while True:
            try:
                await self.turn()
                moment = await self.next_moment()
            except Exception:
                log.exception("a scope could not move on; trying again")
                await self._sleeper.back_off()
            else:
                await self._sleeper.sleep_until(moment)

    async def next_moment(self) -> datetime | None:
        return await self._engine.store.read(lambda r: r.next_due())

    async def turn(self) -> bool:
        """Everything that is due now. Says whether there was anything; raises if a scope could not move on."""
        moved = False
        async with self._turn:
            while due := await self._due():
                moved = True
                results = await asyncio.gather(*(self._engine.tick(scope) for scope in due), return_exceptions=True)
                failures = [result for result in results if isinstance(result, BaseException)]
                if failures:
                    raise failures[0]
        return moved

    async def _due(self) -> list[str]:
        now = self._engine.clock.now()
        return list(await self._engine.store.read(lambda r: r.due_scopes(now, AT_A_TIME)))

    def _look(self, change: Change) -> None:
        for revision in change.revisions:
            self._sleeper.wake_for(revision.due)
