"""The one thread that writes. Works queue up while a commit is under way, and go into the next one together."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeAlias, TypeVar

from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Transaction
from forewarn.store.batch import Batches, Outcome, Work

T = TypeVar("T")
Then: TypeAlias = Callable[[Any], None] | None
Asked: TypeAlias = tuple[Work, "asyncio.Future[Any]", Then]

AT_A_TIME = 256


class Writer:
    def __init__(self, batches: Batches) -> None:
        self._batches = batches
        self._queue: SimpleQueue[Asked | None] = SimpleQueue()
        self._gate = Lock()
        self._closed = False
        self._thread = Thread(target=self._work, name="forewarn-writer", daemon=True)
        self._thread.start()

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        """Callers of one event loop get their answers in the order of the commits."""
        future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        with self._gate:
            if self._closed:
                raise Unavailable("The store is closed. Nothing was changed.")
            self._queue.put((work, future, then))
        return await future

    def close(self) -> None:
        """Finish what is queued, then stop. Blocks."""
        with self._gate:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (asked := self._queue.get()) is not None:
            batch = [asked]
            last = False
            with suppress(Empty):
                while len(batch) < AT_A_TIME and not last:
                    more = self._queue.get_nowait()
                    if more is None:
                        last = True
                    else:
                        batch.append(more)
            _hand_back(zip(batch, self._batches.commit([work for work, _, _ in batch]), strict=True))
            if last:
                return


def _hand_back(results: Iterable[tuple[Asked, Outcome]]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[asyncio.Future[Any], Then, Outcome]]] = defaultdict(list)
    for (_, future, then), outcome in results:
        by_loop[future.get_loop()].append((future, then, outcome))
    for loop, settled in by_loop.items():
        with suppress(RuntimeError):  # the loop has closed and nobody waits any more; the commit stands
            loop.call_soon_threadsafe(_settle, settled)


def _settle(settled: Iterable[tuple[asyncio.Future[Any], Then, Outcome]]) -> None:
    """`then` is called whether or not the caller is still there: what was committed must be told."""
    for future, then, outcome in settled:
        error = outcome.error
        if error is None and then is not None:
            try:
                then(outcome.value)
            except Exception as failure:
                error = failure  # for its own caller; the others go on
        if future.done():
            continue
        if error is None:
            future.set_result(outcome.value)
        else:
            future.set_exception(error)
