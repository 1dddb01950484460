"""Roles of machines that are gone."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from forewarn.access.departures import Departures
from forewarn.domain.access import Assignment, Role
from forewarn.domain.draft import Change
from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Transaction
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import a_machine
from tests.access.making import SUBSCRIPTION, an_access

T = TypeVar("T")
WHOLE = f"/subscriptions/{SUBSCRIPTION}"


def given(number: int, principal: str) -> Assignment:
    return Assignment(id=str(number), principal=principal, role=Role.READER, scope=WHOLE)


async def settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


def test_a_role_goes_with_its_machine_by_whichever_name_it_was_given() -> None:
    async def story() -> set[str]:
        store = MemoryStore()
        access = an_access(store)
        departures = Departures(access, store)
        running = asyncio.create_task(departures.run())
        await settle()
        for number, principal in enumerate(["machine:db/db-0", access.object_id("machine:db/db-0"), "machine:db/db-1"]):
            await access.assignments.put(given(number, principal))
        departures.note([])
        departures.note([("web", "db-1"), ("db", "db-0")])
        await settle()
        running.cancel()
        return {one.principal for one in access.assignments.list()}

    assert asyncio.run(story()) == {"local", "machine:db/db-1"}


def test_what_was_left_to_do_is_done_at_the_start() -> None:
    async def story() -> set[str]:
        store = MemoryStore()
        access = an_access(store)
        await store.run(lambda tx: tx.save(Change(machines=(a_machine("db-0", "shop/db"),))))
        for number, principal in enumerate(["machine:shop/db/db-0", "machine:shop/db/db-1", "anna"]):
            await access.assignments.put(given(number, principal))
        running = asyncio.create_task(Departures(access, store).run())
        await settle()
        running.cancel()
        return {one.principal for one in access.assignments.list()}

    assert asyncio.run(story()) == {"local", "anna", "machine:shop/db/db-0"}


class Moody(MemoryStore):
    """Does not take writes while it is in a mood."""

    mood = False

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        if self.mood:
            raise Unavailable("not now")
        return await super().run(work, then)


def test_what_could_not_be_done_is_done_later() -> None:
    async def story() -> set[str]:
        store = Moody()
        access = an_access(store)
        departures = Departures(access, store)
        running = asyncio.create_task(departures.run())
        await settle()
        for number in range(2):
            await access.assignments.put(given(number, f"machine:db/db-{number}"))
        store.mood = True
        departures.note([("db", "db-0")])
        await settle()
        assert len(access.assignments.list()) == 3
        store.mood = False
        departures.note([("db", "db-1")])
        await settle()
        running.cancel()
        return {one.principal for one in access.assignments.list()}

    assert asyncio.run(story()) == {"local"}
