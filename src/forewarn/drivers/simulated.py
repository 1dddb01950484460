"""Impacts that take their time and change nothing: for tests, for laptops, for trying things out."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from forewarn.domain.events import Action, EventType
from forewarn.engine.ports import Done, Failed, Running

DURATIONS: Mapping[EventType, timedelta] = {
    EventType.FREEZE: timedelta(seconds=9),
    EventType.REBOOT: timedelta(seconds=60),
    EventType.REDEPLOY: timedelta(seconds=120),
    EventType.PREEMPT: timedelta(seconds=10),
    EventType.TERMINATE: timedelta(seconds=30),
}


class SimulatedDriver:
    """How far an impact is follows from when it began, so there is nothing to remember and nothing to do twice."""

    time_limit = 5.0

    def __init__(self, durations: Mapping[EventType, timedelta] | None = None) -> None:
        self._durations = {**DURATIONS, **(durations or {})}
        self._freezes_as_set = EventType.FREEZE in (durations or {})
        self._failures: Counter[tuple[str, str]] = Counter()

    def fail_next(self, scope: str, machine: str, times: int = 1) -> None:
        """The next attempts on this machine fail."""
        self._failures[scope, machine] = times

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        if self._failures[action.scope, action.machine] > 0:
            self._failures[action.scope, action.machine] -= 1
            return Failed("it was told to fail")
        over = action.started_at + self._length(action)
        return Done() if over <= now else Running(over)

    def _length(self, action: Action) -> timedelta:
        if action.impact is EventType.FREEZE and action.duration >= 0 and not self._freezes_as_set:
            return timedelta(seconds=action.duration)
        return self._durations[action.impact]
