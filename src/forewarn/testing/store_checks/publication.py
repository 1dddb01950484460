"""What a store promises of what is told outside: the last notice of each event, and the webhooks' outbox."""

from datetime import UTC, datetime, timedelta

from msgspec.structs import replace

from forewarn.domain.draft import Change
from forewarn.domain.events import Phase
from forewarn.domain.notices import KEPT, Notice
from forewarn.engine.ports import Store, Transaction
from forewarn.testing.builders import NOON, a_delivery, a_notice, a_scope, an_event
from forewarn.testing.store_checks.tools import MINUTE, Lost, expect, new, save

WALL = datetime(2031, 5, 5, tzinfo=UTC)


async def the_last_notice_of_an_event_is_kept(store: Store) -> None:
    first, second = a_notice("A"), a_notice("B")
    await save(store, notices=(second, first))
    assert list(await store.read(lambda r: r.list_published())) == [first, second]
    assert list(await store.read(lambda r: r.list_published(after="A", limit=1))) == [second]
    later = a_notice("A", phase=Phase.STARTED)
    await save(store, notices=(later,))
    assert list(await store.read(lambda r: r.list_published())) == [later, second]


async def a_withdrawn_notice_is_gone(store: Store) -> None:
    await save(store, notices=(a_notice("A"), a_notice("B")))
    await save(store, notices=(a_notice("C"),), withdrawn=("A", "C", "never was"))
    assert list(await store.read(lambda r: r.list_published())) == [a_notice("B")]


async def notices_of_what_ended_long_before_are_forgotten(store: Store) -> None:
    def ended(name: str, at: datetime) -> Notice:
        return a_notice(name, phase=Phase.COMPLETED, ended_at=at)

    kept, old = ended("kept", NOON), ended("old", NOON - timedelta(microseconds=1))
    await save(store, notices=(kept, old, a_notice("live")))
    await save(store, notices=(last := ended("last", NOON + KEPT),))
    assert list(await store.read(lambda r: r.list_published())) == [kept, last, a_notice("live")]


async def a_delivery_is_leased_once_it_is_due_by_the_wall_clock(store: Store) -> None:
    early, late = a_delivery("A", "one", at=NOON), a_delivery("B", "one", at=NOON + MINUTE)
    other, postponed = a_delivery("A", "two"), a_delivery("C", "one", due=WALL + MINUTE)
    await save(store, deliveries=(postponed, late, early, other))
    assert list(await store.read(lambda r: r.subscriptions_waiting(WALL))) == ["one", "two"]
    assert await store.read(lambda r: r.next_delivery(WALL)) == WALL + MINUTE
    assert await store.read(lambda r: r.delivery(*early.key)) == early
    taken = await store.run(lambda tx: tx.lease_deliveries("one", WALL, WALL + MINUTE, 10))
    assert list(taken) == [replace(d, fence=1, attempts=1) for d in (early, late)]
    assert await store.read(lambda r: r.delivery(*early.key)) == taken[0]
    assert list(await store.read(lambda r: r.subscriptions_waiting(WALL))) == ["two"]
    assert list(await store.run(lambda tx: tx.lease_deliveries("one", WALL, WALL + MINUTE, 10))) == []


async def a_delivery_whose_lease_ran_out_is_taken_anew_under_a_greater_fence(store: Store) -> None:
    await save(store, deliveries=(a_delivery(), a_delivery("B")))
    (first,) = await store.run(lambda tx: tx.lease_deliveries("hook", WALL, WALL + MINUTE, 1))
    assert list(await store.read(lambda r: r.subscriptions_waiting(WALL + MINUTE))) == ["hook"]
    again = await store.run(lambda tx: tx.lease_deliveries("hook", WALL + MINUTE, WALL + 2 * MINUTE, 10))
    assert {(d.key, d.fence, d.attempts) for d in again} >= {(first.key, 2, 2)}


async def what_a_dead_process_held_is_free_for_the_next(store: Store) -> None:
    await save(store, deliveries=(a_delivery(),))
    await store.run(lambda tx: tx.lease_deliveries("hook", WALL, WALL + timedelta(days=9), 1))
    await store.run(lambda tx: tx.free_deliveries())
    (again,) = await store.run(lambda tx: tx.lease_deliveries("hook", WALL, WALL + MINUTE, 1))
    assert again.fence == 2


async def a_delivery_saved_again_is_free_and_one_that_is_over_is_gone(store: Store) -> None:
    await save(store, deliveries=(a_delivery("A"), a_delivery("B")))
    held = await store.run(lambda tx: tx.lease_deliveries("hook", WALL, WALL + MINUTE, 10))
    first, second = held
    postponed = replace(first, due=WALL + MINUTE, begun=WALL)
    await save(store, deliveries=(postponed,), delivered=(second.key, ("never", "was")))
    assert await store.read(lambda r: (r.delivery(*first.key), r.delivery(*second.key))) == (postponed, None)
    assert await store.read(lambda r: r.next_delivery(WALL)) == WALL + MINUTE
    (again,) = await store.run(lambda tx: tx.lease_deliveries("hook", WALL + MINUTE, WALL + 2 * MINUTE, 10))
    assert (again.fence, again.attempts, again.begun) == (2, 2, WALL)


async def a_step_and_what_is_told_of_it_are_one_commit(store: Store) -> None:
    def work(tx: Transaction) -> None:
        scope = a_scope("s", events=(an_event("A"),))
        tx.save(Change(revisions=(new(scope),), notices=(a_notice("A"),), deliveries=(a_delivery("A"),)))
        raise Lost

    await expect(Lost, store.run(work))
    assert await store.read(lambda r: (r.scope("s"), r.event("A"))) == (None, None)
    assert list(await store.read(lambda r: r.list_published())) == []
    assert list(await store.read(lambda r: r.subscriptions_waiting(WALL))) == []
