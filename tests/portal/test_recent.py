"""The newest of the history, which can only be read forwards."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TypeVar

from forewarn.domain.events import Event
from forewarn.domain.history import Entry, What
from forewarn.engine.ports import Reader
from forewarn.portal.recent import STEP, Announced, announced, last_of_subject, newest_entries
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import a_scope_with, an_entry, an_event
from forewarn.testing.store_checks.tools import new, save

T = TypeVar("T")
NOISE = [an_entry("x", "busy", what=What.POWER)]


def asked(entries: Sequence[Entry], look: Callable[[Reader], T], events: Sequence[Event] = ()) -> T:
    async def work() -> T:
        store = MemoryStore()
        await save(store, revisions=(new(a_scope_with(events)),), entries=tuple(entries))
        return await store.read(look)

    return asyncio.run(work())


def test_a_quiet_scope_is_found_behind_a_busy_one() -> None:
    entries = [an_entry("a"), an_entry("b"), *NOISE * 3 * STEP, an_entry("c")]
    found = asked(entries, lambda reader: newest_entries(reader, "s", 10))
    assert [entry.subject for entry in found] == ["a", "b", "c"]


def test_of_a_busy_scope_only_the_last_are_told() -> None:
    entries = [an_entry(f"{n}") for n in range(2 * STEP)]
    found = asked(entries, lambda reader: newest_entries(reader, "s", 3))
    assert [entry.subject for entry in found] == [f"{n}" for n in range(2 * STEP - 3, 2 * STEP)]


def test_of_a_subject_only_the_last_are_told() -> None:
    entries = [an_entry("E", detail=f"{n}") for n in range(STEP + 2)]
    found = asked([*entries, an_entry("other")], lambda reader: last_of_subject(reader, "E", 2))
    assert [entry.detail for entry in found] == [f"{STEP}", f"{STEP + 1}"]


EVENTS = [an_event(f"E{n}") for n in range(5)]
HISTORY = [entry for event in EVENTS for entry in (an_entry(event.id), an_entry(event.id, what=What.APPROVED), *NOISE)]


def pages(fits: Callable[[Event], bool], most: int) -> list[Sequence[str]]:
    """From the newest to where the history begins."""

    def look(reader: Reader) -> list[Announced]:
        found = [announced(reader, None, fits, most)]
        while found[-1].older is not None:
            found.append(announced(reader, found[-1].older, fits, most))
        return found

    return [[event.id for event in page.events] for page in asked(HISTORY, look, EVENTS)]


def test_events_come_once_each_the_newest_first_page_by_page() -> None:
    assert pages(lambda event: True, 2) == [["E4", "E3"], ["E2", "E1"], ["E0"]]
    assert pages(lambda event: True, 100) == [["E4", "E3", "E2", "E1", "E0"]]


def test_only_those_that_fit_are_counted() -> None:
    assert pages(lambda event: event.id in ("E0", "E3"), 1) == [["E3"], ["E0"]]


def test_nothing_has_happened_yet() -> None:
    assert asked([], lambda reader: announced(reader, None, lambda event: True, 10)) == Announced(events=[], older=None)
    assert asked([], lambda reader: newest_entries(reader, "s", 10)) == []
