"""An event loop whose time passes only when nobody has anything left to do, and then at once.

So a simulated day costs what happens in it, timers fire in exactly the order of their moments, and two runs of the same
program take the same turns.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.BaseEventLoop):
    """`BaseEventLoop` asks its selector to sleep; this one is its own selector and only looks at the watch."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = self
        self._now = 0.0

    def time(self) -> float:
        return self._now

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("Everybody waits for somebody else: this would never end.")
        self._now += timeout
        return []

    def _process_events(self, event_list: list[Any]) -> None:
        """There is no outside world."""

    def _write_to_self(self) -> None:
        """Nor another thread to be woken by."""


def run(main: Coroutine[Any, Any, T]) -> T:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
