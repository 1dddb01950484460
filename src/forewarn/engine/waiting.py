"""Sleeping until a moment of the fleet's clock, unless something earlier turns up."""

import asyncio
from datetime import datetime

from forewarn.engine.ports import Clock

BACK_OFF = 1.0
"""Seconds of real time to leave a failing store alone."""


class Sleeper:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: datetime | None = None
        self._woken = asyncio.Event()

    def wake_for(self, moment: datetime | None) -> None:
        """Something is due then; wake up if that is earlier than planned."""
        if moment is not None and (self._until is None or moment < self._until):
            self._woken.set()

    async def back_off(self) -> None:
        await asyncio.sleep(BACK_OFF)

    async def sleep_until(self, moment: datetime | None, at_most: float | None = None) -> None:
        """`at_most`: seconds of real time after which to look again, whatever the fleet's clock says."""
        if self._woken.is_set():
            self._woken.clear()
            return
        self._until = moment
        waits = {asyncio.ensure_future(self._clock.wait_until(moment)), asyncio.ensure_future(self._woken.wait())}
        try:
            await asyncio.wait(waits, timeout=at_most, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
            self._until = None
            self._woken.clear()
