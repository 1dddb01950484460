"""What a store promises of the actions that wait for the drivers."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from forewarn.engine.ports import Store
from forewarn.testing.builders import NOON, an_action
from forewarn.testing.store_checks.tools import MINUTE, lease, save


async def an_action_is_leased_once_it_is_due(store: Store) -> None:
    await save(store, actions=(an_action("late", due=NOON + MINUTE), an_action("b"), an_action("a")))
    wall = datetime(1999, 1, 1, tzinfo=UTC)
    assert list(await lease(store, NOON - MINUTE, wall)) == []
    first = await lease(store, NOON, wall, limit=1)
    assert list(first) == [an_action("a", fence=1, attempts=1)]
    assert await store.read(lambda r: r.action("a", "vm")) == first[0]
    assert [action.operation for action in await lease(store, NOON, wall)] == ["b"]
    assert list(await lease(store, NOON, wall)) == []


async def a_lease_runs_out_by_the_wall_clock_and_the_next_has_a_greater_fence(store: Store) -> None:
    wall = datetime(1999, 1, 1, tzinfo=UTC)
    await save(store, actions=(an_action(),))
    (first,) = await lease(store, NOON, wall)
    assert list(await lease(store, NOON + timedelta(days=9), wall + MINUTE - timedelta(microseconds=1))) == []
    (second,) = await lease(store, NOON, wall + MINUTE)
    assert (first.fence, second.fence, second.attempts) == (1, 2, 2)


async def an_action_saved_again_is_free_and_keeps_its_fence(store: Store) -> None:
    await save(store, actions=(an_action(),))
    (held,) = await lease(store, NOON, NOON)
    await save(store, actions=(replace(held, due=NOON + MINUTE, attempts=0),))
    assert list(await lease(store, NOON, NOON)) == []
    (again,) = await lease(store, NOON + MINUTE, NOON)
    assert (again.fence, again.attempts) == (2, 1)


async def the_next_action_is_the_earliest_that_nobody_holds(store: Store) -> None:
    assert await store.read(lambda r: r.next_action()) is None
    await save(store, actions=(an_action("b", due=NOON + MINUTE), an_action("a")))
    assert await store.read(lambda r: r.next_action()) == NOON
    await lease(store, NOON, NOON)
    assert await store.read(lambda r: r.next_action()) == NOON + MINUTE
    await lease(store, NOON + MINUTE, NOON)
    assert await store.read(lambda r: r.next_action()) is None


async def a_finished_action_is_gone(store: Store) -> None:
    event = an_action("b", "v2", event="E")
    await save(store, actions=(an_action("a"), event))
    assert await store.read(lambda r: r.action("b", "v2")) == event
    await save(store, actions=(an_action("c"),), finished=(("a", "vm"), ("c", "vm"), ("never", "was")))
    assert await store.read(lambda r: (r.action("a", "vm"), r.action("c", "vm"))) == (None, None)
    assert [action.operation for action in await lease(store, NOON, NOON)] == ["b"]
