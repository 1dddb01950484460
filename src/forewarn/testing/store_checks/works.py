"""What a store promises to those who work with it at the same time."""

import asyncio
from functools import partial
from operator import methodcaller

from forewarn.domain.draft import Change, Revision
from forewarn.domain.errors import Unavailable
from forewarn.engine.ports import Reader, Store, Transaction
from forewarn.testing.builders import NOON, a_scope, a_scope_with, an_entry, an_event
from forewarn.testing.store_checks.tools import (
    Lost,
    add,
    expect,
    furnish,
    moved,
    new,
    overturn,
    save,
    snapshot,
    the_scope,
)


async def a_work_sees_its_own_writes_and_its_value_comes_back(store: Store) -> None:
    def work(tx: Transaction) -> tuple[object, ...]:
        tx.put_note("k", "v")
        tx.save(Change(revisions=(new(a_scope_with([an_event("E")])),), entries=(an_entry(),)))
        (scope,) = tx.lock("s")
        return tx.note("k"), tx.event("E"), scope.events, tx.last_entry()

    assert await store.run(work) == ("v", an_event("E"), (an_event("E"),), 1)


async def a_work_that_fails_changes_nothing_at_all(store: Store) -> None:
    await furnish(store)
    before = await store.read(snapshot)

    def fails(tx: Transaction) -> None:
        overturn(tx)
        raise Lost

    await expect(Lost, store.run(fails))
    assert await store.read(snapshot) == before
    assert await store.run(snapshot) == before
    await store.run(overturn)
    assert await store.read(snapshot) != before


async def what_a_work_locks_is_what_a_read_finds(store: Store) -> None:
    async def agree() -> None:
        assert await store.run(lambda tx: tx.lock("s")) == [await the_scope(store, "s")]

    def half(tx: Transaction) -> None:
        overturn(tx)
        raise Lost

    await furnish(store)
    await agree()
    await expect(Lost, store.run(half))
    await agree()
    await store.run(lambda tx: tx.mark_seen("s", NOON, None))
    await agree()
    await store.run(overturn)
    await agree()


async def a_work_that_fails_does_not_harm_those_beside_it(store: Store) -> None:
    def numbered(tx: Transaction, number: int) -> int:
        tx.put_note(f"n{number}", "x")
        if number % 3 == 0:
            raise Lost
        return number

    works = [store.run(partial(numbered, number=n)) for n in range(30)]
    results = await asyncio.gather(*works, return_exceptions=True)
    kept = await store.read(lambda r: [n for n in range(30) if r.note(f"n{n}")])
    assert kept == [n for n in range(30) if n % 3]
    assert [result for result in results if not isinstance(result, Lost)] == kept


async def even_a_stop_iteration_reaches_its_caller(store: Store) -> None:
    def careless(_: Reader) -> int:
        return next(iter(()))

    await expect(RuntimeError, store.run(careless))
    await expect(RuntimeError, store.read(careless))
    await store.run(lambda tx: tx.put_note("k", "still there"))


async def works_on_one_scope_run_one_after_another(store: Store) -> None:
    await add(store, a_scope("s"))

    def count(tx: Transaction) -> None:
        (scope,) = tx.lock("s")
        tx.save(Change(revisions=(Revision(before=scope, after=moved(scope), due=None),)))

    await asyncio.gather(*(store.run(count) for _ in range(50)))
    assert (await the_scope(store, "s")).incarnation == 51


async def callers_go_on_in_the_order_of_their_commits(store: Store) -> None:
    seen: list[int] = []

    async def caller(number: int) -> None:
        saved = await save(store, entries=(an_entry(str(number)),))
        seen.append(saved[0].seq)

    await asyncio.gather(*(caller(number) for number in range(40)))
    assert seen == list(range(1, 41))


async def what_follows_a_commit_is_told_in_order_even_if_the_caller_has_left(store: Store) -> None:
    told: list[int] = []
    callers = [
        asyncio.ensure_future(
            store.run(lambda tx: tx.save(Change(entries=(an_entry(),)))[0].seq, lambda seq: told.append(seq))
        )
        for _ in range(20)
    ]
    await asyncio.sleep(0)
    callers[3].cancel()
    await asyncio.gather(*callers, return_exceptions=True)
    last = await store.run(lambda tx: tx.last_entry())
    assert told == list(range(1, last + 1))


async def telling_that_fails_is_only_its_own_callers_trouble(store: Store) -> None:
    def lose(_: object) -> None:
        raise Lost

    work = methodcaller("put_note", "k", "v")
    results = await asyncio.gather(store.run(work), store.run(work, lose), store.run(work), return_exceptions=True)
    assert [type(result) for result in results] == [type(None), Lost, type(None)]


async def a_read_sees_every_commit_before_it(store: Store) -> None:
    for number in range(20):
        await store.run(methodcaller("put_note", "k", str(number)))
        assert await store.read(lambda r: r.note("k")) == str(number)


async def a_caller_that_leaves_does_not_disturb_the_others(store: Store) -> None:
    await store.run(lambda tx: tx.put_note("k", "0"))
    leaver = asyncio.ensure_future(store.run(lambda tx: tx.put_note("left", "x")))
    await asyncio.sleep(0)
    leaver.cancel()
    await store.run(lambda tx: tx.put_note("k", "1"))
    assert await store.read(lambda r: r.note("k")) == "1"


async def a_closed_store_says_so_and_may_be_closed_twice(store: Store) -> None:
    await store.close()
    await expect(Unavailable, store.run(lambda tx: None))
    await expect(Unavailable, store.read(lambda r: None))
    await store.close()
