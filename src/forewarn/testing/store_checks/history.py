"""What a store promises of the history."""

import asyncio
from operator import methodcaller
from typing import Any

from forewarn.domain.draft import Change
from forewarn.domain.history import first_break
from forewarn.engine.ports import Store, Transaction
from forewarn.testing.builders import an_entry
from forewarn.testing.store_checks.tools import Lost, save


async def history_has_no_gaps_and_each_scope_is_a_chain(store: Store) -> None:
    for number in range(3):
        entries = (an_entry(f"E{number}", "s"), an_entry(f"F{number}", "t"), an_entry(f"G{number}", "s", detail="é\n"))
        saved = await save(store, entries=entries)
        assert [entry.seq for entry in saved] == [3 * number + n for n in (1, 2, 3)]
        assert list(await store.read(methodcaller("history", after=3 * number))) == list(saved)
    whole = await store.read(lambda r: r.history())
    assert [entry.seq for entry in whole] == list(range(1, 10))
    assert await store.read(lambda r: r.last_entry()) == 9
    for scope in ("s", "t"):
        assert first_break(await store.read(methodcaller("history", scope=scope))) is None


async def history_is_found_by_scope_and_subject_page_by_page(store: Store) -> None:
    assert await store.read(lambda r: r.last_entry()) == 0
    told = (("s", "E"), ("s", "F"), ("t", "E"), ("s", "E"))
    await save(store, entries=tuple(an_entry(subject, scope) for scope, subject in told))
    rows: list[tuple[dict[str, Any], list[int]]] = [
        ({"limit": 2}, [1, 2]),
        ({"after": 2, "limit": 9}, [3, 4]),
        ({"scope": "s"}, [1, 2, 4]),
        ({"scope": "s", "after": 1, "limit": 1}, [2]),
        ({"subject": "E"}, [1, 3, 4]),
        ({"subject": "E", "scope": "s", "after": 1}, [4]),
        ({"subject": "none"}, []),
    ]
    for asked, expected in rows:
        found = await store.read(methodcaller("history", **asked))
        assert [entry.seq for entry in found] == expected, asked


async def a_work_that_fails_leaves_no_gap_in_the_history(store: Store) -> None:
    def fails(tx: Transaction) -> None:
        tx.save(Change(entries=(an_entry("lost"), an_entry("lost"))))
        raise Lost

    await save(store, entries=(an_entry("a"),))
    results = await asyncio.gather(
        save(store, entries=(an_entry("b"),)),
        store.run(fails),
        save(store, entries=(an_entry("c"),)),
        return_exceptions=True,
    )
    assert [type(result) for result in results if isinstance(result, BaseException)] == [Lost]
    whole = await store.read(lambda r: r.history())
    assert [(entry.seq, entry.subject) for entry in whole] == [(1, "a"), (2, "b"), (3, "c")]
    assert first_break(whole) is None
