"""An event loop whose time passes only when nobody has anything left to do, and then at once.

So a simulated day costs what happens in it, timers fire in exactly the order of their moments, and two runs of the same
program take the same turns.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from selectors import DefaultSelector, SelectorKey
from typing import Any, TypeVar

from forewarn.engine.ports import Reader, Store, Transaction

T = TypeVar("T")
DEADLOCK = 5.0
"""Seconds of real time in which another thread may still have an answer when nobody here has anything to do."""


class Watch(DefaultSelector):
    """Asked to sleep, it only moves its hands; unless something is under way in another thread."""

    now = 0.0
    abroad = 0

    def select(self, timeout: float | None = None) -> list[tuple[SelectorKey, int]]:
        if timeout is None or (timeout and self.abroad):
            ready = super().select(DEADLOCK)
            if not ready:
                raise RuntimeError("Everybody waits for somebody else: this would never end.")
            return ready
        self.now += timeout
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._watch = Watch()
        super().__init__(self._watch)

    def time(self) -> float:
        return self._watch.now

    @contextmanager
    def abroad(self) -> Iterator[None]:
        """Something may be under way in another thread: until it answers, no time passes here."""
        self._watch.abroad += 1
        try:
            yield
        finally:
            self._watch.abroad -= 1


class Abroad:
    """A store whose work may be done in other threads, asked from a loop that has to wait for them."""

    def __init__(self, store: Store, loop: VirtualLoop) -> None:
        self._store = store
        self._loop = loop

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        with self._loop.abroad():
            return await self._store.run(work, then)

    async def read(self, work: Callable[[Reader], T]) -> T:
        with self._loop.abroad():
            return await self._store.read(work)

    async def close(self) -> None:
        with self._loop.abroad():
            await self._store.close()


def run(main: Callable[[VirtualLoop], Coroutine[Any, Any, T]]) -> T:
    loop = VirtualLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main(loop))
