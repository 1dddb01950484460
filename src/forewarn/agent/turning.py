"""The turns that steps are really given, and who waits for whom."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from forewarn.agent.errors import Stopped, TimeIsUp
from forewarn.agent.records import StepRecord
from forewarn.agent.turns import Fact
from forewarn.client.documents import Event


@dataclass(slots=True)
class ATurn:
    """The Turn that steps are given."""

    event: Event
    me: str
    attempt: int
    spool: Path
    kept: Mapping[str, Fact]
    _limit: float
    _stop: threading.Event
    _keep: Callable[[Mapping[str, Fact]], StepRecord]
    _say: Callable[[str], None]
    _begun: float = field(default_factory=monotonic)

    def keep(self, **facts: Fact) -> None:
        self.kept = self._keep(facts).kept

    def left(self) -> float:
        return max(0.0, self._begun + self._limit - monotonic())

    def pause(self, seconds: float) -> None:
        if self._stop.wait(min(seconds, self.left())):
            raise Stopped("it was called off")
        if self.left() <= 0:
            raise TimeIsUp(f"it did not end within {self._limit:.0f} s")

    def say(self, text: str) -> None:
        self._say(text)


class StepLocks:
    """One step runs for one event at a time."""

    def __init__(self) -> None:
        self._locks: dict[str, threading.Lock] = {}
        self._gate = threading.Lock()

    @contextmanager
    def held(self, name: str, wait: Callable[[float], None]) -> Iterator[None]:
        with self._gate:
            lock = self._locks.setdefault(name, threading.Lock())
        while not lock.acquire(blocking=False):
            wait(0.05)
        try:
            yield
        finally:
            lock.release()
