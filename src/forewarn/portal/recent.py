"""The newest of the history, which is read from its beginning by everybody else."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from forewarn.domain.events import Event
from forewarn.domain.history import Entry, What
from forewarn.engine.ports import Reader

STEP = 1000
WIDEST = 64_000
"""Entries that are looked back over at a time: few at first, more where there is little to find."""
MOST_STEPS = 20
BORN = (What.SCHEDULED, What.STRUCK)


@dataclass(frozen=True, kw_only=True, slots=True)
class Announced:
    events: Sequence[Event]
    older: int | None
    """Where to go on; None where the history begins."""


def newest_entries(reader: Reader, scope: str, most: int) -> list[Entry]:
    """The last entries of a scope, oldest first."""
    end, width = reader.last_entry(), STEP
    found: deque[Entry] = deque()
    for _ in range(MOST_STEPS):
        if end <= 0 or len(found) >= most:
            break
        start = max(0, end - width)
        found.extendleft(reversed(deque(_between(reader, start, end, scope), maxlen=most)))
        end, width = start, min(width * 4, WIDEST)
    return list(found)[-most:]


def last_of_subject(reader: Reader, subject: str, most: int) -> list[Entry]:
    """The last entries about one thing, oldest first."""
    kept: deque[Entry] = deque(maxlen=most)
    after = 0
    while page := reader.history(after=after, subject=subject):
        kept.extend(page)
        after = page[-1].seq
    return list(kept)


def announced(reader: Reader, before: int | None, fits: Callable[[Event], bool], most: int) -> Announced:
    """Events in the order in which they appeared, the newest first, before this entry; as far as one look reaches."""
    end = reader.last_entry() if before is None else before - 1
    found: list[Event] = []
    for _ in range(MOST_STEPS):
        if end <= 0:
            break
        start = max(0, end - STEP)
        for entry in reversed(list(_between(reader, start, end))):
            event = reader.event(entry.subject) if entry.what in BORN else None
            if event is not None and fits(event):
                found.append(event)
                if len(found) == most:
                    return Announced(events=found, older=entry.seq if entry.seq > 1 else None)
        end = start
    return Announced(events=found, older=end + 1 if end > 0 else None)


def _between(reader: Reader, after: int, last: int, scope: str | None = None) -> Iterator[Entry]:
    while page := reader.history(after=after, limit=STEP, scope=scope):
        for entry in page:
            if entry.seq > last:
                return
            yield entry
        after = page[-1].seq
