"""What a store promises of scopes, and of when they are due."""

from datetime import timedelta
from operator import methodcaller

from msgspec.structs import replace

from forewarn.domain.consent import ApprovalPolicy, Rule
from forewarn.domain.errors import Conflict
from forewarn.domain.events import Approval, Phase, Readiness
from forewarn.domain.scopes import EventsPolicy, ScopeKind, Walk
from forewarn.engine.ports import Store
from forewarn.testing.builders import NOON, SOMEBODY, a_scope, a_scope_with, an_event, an_operation, operation_of
from forewarn.testing.store_checks.tools import MINUTE, add, change, expect, the_scope


async def a_scope_comes_back_as_it_was_saved(store: Store) -> None:
    scope = a_scope(
        "set",
        kind=ScopeKind.CLOUD_SERVICE,
        policy=EventsPolicy(approve_user_reboot=True, approve_all_instances_down=False),
        approval=ApprovalPolicy(rule=Rule.K_OF_N, count=2),
        epoch=3,
        incarnation=12,
        enrolled_at=NOON,
        last_seen=NOON + timedelta(microseconds=1),
        events=(
            an_event(
                "E",
                "set",
                operation="o",
                approvals=(Approval(by=SOMEBODY, at=NOON, acknowledged=True),),
                readiness=(Readiness(machine="vm", ready=True, at=NOON, times=3),),
            ),
        ),
        operations=(an_operation("o", "set", event="E"), an_operation("unannounced", "set")),
        walk=Walk(campaign="c", pause=30 * MINUTE, remaining=(1, 2), current=0, due=NOON),
    )
    await add(store, scope)
    assert await store.read(lambda r: r.scope("set")) == scope
    assert await store.run(lambda tx: tx.lock("set")) == [scope]


async def a_scope_nobody_saved_is_not_there(store: Store) -> None:
    assert await store.read(lambda r: r.scope("none")) is None
    assert list(await store.run(lambda tx: tx.lock("none"))) == []


async def a_scope_can_be_added_only_once(store: Store) -> None:
    await add(store, a_scope("s", incarnation=7))
    await expect(Conflict, add(store, a_scope("s", incarnation=1)))
    assert (await the_scope(store, "s")).incarnation == 7


async def a_scope_shows_what_is_live_in_the_order_it_came(store: Store) -> None:
    z, m, a = an_event("Z", operation="z"), an_event("M", operation="m"), an_event("A", operation="a")
    first = a_scope_with([z, m])
    await add(store, first)
    ended = replace(m, phase=Phase.COMPLETED)
    operations = (first.operations[0], operation_of(ended), an_operation("n"), operation_of(a))
    await change(store, first, replace(first, events=(z, ended, a), operations=operations))
    for scope in (await the_scope(store, "s"), (await store.run(lambda tx: tx.lock("s")))[0]):
        assert [event.id for event in scope.events] == ["Z", "A"]
        assert [operation.id for operation in scope.operations] == ["z", "n", "a"]


async def locking_a_scope_of_a_scale_set_locks_them_all_in_id_order(store: Store) -> None:
    await add(store, *(a_scope(name, scale_set="set") for name in ("c", "a", "b")), a_scope("d"))
    await add(store, a_scope("e", scale_set="other"))
    for name in "abc":
        assert [s.id for s in await store.run(methodcaller("lock", name))] == ["a", "b", "c"]
    assert [scope.id for scope in await store.run(lambda tx: tx.lock("d"))] == ["d"]
    assert [scope.id for scope in await store.run(lambda tx: tx.lock("e"))] == ["e"]


async def scopes_are_listed_by_id_page_by_page_with_what_is_live(store: Store) -> None:
    ended = replace(an_event("OLD", "b"), phase=Phase.CANCELED)
    await add(
        store,
        a_scope("C"),
        a_scope_with([an_event("E", "b"), ended], "b"),
        a_scope("a"),
    )
    pages = [await store.read(methodcaller("list_scopes", after=a, limit=2)) for a in ("", "a", "b")]
    assert [[scope.id for scope in page] for page in pages] == [["C", "a"], ["b"], []]
    assert pages[1][0] == await the_scope(store, "b")
    assert [event.id for event in pages[1][0].events] == ["E"]


async def scopes_of_a_campaign_are_those_it_walks_now(store: Store) -> None:
    walk = Walk(campaign="c", pause=MINUTE, remaining=(0,))
    walked = [a_scope(name, walk=walk) for name in ("b", "a", "d")]
    await add(store, *walked, a_scope("c"), a_scope("e", walk=replace(walk, campaign="other")))
    await change(store, walked[0], replace(walked[0], walk=None))
    assert [s.id for s in await store.read(lambda r: r.list_scopes(campaign="c"))] == ["a", "d"]
    assert [s.id for s in await store.read(lambda r: r.list_scopes(campaign="c", after="a", limit=1))] == ["d"]


async def a_mark_of_who_asked_changes_nothing_else(store: Store) -> None:
    scope = a_scope_with([an_event("E")], enrolled_at=NOON, last_seen=NOON, incarnation=4)
    await add(store, scope, due=NOON)
    later = NOON + timedelta(seconds=1, microseconds=7)
    await store.run(lambda tx: tx.mark_seen("s", later, later + MINUTE))
    assert await the_scope(store, "s") == replace(scope, last_seen=later)
    assert await store.read(lambda r: r.next_due()) == later + MINUTE
    await store.run(lambda tx: tx.mark_seen("s", later, None))
    assert await store.read(lambda r: r.next_due()) is None
    await store.run(lambda tx: tx.mark_seen("nowhere", later, later))
    assert await store.read(lambda r: r.scope("nowhere")) is None


async def scopes_are_due_longest_first(store: Store) -> None:
    assert await store.read(lambda r: r.next_due()) is None
    for name, minutes in (("late", 3), ("b", 1), ("a", 1), ("first", 0)):
        await add(store, a_scope(name), due=NOON + minutes * MINUTE)
    await add(store, a_scope("never"))
    assert await store.read(lambda r: r.next_due()) == NOON
    assert list(await store.read(lambda r: r.due_scopes(NOON - timedelta(microseconds=1), 9))) == []
    assert list(await store.read(lambda r: r.due_scopes(NOON, 9))) == ["first"]
    assert list(await store.read(lambda r: r.due_scopes(NOON + MINUTE, 9))) == ["first", "a", "b"]
    assert list(await store.read(lambda r: r.due_scopes(NOON + 9 * MINUTE, 2))) == ["first", "a"]


async def a_scope_is_due_when_its_last_change_says(store: Store) -> None:
    scope = a_scope("s")
    await add(store, scope, due=NOON)
    await change(store, scope, replace(scope, incarnation=2), due=NOON + MINUTE)
    assert await store.read(lambda r: (r.next_due(), list(r.due_scopes(NOON, 9)))) == (NOON + MINUTE, [])
    await change(store, scope, replace(scope, incarnation=3), due=None)
    assert await store.read(lambda r: (r.next_due(), list(r.due_scopes(NOON + MINUTE, 9)))) == (None, [])
