"""What a store promises of events, operations and campaigns."""

from datetime import timedelta
from operator import methodcaller
from typing import Any

from msgspec.structs import replace

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.events import Event, OperationState, Phase
from forewarn.engine.ports import Store, Transaction
from forewarn.testing.builders import NOON, a_campaign, a_scope, an_event, an_operation
from forewarn.testing.store_checks.tools import MINUTE, add


async def events_and_operations_are_found_live_or_ended(store: Store) -> None:
    ended = replace(an_event("B"), phase=Phase.FAILED, started_at=NOON, ended_at=NOON + MINUTE)
    failed = replace(an_operation("b"), state=OperationState.FAILED, failures=("vm: no",), message="no", ended_at=NOON)
    await add(store, a_scope("s", events=(an_event("A"), ended), operations=(an_operation("a"), failed)))
    assert await store.read(lambda r: (r.event("A"), r.event("B"), r.event("C"))) == (an_event("A"), ended, None)
    found = await store.read(lambda r: (r.operation("a"), r.operation("b"), r.operation("c")))
    assert found == (an_operation("a"), failed, None)


async def events_and_operations_are_listed_live_unless_told_otherwise(store: Store) -> None:
    def over(event: Event) -> Event:
        return replace(event, phase=Phase.COMPLETED)

    done = OperationState.SUCCEEDED
    here = a_scope(
        "s",
        events=(an_event("D"), over(an_event("B")), an_event("A")),
        operations=(an_operation("D"), an_operation("B", state=done), an_operation("A")),
    )
    there = a_scope("t", events=(an_event("C", "t"),), operations=(an_operation("C", "t"),))
    await add(store, here, there)
    rows: list[tuple[dict[str, Any], str]] = [
        ({}, "ACD"),
        ({"live": False}, "ABCD"),
        ({"scope": "s"}, "AD"),
        ({"scope": "s", "live": False}, "ABD"),
        ({"scope": "s", "live": False, "after": "A", "limit": 1}, "B"),
        ({"scope": "s", "after": "A", "limit": 5}, "D"),
        ({"scope": "s", "limit": 1}, "A"),
        ({"after": "A", "limit": 1}, "C"),
        ({"live": False, "after": "B", "limit": 9}, "CD"),
        ({"scope": "none"}, ""),
    ]
    for told, expected in rows:
        events = await store.read(methodcaller("list_events", **told))
        operations = await store.read(methodcaller("list_operations", **told))
        assert "".join(event.id for event in events) == expected, told
        assert "".join(operation.id for operation in operations) == expected, told


async def campaigns_come_back_and_are_listed_by_id(store: Store) -> None:
    b = a_campaign("b", notice=16 * MINUTE, pause=timedelta(0), description="x", scopes=("s", "t"))
    a = a_campaign("a")
    for campaign in (b, a, replace(a, state=CampaignState.PAUSED)):
        await store.run(methodcaller("save_campaign", campaign))
    paused = replace(a, state=CampaignState.PAUSED)
    assert await store.read(lambda r: (r.campaign("b"), r.campaign("a"), r.campaign("c"))) == (b, paused, None)
    assert list(await store.read(lambda r: r.list_campaigns())) == [paused, b]
    assert list(await store.read(lambda r: r.list_campaigns(after="a", limit=1))) == [b]


async def notes_and_answers_are_kept_apart_and_the_last_one_counts(store: Store) -> None:
    def work(tx: Transaction) -> None:
        tx.put_note("k", "first")
        tx.put_note("k", "note")
        tx.put_answer("k", "first", NOON)
        tx.put_answer("k", "answer", NOON)

    await store.run(work)
    assert await store.read(lambda r: (r.note("k"), r.answer("k"))) == ("note", "answer")
    assert await store.read(lambda r: (r.note("x"), r.answer("x"))) == (None, None)


async def old_answers_can_be_forgotten(store: Store) -> None:
    def work(tx: Transaction) -> None:
        tx.put_answer("old", "answer", NOON - timedelta(microseconds=1))
        tx.put_answer("new", "answer", NOON)
        tx.forget_answers(NOON)

    await store.run(work)
    assert await store.read(lambda r: (r.answer("old"), r.answer("new"))) == (None, "answer")
