"""A turn for one step, without an agent around it."""

import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event as Flag

from forewarn.agent.errors import Stopped, TimeIsUp
from forewarn.agent.turns import Fact
from forewarn.client.documents import Event, EventType, Status

REBOOT = Event(
    id="C7061BAC-AFDC-4513-B24B-AA5F13A16123",
    type=EventType.REBOOT,
    status=Status.SCHEDULED,
    resources=("web_0", "web_1"),
    not_before=datetime(2026, 11, 2, 22, 18, 47, tzinfo=UTC),
    description="Host maintenance",
    source="Platform",
    duration=timedelta(seconds=9),
    raw={"EventId": "C7061BAC-AFDC-4513-B24B-AA5F13A16123", "EventType": "Reboot"},
)


@dataclass(kw_only=True)
class ATurn:
    """`limit` runs from the moment it is made. `stop` calls the step off, from any thread."""

    spool: Path
    event: Event = REBOOT
    me: str = "web_0"
    attempt: int = 1
    limit: float = 10.0
    kept: dict[str, Fact] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._end = time.monotonic() + self.limit
        self._stopped = Flag()
        self._reason = Stopped("called off")

    def keep(self, **facts: Fact) -> None:
        self.kept.update(facts)

    def left(self) -> float:
        return max(self._end - time.monotonic(), 0.0)

    def pause(self, seconds: float) -> None:
        if self._stopped.wait(min(seconds, self.left())):
            raise self._reason
        if not self.left():
            raise TimeIsUp(f"not done within {self.limit:g} s")

    def say(self, text: str) -> None:
        self.said.append(text)

    def stop(self, reason: Stopped | None = None) -> None:
        self._reason = reason or self._reason
        self._stopped.set()
