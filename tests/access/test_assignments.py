"""Roles are given and taken away, at once and for good."""

import asyncio

import pytest

from forewarn.access.assignments import Assignments, load_assignments
from forewarn.access.audit import Audit
from forewarn.domain.access import Assignment, Right, Role
from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON

AT = "/subscriptions/5b0a"
GROUP = f"{AT}/resourceGroups/web"
FIXED = Assignment(id="local", principal="local", role=Role.CONTRIBUTOR, scope=AT)


def given(number: int, role: Role = Role.READER, scope: str = AT) -> Assignment:
    return Assignment(id=str(number), principal="anna", role=role, scope=scope)


def test_a_role_holds_from_the_moment_it_is_given_until_it_is_taken_away() -> None:
    async def story() -> None:
        assignments = await load_assignments(Audit(MemoryStore(), lambda: NOON), [FIXED])
        assert assignments.allows("local", Right.WRITE, AT)
        assert not assignments.allows("anna", Right.READ, AT)
        await assignments.put(given(1))
        assert assignments.allows("anna", Right.READ, AT)
        await assignments.put(given(1, Role.CONTRIBUTOR, GROUP))
        assert assignments.allows("anna", Right.WRITE, GROUP)
        assert not assignments.allows("anna", Right.READ, AT)
        assert await assignments.delete("1") == given(1, Role.CONTRIBUTOR, GROUP)
        assert assignments.list() == (FIXED,)

    asyncio.run(story())


def test_roles_survive_a_restart() -> None:
    async def story() -> None:
        store = Audit(MemoryStore(), lambda: NOON)
        before = await load_assignments(store, [FIXED])
        await asyncio.gather(*(before.put(given(number)) for number in range(10)))
        await before.delete("3")
        after = await load_assignments(store, [FIXED])
        assert {one.id for one in after.list()} == {"local", *(str(number) for number in range(10) if number != 3)}
        assert set(after.list()) == set(before.list())

    asyncio.run(story())


@pytest.mark.parametrize(
    ("assignment", "error"),
    [
        pytest.param(FIXED, Conflict, id="the-local-login-s-own"),
        pytest.param(given(1, scope=f"{GROUP}/providers/x"), Invalid, id="on-a-resource"),
        pytest.param(given(1, scope="/"), Invalid, id="on-everything"),
    ],
)
def test_what_cannot_be_given_is_refused(assignment: Assignment, error: type[Exception]) -> None:
    with pytest.raises(error):
        asyncio.run(Assignments(Audit(MemoryStore(), lambda: NOON), [FIXED]).put(assignment))


def test_what_is_not_there_cannot_be_taken_away() -> None:
    assignments = Assignments(Audit(MemoryStore(), lambda: NOON), [FIXED])
    with pytest.raises(NotFound):
        asyncio.run(assignments.delete("7"))
    with pytest.raises(Conflict):
        asyncio.run(assignments.delete("local"))
