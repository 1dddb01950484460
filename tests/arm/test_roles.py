"""Roles given and taken away as `az role assignment` does it."""

from typing import Any

import pytest

from forewarn.domain.access import Assignment, Role
from tests.arm.rig import RG, Rig, S, a_rig

AUTHORIZATION = "providers/Microsoft.Authorization"
READER = f"{S}/{AUTHORIZATION}/roleDefinitions/acdd72a7-3385-48ef-bd42-f606fba81ae7"
CONTRIBUTOR = f"{S}/{AUTHORIZATION}/roleDefinitions/b24988ac-6180-42a0-ab88-20f7382dd24c"
ID = "aaaaaaaa-0000-4000-8000-000000000000"
GIVEN = f"{RG}/{AUTHORIZATION}/roleAssignments"
EVERYWHERE = f"{S}/{AUTHORIZATION}/roleAssignments"


def a_body(rig: Rig, who: str = "reader", role: str = READER) -> Any:
    principal = rig.access.object_id(who)
    return {"properties": {"roleDefinitionId": role, "principalId": principal, "principalType": "ServicePrincipal"}}


def test_definitions_are_found_by_name() -> None:
    rig = a_rig()
    (reader,) = rig.get(f"{RG}/{AUTHORIZATION}/roleDefinitions?$filter=roleName eq 'reader'")["value"]
    assert (reader["id"], reader["properties"]["roleName"]) == (READER, "Reader")
    assert len(rig.get(f"{S}/{AUTHORIZATION}/roleDefinitions")["value"]) == 3
    assert rig.get(CONTRIBUTOR)["properties"]["permissions"][0]["actions"] == ["*"]
    assert rig.get(f"{S}/{AUTHORIZATION}/roleDefinitions?$filter=roleName eq 'Owner'")["value"] == []
    assert rig.refused("GET", READER[:-1]) == (404, "RoleDefinitionDoesNotExist")


def test_a_role_holds_from_when_it_is_given_until_it_is_taken_away() -> None:
    rig = a_rig()
    assert rig.refused("GET", RG, who="reader") == (403, "AuthorizationFailed")
    made = rig.ask("PUT", f"{GIVEN}/{ID.upper()}", a_body(rig))
    assert made.status == 201
    assert made.json["id"] == f"{GIVEN}/{ID}"
    assert made.json["properties"]["scope"] == RG
    assert rig.get(RG, who="reader")["name"] == "rg"
    assert rig.get(f"{GIVEN}/{ID}") == made.json
    assert [rig.ask("DELETE", f"{GIVEN}/{ID}").status for _ in range(2)] == [200, 204]
    assert rig.refused("GET", RG, who="reader") == (403, "AuthorizationFailed")
    assert rig.refused("GET", f"{GIVEN}/{ID}") == (404, "RoleAssignmentNotFound")


def test_assignments_are_listed_here_above_and_below() -> None:
    rig = a_rig()
    rig.put(f"{GIVEN}/{ID}", a_body(rig))
    (local,) = rig.names(f"{EVERYWHERE}?$filter=atScope()")
    assert sorted(rig.names(EVERYWHERE)) == sorted([ID, local])
    assert rig.names(f"{GIVEN}?$filter=atScope()") == [local, ID]
    reader = rig.access.object_id("reader")
    assert rig.names(f"{EVERYWHERE}?$filter=principalId eq '{reader}'") == [ID]
    assert rig.names(f"{EVERYWHERE}?$filter=atScopeAndBelow() and assignedTo('{reader}')") == [ID]
    rig.put(f"{RG}/providers/A.B/c/d", {})
    assert rig.names(f"{RG}/providers/A.B/c/d/{AUTHORIZATION}/roleAssignments") == [local, ID]


def test_only_who_may_write_somewhere_gives_roles_there() -> None:
    rig = a_rig()
    rig.put(f"{GIVEN}/{ID}", a_body(rig, "owner", CONTRIBUTOR))
    rig.put(f"{GIVEN}/{ID.replace('a', 'b')}", a_body(rig))
    third = ID.replace("a", "c")
    assert rig.refused("PUT", f"{GIVEN}/{third}", a_body(rig), who="reader") == (403, "AuthorizationFailed")
    assert rig.refused("PUT", f"{EVERYWHERE}/{third}", a_body(rig), who="owner") == (403, "AuthorizationFailed")
    assert rig.ask("PUT", f"{GIVEN}/{third}", a_body(rig, "third"), who="owner").status == 201


