"""The count of the fleet is right, whatever happens while it is made."""

from collections.abc import Callable
from typing import TypeVar

from forewarn.control.census import Census
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import ScopeKind
from forewarn.engine.ports import Reader
from tests.engine.desk import CountingStore, Desk, a_fleet, in_a_loop

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
