"""What every store must keep, as plain asserts: run `check_store` on your own.

Each check is a sentence and gets a store that holds nothing yet. The checks of DURABLE get the way to open one instead,
and open the same place twice.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeAlias

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.draft import Change, Revision
from forewarn.domain.errors import Conflict, Unavailable
from forewarn.domain.events import Approval, Event, OperationState, Phase
from forewarn.domain.history import Entry, first_break
from forewarn.domain.machines import EvictionPolicy, Machine, Power, Priority, Profile
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind, Walk
from forewarn.engine.ports import Reader, Store, Transaction
from forewarn.testing.builders import (
    NOON,
    SOMEBODY,
    a_campaign,
    a_machine,
    a_scope,
    an_action,
    an_entry,
    an_event,
    an_operation,
)

Check: TypeAlias = Callable[[Store], Awaitable[None]]
Open: TypeAlias = Callable[[], Awaitable[Store]]
DurableCheck: TypeAlias = Callable[[Open], Awaitable[None]]

CHECKS: list[Check] = []
DURABLE: list[DurableCheck] = []

MINUTE = timedelta(minutes=1)
DOWN = {"power": Power.STOPPED}


async def check_store(new_store: Open, *, reopen: Callable[[], Open] | None = None) -> None:
    """Run every check. `new_store` gives an empty store each time.

    `reopen`, for stores that outlive the process, gives a new place each time it is called, and so a way to open that
    place again and again.
    """
    for check in CHECKS:
        store = await new_store()
        try:
            await check(store)
        finally:
            await store.close()
    if reopen is not None:
        for durable in DURABLE:
            await durable(reopen())


def promise(check: Check) -> Check:
    CHECKS.append(check)
    return check


def lasting(check: DurableCheck) -> DurableCheck:
    DURABLE.append(check)
    return check


# Scopes


@promise
async def a_scope_comes_back_as_it_was_saved(store: Store) -> None:
    scope = a_scope(
        "set",
        kind=ScopeKind.CLOUD_SERVICE,
        policy=EventsPolicy(approve_user_reboot=True, approve_all_instances_down=False),
        epoch=3,
        incarnation=12,
        enrolled_at=NOON,
        last_seen=NOON + timedelta(microseconds=1),
        events=(an_event("E", "set", approvals=(Approval(by=SOMEBODY, at=NOON),)),),
        operations=(an_operation("o", "set", event="E"),),
        walk=Walk(campaign="c", pause=30 * MINUTE, remaining=(1, 2), current=0, due=NOON),
    )
    await _add(store, scope)
    assert await store.read(lambda r: r.scope("set")) == scope
    assert await store.run(lambda tx: tx.lock("set")) == [scope]


@promise
async def a_scope_nobody_saved_is_not_there(store: Store) -> None:
    assert await store.read(lambda r: r.scope("none")) is None
    assert list(await store.run(lambda tx: tx.lock("none"))) == []


@promise
async def a_scope_can_be_added_only_once(store: Store) -> None:
    await _add(store, a_scope("s", incarnation=7))
    await _expect(Conflict, _add(store, a_scope("s", incarnation=1)))
    assert (await _scope(store, "s")).incarnation == 7


@promise
async def a_scope_shows_what_is_live_in_the_order_it_came(store: Store) -> None:
    first = a_scope("s", events=(_e("Z"), _e("M")), operations=(_o("z"), _o("m")))
    await _add(store, first)
    ended = replace(first.events[1], phase=Phase.COMPLETED)
    done = replace(first.operations[1], state=OperationState.SUCCEEDED)
    after = replace(first, events=(first.events[0], ended, _e("A")), operations=(first.operations[0], done, _o("a")))
    await _change(store, first, after)
    for scope in (await _scope(store, "s"), (await store.run(lambda tx: tx.lock("s")))[0]):
        assert [event.id for event in scope.events] == ["Z", "A"]
        assert [operation.id for operation in scope.operations] == ["z", "a"]


@promise
async def locking_a_scope_of_a_scale_set_locks_them_all_in_id_order(store: Store) -> None:
    await _add(store, *(a_scope(name, scale_set="set") for name in ("c", "a", "b")), a_scope("d"))
    await _add(store, a_scope("e", scale_set="other"))
    for name in "abc":
        assert [s.id for s in await store.run(lambda tx, n=name: tx.lock(n))] == ["a", "b", "c"]  # type: ignore[misc]
    assert [scope.id for scope in await store.run(lambda tx: tx.lock("d"))] == ["d"]
    assert [scope.id for scope in await store.run(lambda tx: tx.lock("e"))] == ["e"]


@promise
async def scopes_are_listed_by_id_page_by_page_with_what_is_live(store: Store) -> None:
    ended = replace(_e("OLD", "b"), phase=Phase.CANCELED)
    await _add(
        store, a_scope("C"), a_scope("b", events=(_e("E", "b"), ended), operations=(_o("o", "b"),)), a_scope("a")
    )
    pages = [await store.read(lambda r, a=a: r.list_scopes(after=a, limit=2)) for a in ("", "a", "b")]  # type: ignore[misc]
    assert [[scope.id for scope in page] for page in pages] == [["C", "a"], ["b"], []]
    assert pages[1][0] == await _scope(store, "b")
    assert [event.id for event in pages[1][0].events] == ["E"]


@promise
async def scopes_of_a_campaign_are_those_it_walks_now(store: Store) -> None:
    walk = Walk(campaign="c", pause=MINUTE, remaining=(0,))
    walked = [a_scope(name, walk=walk) for name in ("b", "a", "d")]
    await _add(store, *walked, a_scope("c"), a_scope("e", walk=replace(walk, campaign="other")))
    await _change(store, walked[0], replace(walked[0], walk=None))
    assert [s.id for s in await store.read(lambda r: r.list_scopes(campaign="c"))] == ["a", "d"]
    assert [s.id for s in await store.read(lambda r: r.list_scopes(campaign="c", after="a", limit=1))] == ["d"]


@promise
async def a_mark_of_who_asked_changes_nothing_else(store: Store) -> None:
    scope = a_scope("s", enrolled_at=NOON, last_seen=NOON, incarnation=4, events=(_e("E"),))
    await _add(store, scope, due=NOON)
    later = NOON + timedelta(seconds=1, microseconds=7)
    await store.run(lambda tx: tx.mark_seen("s", later, later + MINUTE))
    assert await _scope(store, "s") == replace(scope, last_seen=later)
    assert await store.read(lambda r: r.next_due()) == later + MINUTE
    await store.run(lambda tx: tx.mark_seen("s", later, None))
    assert await store.read(lambda r: r.next_due()) is None
    await store.run(lambda tx: tx.mark_seen("nowhere", later, later))
    assert await store.read(lambda r: r.scope("nowhere")) is None


# Machines


@promise
async def a_machine_comes_back_as_it_was_saved(store: Store) -> None:
    machine = Machine(
        scope="s",
        name="vm_0",
        computer_name="vm000000",
        address="127.0.0.2",
        update_domain=3,
        fault_domain=1,
        host="h",
        zone="2",
        priority=Priority.SPOT,
        eviction_policy=EvictionPolicy.DELETE,
        power=Power.DEALLOCATED,
        terminate_notice=timedelta(minutes=7, microseconds=5),
        profile=Profile(vm_id="x", tags={"owner": "Zoë", "": "empty"}),
    )
    await _save(store, machines=(machine,))
    assert await store.read(lambda r: r.machines("s")) == [machine]
    changed = replace(machine, power=Power.RUNNING)
    await _save(store, machines=(changed,))
    assert await store.read(lambda r: r.machines("s")) == [changed]


@promise
async def machines_are_found_by_scope_and_by_name(store: Store) -> None:
    b, a, other = a_machine("b", "s"), a_machine("a", "s"), a_machine("a", "t")
    await _save(store, machines=(b, a, other))
    assert await store.read(lambda r: r.machines("s")) == [a, b]
    assert await store.read(lambda r: r.machines("s", ["b", "none", "b"])) == [b]
    assert list(await store.read(lambda r: r.machines("s", []))) == []
    assert await store.read(lambda r: r.machines_named("a")) == [a, other]
    assert list(await store.read(lambda r: r.machines_named("none"))) == []


@promise
async def machines_are_listed_by_scope_and_name_page_by_page(store: Store) -> None:
    machines = [a_machine(name, scope) for scope in ("s", "t") for name in ("a", "b", "c")]
    await _save(store, machines=tuple(reversed(machines)))
    assert await store.read(lambda r: r.list_machines(limit=4)) == machines[:4]
    assert await store.read(lambda r: r.list_machines(after=("t", "a"), limit=4)) == machines[4:]
    assert list(await store.read(lambda r: r.list_machines(after=("t", "c")))) == []


@promise
async def a_machine_that_is_gone_is_gone_even_if_it_changed_in_the_same_breath(store: Store) -> None:
    await _save(store, machines=(a_machine("a", "s"), a_machine("b", "s")))
    await _save(store, machines=(a_machine("a", "s", **DOWN),), gone=(("s", "a"), ("s", "never-was")))
    assert [machine.name for machine in await store.read(lambda r: r.machines("s"))] == ["b"]


@promise
async def a_scope_knows_whether_any_of_its_machines_runs(store: Store) -> None:
    await _add(store, a_scope("s", any_running=False))
    assert (await _scope(store, "s")).any_running, "a scope without machines counts as running"
    await _save(store, machines=(a_machine("a", "s", **DOWN), a_machine("x", "other")))
    assert not (await _scope(store, "s")).any_running
    await _save(store, machines=(a_machine("b", "s"),))
    assert (await _scope(store, "s")).any_running
    await _save(store, gone=(("s", "b"),))
    for scope in (*await store.run(lambda tx: tx.lock("s")), *await store.read(lambda r: r.list_scopes())):
        assert not scope.any_running


# Events and operations


@promise
async def events_and_operations_are_found_live_or_ended(store: Store) -> None:
    ended = replace(_e("B"), phase=Phase.FAILED, started_at=NOON, ended_at=NOON + MINUTE)
    failed = replace(_o("b"), state=OperationState.FAILED, failures=("vm: no",), message="no", ended_at=NOON)
    await _add(store, a_scope("s", events=(_e("A"), ended), operations=(_o("a"), failed)))
    assert await store.read(lambda r: (r.event("A"), r.event("B"), r.event("C"))) == (_e("A"), ended, None)
    found = await store.read(lambda r: (r.operation("a"), r.operation("b"), r.operation("c")))
    assert found == (_o("a"), failed, None)


@promise
async def events_and_operations_are_listed_live_unless_told_otherwise(store: Store) -> None:
    def over(event: Event) -> Event:
        return replace(event, phase=Phase.COMPLETED)

    done = OperationState.SUCCEEDED
    here = a_scope("s", events=(_e("D"), over(_e("B")), _e("A")), operations=(_o("D"), _o("B", state=done), _o("A")))
    there = a_scope("t", events=(_e("C", "t"),), operations=(_o("C", "t"),))
    await _add(store, here, there)
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
        events = await store.read(lambda r, t=told: r.list_events(**t))  # type: ignore[misc]
        operations = await store.read(lambda r, t=told: r.list_operations(**t))  # type: ignore[misc]
        assert "".join(event.id for event in events) == expected, told
        assert "".join(operation.id for operation in operations) == expected, told


# What is due


@promise
async def scopes_are_due_longest_first(store: Store) -> None:
    assert await store.read(lambda r: r.next_due()) is None
    for name, minutes in (("late", 3), ("b", 1), ("a", 1), ("first", 0)):
        await _add(store, a_scope(name), due=NOON + minutes * MINUTE)
    await _add(store, a_scope("never"))
    assert await store.read(lambda r: r.next_due()) == NOON
    assert list(await store.read(lambda r: r.due_scopes(NOON - timedelta(microseconds=1), 9))) == []
    assert list(await store.read(lambda r: r.due_scopes(NOON, 9))) == ["first"]
    assert list(await store.read(lambda r: r.due_scopes(NOON + MINUTE, 9))) == ["first", "a", "b"]
    assert list(await store.read(lambda r: r.due_scopes(NOON + 9 * MINUTE, 2))) == ["first", "a"]


@promise
async def a_scope_is_due_when_its_last_change_says(store: Store) -> None:
    scope = a_scope("s")
    await _add(store, scope, due=NOON)
    await _change(store, scope, replace(scope, incarnation=2), due=NOON + MINUTE)
    assert await store.read(lambda r: (r.next_due(), list(r.due_scopes(NOON, 9)))) == (NOON + MINUTE, [])
    await _change(store, scope, replace(scope, incarnation=3), due=None)
    assert await store.read(lambda r: (r.next_due(), list(r.due_scopes(NOON + MINUTE, 9)))) == (None, [])


# The outbox


@promise
async def an_action_is_leased_once_it_is_due(store: Store) -> None:
    await _save(store, actions=(an_action("late", due=NOON + MINUTE), an_action("b"), an_action("a")))
    wall = datetime(1999, 1, 1, tzinfo=UTC)
    assert list(await _lease(store, NOON - MINUTE, wall)) == []
    first = await _lease(store, NOON, wall, limit=1)
    assert list(first) == [an_action("a", fence=1, attempts=1)]
    assert await store.read(lambda r: r.action("a", "vm")) == first[0]
    assert [action.operation for action in await _lease(store, NOON, wall)] == ["b"]
    assert list(await _lease(store, NOON, wall)) == []


@promise
async def a_lease_runs_out_by_the_wall_clock_and_the_next_has_a_greater_fence(store: Store) -> None:
    wall = datetime(1999, 1, 1, tzinfo=UTC)
    await _save(store, actions=(an_action(),))
    (first,) = await _lease(store, NOON, wall)
    assert list(await _lease(store, NOON + timedelta(days=9), wall + MINUTE - timedelta(microseconds=1))) == []
    (second,) = await _lease(store, NOON, wall + MINUTE)
    assert (first.fence, second.fence, second.attempts) == (1, 2, 2)


@promise
async def an_action_saved_again_is_free_and_keeps_its_fence(store: Store) -> None:
    await _save(store, actions=(an_action(),))
    (held,) = await _lease(store, NOON, NOON)
    await _save(store, actions=(replace(held, due=NOON + MINUTE, attempts=0),))
    assert list(await _lease(store, NOON, NOON)) == []
    (again,) = await _lease(store, NOON + MINUTE, NOON)
    assert (again.fence, again.attempts) == (2, 1)


@promise
async def the_next_action_is_the_earliest_that_nobody_holds(store: Store) -> None:
    assert await store.read(lambda r: r.next_action()) is None
    await _save(store, actions=(an_action("b", due=NOON + MINUTE), an_action("a")))
    assert await store.read(lambda r: r.next_action()) == NOON
    await _lease(store, NOON, NOON)
    assert await store.read(lambda r: r.next_action()) == NOON + MINUTE
    await _lease(store, NOON + MINUTE, NOON)
    assert await store.read(lambda r: r.next_action()) is None


@promise
async def a_finished_action_is_gone(store: Store) -> None:
    event = an_action("b", "v2", event="E")
    await _save(store, actions=(an_action("a"), event))
    assert await store.read(lambda r: r.action("b", "v2")) == event
    await _save(store, actions=(an_action("c"),), finished=(("a", "vm"), ("c", "vm"), ("never", "was")))
    assert await store.read(lambda r: (r.action("a", "vm"), r.action("c", "vm"))) == (None, None)
    assert [action.operation for action in await _lease(store, NOON, NOON)] == ["b"]


# History


@promise
async def history_has_no_gaps_and_each_scope_is_a_chain(store: Store) -> None:
    for number in range(3):
        entries = (an_entry(f"E{number}", "s"), an_entry(f"F{number}", "t"), an_entry(f"G{number}", "s", detail="é\n"))
        saved = await _save(store, entries=entries)
        assert [entry.seq for entry in saved] == [3 * number + n for n in (1, 2, 3)]
        assert list(await store.read(lambda r, n=number: r.history(after=3 * n))) == list(saved)  # type: ignore[misc]
    whole = await store.read(lambda r: r.history())
    assert [entry.seq for entry in whole] == list(range(1, 10))
    assert await store.read(lambda r: r.last_entry()) == 9
    for scope in ("s", "t"):
        assert first_break(await store.read(lambda r, s=scope: r.history(scope=s))) is None  # type: ignore[misc]


@promise
async def history_is_found_by_scope_and_subject_page_by_page(store: Store) -> None:
    assert await store.read(lambda r: r.last_entry()) == 0
    told = (("s", "E"), ("s", "F"), ("t", "E"), ("s", "E"))
    await _save(store, entries=tuple(an_entry(subject, scope) for scope, subject in told))
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
        found = await store.read(lambda r, a=asked: r.history(**a))  # type: ignore[misc]
        assert [entry.seq for entry in found] == expected, asked


@promise
async def a_work_that_fails_leaves_no_gap_in_the_history(store: Store) -> None:
    def fails(tx: Transaction) -> None:
        tx.save(Change(entries=(an_entry("lost"), an_entry("lost"))))
        raise Lost

    await _save(store, entries=(an_entry("a"),))
    results = await asyncio.gather(
        _save(store, entries=(an_entry("b"),)),
        store.run(fails),
        _save(store, entries=(an_entry("c"),)),
        return_exceptions=True,
    )
    assert [type(result) for result in results if isinstance(result, BaseException)] == [Lost]
    whole = await store.read(lambda r: r.history())
    assert [(entry.seq, entry.subject) for entry in whole] == [(1, "a"), (2, "b"), (3, "c")]
    assert first_break(whole) is None


# Campaigns, notes, answers


@promise
async def campaigns_come_back_and_are_listed_by_id(store: Store) -> None:
    b = a_campaign("b", notice=16 * MINUTE, pause=timedelta(0), description="x", scopes=("s", "t"))
    a = a_campaign("a")
    for campaign in (b, a, replace(a, state=CampaignState.PAUSED)):
        await store.run(lambda tx, c=campaign: tx.save_campaign(c))  # type: ignore[misc]
    paused = replace(a, state=CampaignState.PAUSED)
    assert await store.read(lambda r: (r.campaign("b"), r.campaign("a"), r.campaign("c"))) == (b, paused, None)
    assert list(await store.read(lambda r: r.list_campaigns())) == [paused, b]
    assert list(await store.read(lambda r: r.list_campaigns(after="a", limit=1))) == [b]


@promise
async def notes_and_answers_are_kept_apart_and_the_last_one_counts(store: Store) -> None:
    def work(tx: Transaction) -> None:
        tx.put_note("k", "first")
        tx.put_note("k", "note")
        tx.put_answer("k", "first", NOON)
        tx.put_answer("k", "answer", NOON)

    await store.run(work)
    assert await store.read(lambda r: (r.note("k"), r.answer("k"))) == ("note", "answer")
    assert await store.read(lambda r: (r.note("x"), r.answer("x"))) == (None, None)


# Works


@promise
async def a_work_sees_its_own_writes_and_its_value_comes_back(store: Store) -> None:
    def work(tx: Transaction) -> tuple[object, ...]:
        tx.put_note("k", "v")
        tx.save(Change(revisions=(_new(a_scope("s", events=(_e("E"),))),), entries=(an_entry(),)))
        (scope,) = tx.lock("s")
        return tx.note("k"), tx.event("E"), scope.events, tx.last_entry()

    assert await store.run(work) == ("v", _e("E"), (_e("E"),), 1)


@promise
async def a_work_that_fails_changes_nothing_at_all(store: Store) -> None:
    await _furnish(store)
    before = await store.read(snapshot)

    def fails(tx: Transaction) -> None:
        _overturn(tx)
        raise Lost

    await _expect(Lost, store.run(fails))
    assert await store.read(snapshot) == before
    await store.run(_overturn)
    assert await store.read(snapshot) != before


@promise
async def a_work_that_fails_does_not_harm_those_beside_it(store: Store) -> None:
    def numbered(tx: Transaction, number: int) -> int:
        tx.put_note(f"n{number}", "x")
        if number % 3 == 0:
            raise Lost
        return number

    works = [store.run(lambda tx, n=n: numbered(tx, n)) for n in range(30)]  # type: ignore[misc]
    results = await asyncio.gather(*works, return_exceptions=True)
    kept = await store.read(lambda r: [n for n in range(30) if r.note(f"n{n}")])
    assert kept == [n for n in range(30) if n % 3]
    assert [result for result in results if not isinstance(result, Lost)] == kept


@promise
async def even_a_stop_iteration_reaches_its_caller(store: Store) -> None:
    def careless(_: Reader) -> int:
        return next(iter(()))

    await _expect(RuntimeError, store.run(careless))
    await _expect(RuntimeError, store.read(careless))
    await store.run(lambda tx: tx.put_note("k", "still there"))


@promise
async def works_on_one_scope_run_one_after_another(store: Store) -> None:
    await _add(store, a_scope("s"))

    def count(tx: Transaction) -> None:
        (scope,) = tx.lock("s")
        tx.save(Change(revisions=(Revision(before=scope, after=_moved(scope), due=None),)))

    await asyncio.gather(*(store.run(count) for _ in range(50)))
    assert (await _scope(store, "s")).incarnation == 51


@promise
async def callers_go_on_in_the_order_of_their_commits(store: Store) -> None:
    seen: list[int] = []

    async def caller(number: int) -> None:
        saved = await _save(store, entries=(an_entry(str(number)),))
        seen.append(saved[0].seq)

    await asyncio.gather(*(caller(number) for number in range(40)))
    assert seen == list(range(1, 41))


@promise
async def a_read_sees_every_commit_before_it(store: Store) -> None:
    for number in range(20):
        await store.run(lambda tx, n=number: tx.put_note("k", str(n)))  # type: ignore[misc]
        assert await store.read(lambda r: r.note("k")) == str(number)


@promise
async def a_caller_that_leaves_does_not_disturb_the_others(store: Store) -> None:
    await store.run(lambda tx: tx.put_note("k", "0"))
    leaver = asyncio.ensure_future(store.run(lambda tx: tx.put_note("left", "x")))
    await asyncio.sleep(0)
    leaver.cancel()
    await store.run(lambda tx: tx.put_note("k", "1"))
    assert await store.read(lambda r: r.note("k")) == "1"


@promise
async def a_closed_store_says_so_and_may_be_closed_twice(store: Store) -> None:
    await store.close()
    await _expect(Unavailable, store.run(lambda tx: None))
    await _expect(Unavailable, store.read(lambda r: None))
    await store.close()


# Across a restart


@lasting
async def everything_is_there_after_a_restart(open_store: Open) -> None:
    store = await open_store()
    await _furnish(store)
    before = await store.read(snapshot)
    await store.close()
    store = await open_store()
    assert await store.read(snapshot) == before
    await store.close()


@lasting
async def history_goes_on_after_a_restart_without_a_gap(open_store: Open) -> None:
    for number in range(3):
        store = await open_store()
        (entry,) = await _save(store, entries=(an_entry(f"E{number}"),))
        assert entry.seq == number + 1
        whole = await store.read(lambda r: r.history())
        assert first_break(whole) is None
        await store.close()


@lasting
async def a_fence_stays_greater_after_a_restart(open_store: Open) -> None:
    store = await open_store()
    await _save(store, actions=(an_action(),))
    await _lease(store, NOON, NOON)
    await store.close()
    store = await open_store()
    (again,) = await _lease(store, NOON, NOON + MINUTE)
    assert again.fence == 2
    await store.close()


@lasting
async def closing_finishes_what_is_queued(open_store: Open) -> None:
    store = await open_store()
    works = [asyncio.ensure_future(store.run(lambda tx, n=n: tx.put_note(str(n), "x"))) for n in range(20)]  # type: ignore[misc]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*works)
    store = await open_store()
    assert await store.read(lambda r: all(r.note(str(n)) for n in range(20)))
    await store.close()


# What the checks are written with


class Lost(Exception):
    """Raised by a work that is to fail."""


def snapshot(reader: Reader) -> tuple[object, ...]:
    """Everything a reader can see, to be compared as a whole."""
    actions = {(o.id, name) for o in reader.list_operations(live=False) for name in o.machines}
    return (
        list(reader.list_scopes()),
        list(reader.list_machines()),
        list(reader.list_events(live=False)),
        list(reader.list_operations(live=False)),
        list(reader.list_campaigns()),
        [reader.action(*key) for key in sorted(actions)],
        list(reader.history()),
        reader.last_entry(),
        reader.next_due(),
        reader.next_action(),
        reader.note("k"),
        reader.answer("k"),
    )


async def _furnish(store: Store) -> None:
    def work(tx: Transaction) -> None:
        scope = a_scope("s", events=(_e("E"),), operations=(_o("o"),), enrolled_at=NOON)
        tx.save(
            Change(
                revisions=(_new(scope, NOON),),
                machines=(a_machine("vm", "s"), a_machine("v2", "s", **DOWN)),
                actions=(an_action("o"),),
                entries=(an_entry("E", "s"),),
            )
        )
        tx.save_campaign(a_campaign())
        tx.put_note("k", "note")
        tx.put_answer("k", "answer", NOON)

    await store.run(work)


def _overturn(tx: Transaction) -> None:
    """Change a little of everything `_furnish` made."""
    (scope,) = tx.lock("s")
    ended = replace(scope.events[0], phase=Phase.CANCELED)
    after = replace(_moved(scope), events=(ended, _e("F")), operations=(*scope.operations, _o("p")))
    tx.lease(NOON, NOON, NOON + MINUTE, 1)
    tx.save(
        Change(
            revisions=(Revision(before=scope, after=after, due=None), _new(a_scope("t"), NOON - MINUTE)),
            machines=(a_machine("vm", "s", **DOWN), a_machine("v3", "s")),
            gone=(("s", "v2"),),
            actions=(an_action("p"),),
            finished=(("o", "vm"),),
            entries=(an_entry("E", "s"), an_entry("F", "t")),
        )
    )
    tx.mark_seen("t", NOON, NOON)
    tx.save_campaign(a_campaign(state=CampaignState.CANCELED))
    tx.put_note("k", "changed")
    tx.put_answer("k", "changed", NOON)


def _e(name: str, scope: str = "s", **changes: Any) -> Event:
    return an_event(name, scope, **changes)


def _o(name: str, scope: str = "s", **changes: Any) -> Any:
    return an_operation(name, scope, **changes)


def _new(scope: Scope, due: datetime | None = None) -> Revision:
    return Revision(before=None, after=scope, due=due)


def _moved(scope: Scope) -> Scope:
    return replace(scope, incarnation=scope.incarnation + 1)


async def _save(store: Store, **parts: Any) -> Sequence[Entry]:
    return await store.run(lambda tx: tx.save(Change(**parts)))


async def _add(store: Store, *scopes: Scope, due: datetime | None = None) -> None:
    await _save(store, revisions=tuple(_new(scope, due) for scope in scopes))


async def _change(store: Store, before: Scope, after: Scope, due: datetime | None = None) -> None:
    await _save(store, revisions=(Revision(before=before, after=after, due=due),))


async def _scope(store: Store, name: str) -> Scope:
    scope = await store.read(lambda r: r.scope(name))
    assert scope is not None, name
    return scope


async def _lease(store: Store, now: datetime, wall: datetime, limit: int = 10) -> Sequence[Any]:
    return await store.run(lambda tx: tx.lease(now, wall, wall + MINUTE, limit))


async def _expect(kind: type[BaseException], call: Awaitable[object]) -> None:
    try:
        await call
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}")