def test_a_group_s_owner_cannot_take_what_the_subscription_gave() -> None:
    rig = a_rig()
    rig.put(f"{GIVEN}/{ID}", a_body(rig, "owner", CONTRIBUTOR))
    above = ID.replace("a", "b")
    rig.put(f"{EVERYWHERE}/{above}", a_body(rig))
    assert rig.ask("DELETE", f"{GIVEN}/{above}", who="owner").status == 204
    taken_over = a_body(rig, "owner")
    assert rig.refused("PUT", f"{GIVEN}/{above}", taken_over, who="owner") == (409, "RoleAssignmentExists")
    assert rig.get(f"{EVERYWHERE}/{above}")["properties"]["principalId"] == rig.access.object_id("reader")


def test_the_local_login_s_role_stays() -> None:
    rig = a_rig()
    (local,) = rig.names(EVERYWHERE)
    assert rig.refused("DELETE", f"{EVERYWHERE}/{local}") == (409, "OperationNotAllowed")


def test_a_new_group_has_none_of_the_roles_of_an_old_one_of_its_name() -> None:
    rig = a_rig()
    rig.put(f"{GIVEN}/{ID}", a_body(rig))
    rig.ask("DELETE", RG)
    rig.put(RG, {"location": "eastus"})
    assert rig.refused("GET", RG, who="reader") == (403, "AuthorizationFailed")


def test_roles_given_under_a_principal_s_own_name_are_told_by_its_object_id() -> None:
    rig = a_rig()
    kept = Assignment(id="x", principal="machine:web/web_0", role=Role.READER, scope=RG)
    rig.run(rig.access.assignments.put(kept))
    told = rig.get(f"{GIVEN}?$filter=principalId eq '{rig.access.object_id('machine:web/web_0')}'")["value"]
    assert [item["properties"]["principalId"] for item in told] == [rig.access.object_id("machine:web/web_0")]


@pytest.mark.parametrize(
    ("path", "change", "refusal"),
    [
        pytest.param(f"{GIVEN}/x", {}, (400, "InvalidRoleAssignmentId"), id="name"),
        pytest.param(f"{GIVEN}/{ID}", {"principalId": 7}, (400, "InvalidPrincipalId"), id="principal"),
        pytest.param(f"{GIVEN}/{ID}", {"roleDefinitionId": "Owner"}, (404, "RoleDefinitionDoesNotExist"), id="role"),
        pytest.param(f"{GIVEN}/{ID}", {"roleDefinitionId": 7}, (404, "RoleDefinitionDoesNotExist"), id="odd-role"),
        pytest.param(f"{RG}x/{AUTHORIZATION}/roleAssignments/{ID}", {}, (404, "ResourceGroupNotFound"), id="no-group"),
        pytest.param(
            f"{RG}/providers/A.B/c/d/{AUTHORIZATION}/roleAssignments/{ID}", {}, (400, "InvalidParameter"), id="resource"
        ),
    ],
)
def test_refusals(path: str, change: dict[str, object], refusal: tuple[int, str]) -> None:
    rig = a_rig()
    assert rig.refused("PUT", path, {"properties": {**a_body(rig)["properties"], **change}}) == refusal


def test_the_same_twice_is_refused() -> None:
    rig = a_rig()
    rig.put(f"{GIVEN}/{ID}", a_body(rig))
    for name in (ID, ID.replace("a", "b")):
        assert rig.refused("PUT", f"{GIVEN}/{name}", a_body(rig)) == (409, "RoleAssignmentExists")


@pytest.mark.parametrize("wanted", ["x", "other eq 'x'", "atScope() or atScope()", f"x{' ' * 3000}x"])
def test_other_filters_are_refused(wanted: str) -> None:
    assert a_rig().refused("GET", f"{GIVEN}?$filter={wanted}") == (400, "InvalidFilterInQueryString")
