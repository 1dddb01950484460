"""The events that ended lately, in memory: the documents have forgotten them, and a timeline still shows them.

It is filled when somebody first looks, back through the history as far as it reaches, and follows every change from
then on. What it costs depends on what happened lately, not on all that ever did.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.domain.draft import Change
from forewarn.domain.events import Event
from forewarn.domain.history import ACCESS, Entry, What
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader

REACH = timedelta(days=7)
MOST = 20_000
"""Events that are remembered; of more, the latest."""

PAGE = 1000
MOST_PAGES = 200
"""Of the history, when it is filled."""

ENDINGS = frozenset({What.COMPLETED, What.CANCELED, What.FAILED})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Leaf:
    """A page of the history, read from its end."""

    ended: Sequence[Event]
    is_last: bool


class Diary:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._ended: dict[str, Event] = {}  # in the order in which they ended
        self._filling = asyncio.Lock()
        self._since: list[Change] | None = None  # what happened while it was being filled
        self._full = False
        engine.on_change(self._follow)

    async def fill(self) -> "Diary":
        """Itself, once it knows all that ended lately."""
        async with self._filling:
            if not self._full:
                self._since = []
                self._ended = {event.id: event for event in reversed(await self._look_back())}
                for change in self._since:
                    self._apply(change)
                self._since, self._full = None, True
        return self

    @property
    def ended(self) -> Iterable[Event]:
        return self._ended.values()

    async def _look_back(self) -> list[Event]:
        """The latest first."""
        store, found = self._engine.store, list[Event]()
        since = self._engine.clock.now() - REACH
        last = await store.read(lambda reader: reader.last_entry())
        for end in range(last, max(0, last - PAGE * MOST_PAGES), -PAGE):
            leaf = await store.read(lambda reader, end=end: _read(reader, end, since))  # type: ignore[misc]
            found += leaf.ended
            if leaf.is_last or len(found) >= MOST:
                break
        return found[:MOST]

    def _follow(self, change: Change) -> None:
        if self._since is not None:
            self._since.append(change)
        elif self._full:
            self._apply(change)

    def _apply(self, change: Change) -> None:
        for revision in change.revisions:
            self._ended |= {event.id: event for event in revision.after.events if not event.phase.is_live}
        while len(self._ended) > MOST:
            self._ended.pop(next(iter(self._ended)))


def _read(reader: Reader, end: int, since: datetime) -> _Leaf:
    """The entries up to `end`, whose numbers have no gaps."""
    first = max(0, end - PAGE)
    told = [entry for entry in reader.history(after=first, limit=end - first) if entry.scope != ACCESS]
    return _Leaf(
        ended=[event for entry in reversed(told) if entry.at >= since and (event := _ended(reader, entry)) is not None],
        is_last=bool(told) and told[0].at < since,
    )


def _ended(reader: Reader, entry: Entry) -> Event | None:
    """The event that ended, if the entry tells of one: an operation without an event fails too."""
    event = reader.event(entry.subject) if entry.what in ENDINGS else None
    return None if event is None or event.phase.is_live else event
