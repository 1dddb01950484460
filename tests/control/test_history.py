"""The history over the API: pages, filters, and whether it holds."""

import pytest
from msgspec.structs import replace

from forewarn.domain.draft import Change
from forewarn.engine.ports import Transaction
from forewarn.store.memory import MemoryTransaction
from tests.control.rig import Rig

HISTORY = "/forewarn/v1/history"


def write_some(rig: Rig) -> None:
    rig.enrol("db")
    rig.post("/forewarn/v1/machines/db-0/restart")
    rig.post("/forewarn/v1/machines/web_0/restart")
    rig.post("/forewarn/v1/clock/advance", {"by": "1h"})


def test_the_history_tells_who_did_what_and_when(rig: Rig) -> None:
    write_some(rig)
    entries = rig.get(HISTORY)["items"]
    assert [(e["scope"], e["what"], e["who"]["name"]) for e in entries] == [
        ("db", "enrolled", "somebody"),
        ("db", "scheduled", "local"),
        ("web:0", "ran", "local"),
        ("web:0", "done", "driver"),
        ("db", "started", "NotBefore"),
        ("db", "completed", "driver"),
    ]
    assert [e["seq"] for e in entries] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("limit=2", ([1, 2], 2), id="a-page"),
        pytest.param("limit=2&after=4", ([5, 6], None), id="the-last-page"),
        pytest.param("scope=web:0", ([3, 4], None), id="scope"),
        pytest.param("what=started", ([5], None), id="what"),
        pytest.param("subject=db", ([1], None), id="subject"),
        pytest.param("after=6", ([], None), id="nothing-more"),
    ],
)
def test_the_history_is_filtered_and_paged(rig: Rig, query: str, expected: tuple[list[int], int | None]) -> None:
    write_some(rig)
    answer = rig.get(f"{HISTORY}?{query}")
    assert ([entry["seq"] for entry in answer["items"]], answer["next"], answer["last"]) == (*expected, 6)


@pytest.mark.parametrize(
    "query", ["after=-1", "after=x", "limit=0", "limit=1001", "what=gone", "after=99999999999999999999"]
)
def test_a_wrong_query_is_refused(rig: Rig, query: str) -> None:
    assert rig.refused("GET", f"{HISTORY}?{query}")[0] == 400


def test_an_untouched_history_holds(rig: Rig) -> None:
    write_some(rig)
    verdict = rig.get(f"{HISTORY}/verify")
    assert (verdict["holds"], verdict["entries"], verdict["scopes"]) == (True, 6, 2)


def test_it_holds_also_where_a_scope_is_gone_and_with_what_is_about_none(rig: Rig) -> None:
    write_some(rig)
    rig.post("/forewarn/v1/roles", {"principal": "machine:db-0", "role": "Reader"})
    rig.run(rig.store.run(lambda tx: tx.save(Change(dissolved=("web:0",)))))
    verdict = rig.get(f"{HISTORY}/verify")
    assert (verdict["holds"], verdict["entries"], verdict["scopes"]) == (True, 7, 3)
    (entry,) = rig.get(f"{HISTORY}?what=granted")["items"]
    assert (entry["scope"], entry["who"]["name"], entry["subject"]) == ("/access", "local", "machine:db/db-0")


def tamper(rig: Rig, seq: int, **changes: str) -> None:
    def work(tx: Transaction) -> None:
        assert isinstance(tx, MemoryTransaction)
        if changes:
            entry = tx._history.get(seq)
            assert entry is not None
            tx._history.put(seq, replace(entry, **changes))
        else:
            tx._history.drop(seq)

    rig.run(rig.store.run(work))


def test_a_changed_entry_shows(rig: Rig) -> None:
    write_some(rig)
    tamper(rig, 5, detail="it was never me")
    verdict = rig.get(f"{HISTORY}/verify")
    assert (verdict["holds"], verdict["broken_scope"], verdict["broken_at"]) == (False, "db", 5)


def test_an_entry_missing_from_the_middle_shows_at_the_one_after_it(rig: Rig) -> None:
    write_some(rig)
    tamper(rig, 5)
    verdict = rig.get(f"{HISTORY}/verify")
    assert (verdict["holds"], verdict["broken_at"]) == (False, 6)
