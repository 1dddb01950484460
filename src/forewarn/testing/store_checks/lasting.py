"""What a store on disk promises across a restart."""

import asyncio
from operator import methodcaller

from forewarn.domain.history import first_break
from forewarn.testing.builders import NOON, an_action, an_entry
from forewarn.testing.store_checks.tools import MINUTE, Open, furnish, lease, save, snapshot


async def everything_is_there_after_a_restart(open_store: Open) -> None:
    store = await open_store()
    await furnish(store)
    before = await store.read(snapshot)
    await store.close()
    store = await open_store()
    assert await store.read(snapshot) == before
    await store.close()


async def history_goes_on_after_a_restart_without_a_gap(open_store: Open) -> None:
    for number in range(3):
        store = await open_store()
        (entry,) = await save(store, entries=(an_entry(f"E{number}"),))
        assert entry.seq == number + 1
        whole = await store.read(lambda r: r.history())
        assert first_break(whole) is None
        await store.close()


async def a_fence_stays_greater_after_a_restart(open_store: Open) -> None:
    store = await open_store()
    await save(store, actions=(an_action(),))
    await lease(store, NOON, NOON)
    await store.close()
    store = await open_store()
    (again,) = await lease(store, NOON, NOON + MINUTE)
    assert again.fence == 2
    await store.close()


async def closing_finishes_what_is_queued(open_store: Open) -> None:
    store = await open_store()
    works = [asyncio.ensure_future(store.run(methodcaller("put_note", str(n), "x"))) for n in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*works)
    store = await open_store()
    assert await store.read(lambda r: all(r.note(str(n)) for n in range(20)))
    await store.close()
