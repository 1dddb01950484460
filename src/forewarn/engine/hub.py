"""Tells watchers of every history entry, in order, each once, from wherever they left off.

A watcher is a cursor, not a queue: what it has not read yet is taken from the few entries kept here, or from the
history itself. However slow one is, it costs no memory.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from itertools import islice

from forewarn.domain.history import Entry
from forewarn.engine.ports import News, Store

RECENT = 1024
PAGE = 100


class Hub:
    def __init__(self, store: Store, *, heartbeat: float = 15.0) -> None:
        """`heartbeat`: seconds of real time after which a watcher hears that nothing happened."""
        self.watchers = 0
        self._store = store
        self._heartbeat = heartbeat
        self._recent: deque[Entry] = deque(maxlen=RECENT)  # consecutive
        self._changed = asyncio.Event()
        self._nudges = 0
        self._closed = False

    def publish(self, news: News) -> None:
        for entry in news.entries:
            if self._recent and entry.seq != self._recent[-1].seq + 1:
                self._recent.clear()  # something was not told here; the history has it
            self._recent.append(entry)
        if news.entries:
            self._wake()

    def nudge(self) -> None:
        """Every watcher gets an empty batch now: there is something to look at that is not in the history."""
        self._nudges += 1
        self._wake()

    def close(self) -> None:
        """Every watcher's stream ends."""
        self._closed = True
        self._wake()

    async def follow(self, after: int) -> AsyncGenerator[Sequence[Entry], None]:
        """Batches of entries after this `seq`. An empty one says that nothing happened for a while, or is a nudge."""
        self.watchers += 1
        nudges = self._nudges
        try:
            while not self._closed:
                changed = self._changed
                batch = self._kept(after)
                if batch is None:
                    batch = await self._store.read(lambda r, a=after: r.history(after=a, limit=PAGE))  # type: ignore[misc]
                if batch:
                    after = batch[-1].seq
                    yield batch
                elif nudges != self._nudges or not await self._within_a_heartbeat(changed):
                    nudges = self._nudges
                    yield ()
        finally:
            self.watchers -= 1

    def _kept(self, after: int) -> Sequence[Entry] | None:
        """What comes next, if it is still kept here."""
        if not self._recent or self._recent[0].seq > after + 1 or self._recent[-1].seq < after:
            return None
        start = after + 1 - self._recent[0].seq
        return list(islice(self._recent, start, start + PAGE))

    async def _within_a_heartbeat(self, changed: asyncio.Event) -> bool:
        try:
            await asyncio.wait_for(changed.wait(), self._heartbeat)
        except TimeoutError:
            return False
        return True

    def _wake(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()
