"""The count of the fleet is right, whatever happens while it is made."""

from collections.abc import Callable
from typing import TypeVar

from forewarn.control.census import Census
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.engine.ports import Reader
from tests.engine.desk import CountingStore, Desk, a_fleet, in_a_loop
from tests.engine.land import Land, key_of

T = TypeVar("T")


class Interrupted(CountingStore):
    """Lets something happen after the machines were looked at, and before whoever looked knows them."""

    desk: Desk
    shrinks = False

    async def read(self, work: Callable[[Reader], T]) -> T:
        found = await super().read(work)
        if self.shrinks and isinstance(found, list) and any(isinstance(item, Machine) for item in found):
            self.shrinks = False
            await self.desk.engine.load_fleet(a_fleet(["web"], 1), "smaller")
        return found


@in_a_loop
async def test_a_machine_that_leaves_while_it_is_counted_is_not_counted() -> None:
    store = Interrupted()
    store.desk = desk = Desk(store)
    await desk.engine.load_fleet(a_fleet(["web"], 3), "first")
    census = Census(desk.engine)
    store.shrinks = True
    await census.complete()
    assert not store.shrinks, "it happened"
    assert census.machines() == {ScopeKind.AVAILABILITY_SET: 1}


@in_a_loop
async def test_what_came_and_went_before_the_first_count_is_as_if_it_had_never_been() -> None:
    desk = await Desk.open(["web"], 1)
    census = Census(desk.engine)
    for count in (3, 1, 2):
        await desk.engine.load_fleet(a_fleet(["web"], count), f"{count} machines")
    await census.complete()
    assert census.machines() == {ScopeKind.AVAILABILITY_SET: 2}


@in_a_loop
async def test_a_scope_that_is_dissolved_is_counted_no_more() -> None:
    land = await Land.open()
    await land.machine("vm")
    census = Census(land.desk.engine)
    await census.complete()
    assert census.scopes() == {(ScopeKind.STANDALONE, False): 1}
    await land.delete(key_of("vm"))
    await land.work()
    assert (census.scopes(), census.machines()) == ({}, {})
    await land.machine("vm")
    assert census.scopes() == {(ScopeKind.STANDALONE, False): 1}


class Dissolving(CountingStore):
    """Lets a machine be deleted after its scope was looked at, and before whoever looked knows it."""

    land: Land
    about_to = False

    async def read(self, work: Callable[[Reader], T]) -> T:
        found = await super().read(work)
        if self.about_to and isinstance(found, list) and any(isinstance(item, Scope) for item in found):
            self.about_to = False
            await self.land.delete(key_of("vm"))
            await self.land.work()
        return found


@in_a_loop
async def test_nor_is_one_that_is_dissolved_while_it_is_counted() -> None:
    store = Dissolving()
    store.land = land = await Land.open(Desk(store))
    await land.machine("vm")
    census = Census(land.desk.engine)
    store.about_to = True
    await census.complete()
    assert (store.about_to, census.scopes(), census.machines()) == (False, {}, {})
