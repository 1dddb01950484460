"""What a store promises of events, operations and campaigns."""

from datetime import timedelta
from itertools import pairwise
from operator import methodcaller
from typing import Any

from msgspec.structs import replace

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.events import Approval, Event, OperationState, Phase
from forewarn.engine.ports import Store, Transaction
from forewarn.testing.builders import (
    NOON,
    SOMEBODY,
    a_campaign,
    a_scope,
    a_scope_with,
    an_event,
    an_operation,
    operation_of,
)
from forewarn.testing.store_checks.tools import MINUTE, add, change


async def events_and_operations_are_found_live_or_ended(store: Store) -> None:
    live = an_event("A", operation="a")
    ended = an_event("B", operation="b", phase=Phase.FAILED, started_at=NOON, ended_at=NOON + MINUTE)
    failed = replace(
        operation_of(ended), state=OperationState.FAILED, failures=("vm: no",), message="no", ended_at=NOON
    )
    unannounced = an_operation("c")
    operations = (operation_of(live), failed, unannounced)
    await add(store, a_scope("s", events=(live, ended), operations=operations))
    assert await store.read(lambda r: (r.event("A"), r.event("B"), r.event("C"))) == (live, ended, None)
    found = await store.read(lambda r: (r.operation("a"), r.operation("b"), r.operation("c"), r.operation("d")))
    assert found == (*operations, None)


async def an_event_and_its_operation_change_together_or_alone(store: Store) -> None:
    event = an_event("E", operation="o")
    first = a_scope_with([event])
    await add(store, first)
    approved = replace(first, events=(replace(event, approvals=(Approval(by=SOMEBODY, at=NOON),)),))
    waiting = replace(approved, operations=(replace(first.operations[0], pending=("vm", "other")),))
    over = replace(event, phase=Phase.COMPLETED)
    ended = replace(waiting, events=(over,), operations=(operation_of(over),))
    for before, after in pairwise([first, approved, waiting, ended]):
        await change(store, before, after)
        found = await store.read(lambda r: (r.event("E"), r.operation("o")))
        assert found == (after.events[0], after.operations[0])


async def events_and_operations_are_listed_live_unless_told_otherwise(store: Store) -> None:
    def called(name: str, scope: str = "s", phase: Phase = Phase.SCHEDULED) -> Event:
        return an_event(name, scope, operation=name, phase=phase)

    await add(
        store,
        a_scope_with([called("D"), called("B", phase=Phase.COMPLETED), called("A")]),
        a_scope_with([called("C", "t")], "t"),
    )
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


async def operations_without_an_event_are_listed_among_the_others(store: Store) -> None:
    announced = an_event("E", operation="b")
    done = an_operation("d", state=OperationState.SUCCEEDED)
    operations = (an_operation("c"), operation_of(announced), done, an_operation("a"))
    await add(store, a_scope("s", events=(announced,), operations=operations))
    for scope in (None, "s"):
        for live, expected in ((True, "abc"), (False, "abcd")):
            found = await store.read(methodcaller("list_operations", scope=scope, live=live))
            assert "".join(operation.id for operation in found) == expected
            assert list(await store.read(methodcaller("list_events", scope=scope, live=live))) == [announced]


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
