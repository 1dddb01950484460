"""The one thread that writes. Works queue up while a commit is under way, and go into the next one together."""

import asyncio
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Transaction
from forewarn.store.batch import Batches, Work
from forewarn.store.returning import Then, WayBack

T = TypeVar("T")
Asked: TypeAlias = tuple[Work, WayBack, "asyncio.Future[Any]", Then]

AT_A_TIME = 256


class Writer:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._queue: SimpleQueue[Asked | None] = SimpleQueue()
        self._gate = Lock()
        self._closed = False
        self._ways_back: dict[asyncio.AbstractEventLoop, WayBack] = {}
        self._thread = Thread(target=self._work, name="forewarn-writer", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        """Callers of one event loop get their answers in the order of the commits."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        with self._gate:
            if self._closed:
                raise Unavailable("The store is closed. Nothing was changed.")
            if loop not in self._ways_back:
                self._ways_back[loop] = WayBack(loop)
            self._queue.put((work, self._ways_back[loop], future, then))
        return await future

    def close(self) -> None:
        """Finish what is queued, then stop. Blocks."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()
        while self._ways_back:
            self._ways_back.popitem()[1].close()

    def _work(self) -> None:
        while batch := self._next_batch():
            self._perform(batch)

    def _next_batch(self) -> list[Asked]:
        """Waits for the first; empty when there will be none any more."""
        batch: list[Asked] = []
        while (asked := self._queue.get()) is not None:
            batch.append(asked)
            if len(batch) == AT_A_TIME or self._queue.empty():
                return batch
        self._queue.put(None)  # for the next time
        return batch

    def _perform(self, batch: list[Asked]) -> None:
        outcomes = self._batches.commit([work for work, *_ in batch])
        for (_, way_back, future, then), outcome in zip(batch, outcomes, strict=True):
            way_back.send(future, then, outcome)
        for way_back in {way_back for _, way_back, *_ in batch}:
            way_back.ring()
