"""The history tells who was given which rights, which key signs, and who was refused."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TypeVar

import pytest

from forewarn.access.assignments import Assignments
from forewarn.access.audit import Audit
from forewarn.access.refusals import MOST, UNKNOWN, Refusals
from forewarn.domain.access import Assignment, Right, Role
from forewarn.domain.errors import Conflict, Forbidden, Unavailable
from forewarn.domain.events import Actor
from forewarn.domain.history import ACCESS, Entry, What, first_break
from forewarn.engine.ports import Store, Transaction
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from tests.access.asking import ask
from tests.access.making import SUBSCRIPTION, an_access, bearer
from tests.access.test_gate import gate

T = TypeVar("T")

AT = f"/subscriptions/{SUBSCRIPTION}"
ALICE = Actor.user("alice")


def given(role: Role, number: int = 1) -> Assignment:
    return Assignment(id=str(number), principal="anna", role=role, scope=AT)


async def written(store: Store) -> Sequence[Entry]:
    entries = await store.read(lambda reader: reader.history(scope=ACCESS))
    assert first_break(entries) is None
    return entries


def test_roles_that_are_given_and_taken_away_are_in_the_history() -> None:
    async def story() -> None:
        store, told = MemoryStore(), list[Entry]()
        assignments = Assignments(Audit(store, lambda: NOON, told.extend))
        await assignments.put(given(Role.READER), ALICE)
        await assignments.put(given(Role.CONTRIBUTOR), ALICE)
        await assignments.delete("1", ALICE)
        await assignments.put(given(Role.READER, 2), ALICE)
        await assignments.forget({"anna", "nobody"})
        entries = await written(store)
        assert [(e.what, e.who, e.subject, e.before, e.after) for e in entries] == [
            (What.GRANTED, ALICE, "anna", "", f"Reader on {AT}"),
            (What.GRANTED, ALICE, "anna", f"Reader on {AT}", f"Contributor on {AT}"),
            (What.REVOKED, ALICE, "anna", f"Contributor on {AT}", ""),
            (What.GRANTED, ALICE, "anna", "", f"Reader on {AT}"),
            (What.REVOKED, Actor.system("forewarn"), "anna", f"Reader on {AT}", ""),
        ]
        assert told == list(entries)

    asyncio.run(story())


def test_what_did_not_happen_is_not_in_it() -> None:
    async def story() -> Sequence[Entry]:
        store = MemoryStore()
        assignments = Assignments(Audit(store, lambda: NOON))
        await assignments.put(given(Role.READER))
        with pytest.raises(Conflict):
            await assignments.put(given(Role.READER, 2), new=True)
        await assignments.forget({"nobody"})
        return await written(store)

    assert len(asyncio.run(story())) == 1


def test_a_new_key_is_in_it_whoever_wanted_it() -> None:
    async def story() -> None:
        store = MemoryStore()
        access = an_access(store)
        first = access.keys.signing.id
        await access.rotate_keys(ALICE)
        second = access.keys.signing.id
        await access.tend(timedelta(days=30))
        await access.tend(timedelta(0))
        entries = await written(store)
        assert [(e.what, e.before, e.after) for e in entries] == [
            (What.ROTATED, first, second),
            (What.ROTATED, second, access.keys.signing.id),
        ]
        assert [e.who.name for e in entries] == ["alice", "the key's age"]

    asyncio.run(story())


def test_whoever_is_refused_is_in_it_without_what_they_sent() -> None:
    store = MemoryStore()
    access = an_access(store)
    app = gate(access)
    ask(app, "GET", "/x?secret=1", {"Authorization": "Bearer of.a.secret"})
    ask(app, "GET", "/x\n2030-01-01 all is well", {})
    ask(app, "GET", "/x", bearer(access, "anna"))
    with pytest.raises(Forbidden):
        access.check(access.caller(bearer(access, "machine:db/db-0")["Authorization"][7:]), Right.WRITE, AT)
    access.log_in("local", "wrong-secret")
    access.log_in("a-secret-in-the-wrong-place", "x")
    asyncio.run(access.refusals.write())
    entries = asyncio.run(written(store))
    assert [(str(e.who), e.subject, e.detail) for e in entries] == [
        ("user:unknown", "GET /x", "InvalidAuthenticationToken"),
        ("user:unknown", "GET /x?2030-01-01 all is well", "AuthenticationFailed"),
        ("user:anna", f"{AT}/resourceGroups/web", "Microsoft.Compute/virtualMachines/write"),
        ("machine:machine:db/db-0", AT, "*/write"),
        ("user:local", "log in", "wrong client id or secret"),
        ("user:unknown", "log in", "wrong client id or secret"),
    ]
    assert b"secret=1" not in repr(entries).encode()


def test_the_same_refusal_is_told_once_and_very_many_are_only_counted() -> None:
    async def story() -> Sequence[Entry]:
        store = MemoryStore()
        refusals = Refusals(Audit(store, lambda: NOON))
        for _ in range(1000):
            refusals.note(UNKNOWN, "GET /x", "AuthenticationFailed")
        for number in range(1000):
            refusals.note(UNKNOWN, f"GET /{number}", "AuthenticationFailed")
        await refusals.write()
        await refusals.write()
        return await written(store)

    entries = asyncio.run(story())
    assert len(entries) == MOST + 1
    assert entries[0].detail == "AuthenticationFailed, 1000 times"
    assert entries[-1].detail == f"{1000 - MOST + 1} other calls"


def test_refusals_are_written_soon_and_the_last_ones_at_the_end() -> None:
    async def story() -> Sequence[Entry]:
        store, told = MemoryStore(), asyncio.Event()
        refusals = Refusals(Audit(store, lambda: NOON, lambda entries: told.set()), pause=3600)
        running = asyncio.create_task(refusals.run())
        refusals.note(UNKNOWN, "first", "x")
        await told.wait()
        refusals.note(UNKNOWN, "last", "x")
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        return await written(store)

    assert [entry.subject for entry in asyncio.run(story())] == ["first", "last"]


def test_a_store_that_is_away_stops_nothing() -> None:
    class Away(MemoryStore):
        async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
            raise Unavailable("away")

    async def story() -> None:
        refusals = Refusals(Audit(Away(), lambda: NOON))
        refusals.note(UNKNOWN, "x", "y")
        await refusals.write()

    asyncio.run(story())
