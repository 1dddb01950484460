"""The world outside: what truly happened to machines, and a driver with every kind of bad luck.

The ledger outlives processes. Acting is not instantaneous: a driver first asks how far the action is, and acts a while
later. What keeps two of them from both acting in between is the fence, checked at the very moment of the act.
"""

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.events import Action
from forewarn.engine.ports import Done, Failed, Running
from forewarn.testing.simulation.trace import Impact

Key = tuple[str, str]
STALE = Failed("another worker holds this action")


class Ledger:
    def __init__(self, note: Callable[[Impact], None]) -> None:
        self._note = note
        self._fences: dict[Key, int] = {}
        self._over: dict[Key, datetime] = {}  # begun, and when it is over

    def open(self, action: Action) -> bool:
        """Who comes with a newer fence shuts out all before. False: it is somebody of those."""
        key = (action.operation, action.machine)
        if self.is_stale(action):
            return False
        self._fences[key] = max(action.fence, self._fences.get(key, 0))
        return True

    def over_at(self, action: Action) -> datetime | None:
        return self._over.get((action.operation, action.machine))

    def act(self, action: Action, over: datetime) -> bool:
        if self.is_stale(action):
            return False
        self._over[action.operation, action.machine] = over
        self._note(Impact(action=action))
        return True

    def is_stale(self, action: Action) -> bool:
        return action.fence < self._fences.get((action.operation, action.machine), 0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Luck:
    """How often a driver's call goes wrong, in which way. The rest of the calls work."""

    fails: float = 0.0
    raises: float = 0.0
    hangs: float = 0.0  # gives no answer in time; the act may still happen, later than anybody thinks
    dies_before: float = 0.0  # the power is cut before the act
    dies_after: float = 0.0  # and after it, so that its report is lost


class UnluckyDriver:
    time_limit = 20.0

    def __init__(self, ledger: Ledger, luck: Callable[[], Luck], rng: random.Random, die: Callable[[], None]) -> None:
        self._ledger = ledger
        self._luck = luck
        self._rng = rng
        self._die = die
        self._late: set[asyncio.Task[None]] = set()

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        if not self._ledger.open(action):
            return STALE
        over = self._ledger.over_at(action)
        if over is not None:
            return Done() if over <= now else Running(over)
        return await self._begin(action, now, now + timedelta(seconds=self._rng.choice([0, 0, 5, 60, 600])))

    async def _begin(self, action: Action, now: datetime, over: datetime) -> Done | Running | Failed:
        luck, chance = self._luck(), self._rng.random()
        chance -= luck.fails
        if chance < 0:
            return Failed("it would not")
        chance -= luck.raises
        if chance < 0:
            raise RuntimeError("a driver's bug")
        chance -= luck.hangs
        if chance < 0:
            await self._hang(action, over)
        chance -= luck.dies_before
        if chance < 0:
            await self._power_cut()
        await asyncio.sleep(self._rng.choice([0, 0, 0.1, 3]))
        if not self._ledger.act(action, over):
            return STALE
        if chance - luck.dies_after < 0:
            await self._power_cut()
        return Done() if over <= now else Running(over)

    async def _hang(self, action: Action, over: datetime) -> None:
        if self._rng.random() < 0.5:
            task = asyncio.create_task(self._act_later(action, over))
            self._late.add(task)
            task.add_done_callback(self._late.discard)
        await asyncio.Event().wait()

    async def _act_later(self, action: Action, over: datetime) -> None:
        """Somebody else, somewhere, still has the order; whoever gave it has long been given up."""
        await asyncio.sleep(self._rng.choice([1, 25, 100]))
        self._ledger.act(action, over)

    async def _power_cut(self) -> None:
        self._die()
        await asyncio.Event().wait()
