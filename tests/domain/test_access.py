"""Roles give rights where they are assigned and below, and nowhere else."""

import pytest

from forewarn.domain.access import Assignment, Right, Role, allows, check_scope
from forewarn.domain.errors import Invalid

SUBSCRIPTION = "/subscriptions/5b0a"
GROUP = f"{SUBSCRIPTION}/resourceGroups/web"
MACHINE = f"{GROUP}/providers/Microsoft.Compute/virtualMachines/vm1"


def given(role: Role, scope: str = SUBSCRIPTION, principal: str = "anna") -> Assignment:
    return Assignment(id="1", principal=principal, role=role, scope=scope)


@pytest.mark.parametrize(
    ("role", "rights"),
    [
        pytest.param(Role.READER, {Right.READ}, id="a-reader-looks"),
        pytest.param(
            Role.CONTRIBUTOR, {Right.READ, Right.WRITE, Right.ACKNOWLEDGE}, id="a-contributor-does-everything"
        ),
        pytest.param(
            Role.SCHEDULED_EVENT_CONTRIBUTOR,
            {Right.READ, Right.ACKNOWLEDGE},
            id="an-event-contributor-lets-events-start",
        ),
    ],
)
def test_a_role_is_its_rights(role: Role, rights: set[Right]) -> None:
    assert {right for right in Right if allows([given(role)], "anna", right, SUBSCRIPTION)} == rights


@pytest.mark.parametrize(
    ("scope", "at", "holds"),
    [
        pytest.param(SUBSCRIPTION, SUBSCRIPTION, True, id="where-it-is-given"),
        pytest.param(SUBSCRIPTION, MACHINE, True, id="in-everything-below"),
        pytest.param(GROUP, MACHINE, True, id="in-a-group-s-resources"),
        pytest.param(GROUP, SUBSCRIPTION, False, id="not-above"),
        pytest.param(GROUP, f"{SUBSCRIPTION}/resourceGroups/db", False, id="not-beside"),
        pytest.param(GROUP, f"{GROUP}-2", False, id="not-where-only-the-name-begins-alike"),
        pytest.param(GROUP.upper(), MACHINE.lower(), True, id="in-any-case-of-letters"),
        pytest.param(f"{GROUP}/", GROUP, True, id="with-a-slash-at-the-end"),
        pytest.param("", MACHINE, False, id="never-from-nowhere"),
        pytest.param("/", MACHINE, False, id="never-from-the-root"),
    ],
)
def test_a_role_holds_where_it_is_given_and_below(scope: str, at: str, holds: bool) -> None:
    assert allows([given(Role.READER, scope)], "anna", Right.READ, at) is holds


def test_rights_are_personal_and_add_up() -> None:
    both = [given(Role.READER), given(Role.CONTRIBUTOR, GROUP), given(Role.CONTRIBUTOR, principal="otto")]
    assert allows(both, "anna", Right.WRITE, MACHINE)
    assert not allows(both, "anna", Right.WRITE, SUBSCRIPTION)
    assert not allows(both, "Anna", Right.READ, SUBSCRIPTION)
    assert not allows([], "anna", Right.READ, SUBSCRIPTION)


@pytest.mark.parametrize("scope", [SUBSCRIPTION, GROUP, GROUP.upper(), f"{GROUP}/"])
def test_roles_are_given_on_subscriptions_and_groups(scope: str) -> None:
    check_scope(scope)


@pytest.mark.parametrize("scope", ["", "/", MACHINE, "/subscriptions/", "subscriptions/5b0a", f"{SUBSCRIPTION}/x/y"])
def test_and_on_nothing_else(scope: str) -> None:
    with pytest.raises(Invalid, match="resourceGroups/NAME"):
        check_scope(scope)
