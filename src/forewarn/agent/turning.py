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


class Halt:
    """Raised by one thread, and heard by another that waits."""

    def __init__(self) -> None:
        self._raised = threading.Event()
        self.reason: Stopped = Stopped("it was called off")

    def raise_(self, reason: Stopped) -> None:
        self.reason = reason
        self._raised.set()

    def wait(self, seconds: float) -> bool:
        return self._raised.wait(seconds)


@dataclass(slots=True)
class ATurn:
    """The Turn that steps are given."""

    event: Event
    me: str
    attempt: int
    spool: Path
    kept: Mapping[str, Fact]
    _limit: float
    _halt: Halt
    _keep: Callable[[Mapping[str, Fact]], StepRecord]
    _say: Callable[[str], None]
    _begun: float = field(default_factory=monotonic)

    def keep(self, **facts: Fact) -> None:
        self.kept = self._keep(facts).kept

    def left(self) -> float:
        return max(0.0, self._begun + self._limit - monotonic())

    def pause(self, seconds: float) -> None:
        if self._halt.wait(min(seconds, self.left())):
            raise self._halt.reason
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
