"""Who may do what over the native API."""

import socket
from typing import Any

import pytest

from forewarn.control.app import endpoints
from forewarn.control.endpoints import Endpoint
from forewarn.control.openapi import template
from forewarn.domain.access import Assignment, Right, Role
from tests.access.making import bearer
from tests.control.rig import Rig, openapi

ROWS = endpoints("1")
ROLES = {
    Right.READ: {Role.READER, Role.SCHEDULED_EVENT_CONTRIBUTOR, Role.CONTRIBUTOR},
    Right.ACKNOWLEDGE: {Role.SCHEDULED_EVENT_CONTRIBUTOR, Role.CONTRIBUTOR},
    Right.WRITE: {Role.CONTRIBUTOR},
}


def path_of(row: Endpoint[Any, Any]) -> str:
    path = template(row.path)
    for name in ("machine", "event", "campaign", "operation", "scope"):
        path = path.replace(f"{{{name}}}", "FFFF")
    return path


def status(rig: Rig, row: Endpoint[Any, Any], headers: dict[str, str]) -> int:
    method = "HEAD" if row.method == "GET" else row.method  # the stream of changes has no end
    return rig.raw(method, path_of(row), headers=headers)[0]


def test_what_is_public_is_health_and_the_openapi_document() -> None:
    assert {row.path for row in ROWS if row.public} == {"/healthz", "/readyz", "/forewarn/v1/openapi.json"}


def test_the_openapi_document_says_so_too() -> None:
    document = openapi()
    assert document["security"] == [{"token": []}]
    assert set(document["components"]["securitySchemes"]) == {"token"}
    told = {
        path for path, methods in document["paths"].items() for row in methods.values() if row.get("security") == []
    }
    assert told == {row.path for row in ROWS if row.public}


def test_everything_else_needs_a_token(rig: Rig) -> None:
    for row in ROWS:
        if row.public:
            assert status(rig, row, {"Authorization": ""}) == 200
        else:
            assert status(rig, row, {"Authorization": ""}) == 401, row.path
            assert status(rig, row, {"Authorization": "Bearer x.y.z"}) == 401, row.path


@pytest.mark.parametrize("role", [*Role, None], ids=lambda role: role.value if role else "no role")
def test_each_call_needs_its_right(rig: Rig, role: Role | None) -> None:
    if role is not None:
        give(rig, role, rig.access.subscription)
    anna = bearer(rig.access, "anna")
    for row in ROWS:
        if not row.public:
            allowed = role in ROLES[row.right]
            assert (status(rig, row, anna) != 403) is allowed, (row.method, row.path)


def give(rig: Rig, role: Role, scope: str) -> None:
    rig.run(rig.access.assignments.put(Assignment(id="1", principal="anna", role=role, scope=scope)))


def test_only_approving_is_a_right_of_its_own() -> None:
    assert [row.path for row in ROWS if row.right is Right.ACKNOWLEDGE] == ["/forewarn/v1/events/{event}/approve"]


def test_a_role_on_a_resource_group_alone_is_not_enough_here(rig: Rig) -> None:
    give(rig, Role.CONTRIBUTOR, f"{rig.access.subscription}/resourceGroups/forewarn")
    status, value = rig.ask("GET", "/forewarn/v1/events", headers=bearer(rig.access, "anna"))
    assert (status, value["error"]["code"]) == (403, "Forbidden")
    assert f"over scope '{rig.access.subscription}'" in value["error"]["message"]


def test_whoever_may_not_leaves_no_trace(rig: Rig) -> None:
    rig.raw("POST", "/forewarn/v1/machines/db-0/restart", headers=bearer(rig.access, "anna"))
    assert rig.get("/forewarn/v1/operations?all=true")["items"] == []


def test_the_history_tells_who_asked(rig: Rig) -> None:
    give(rig, Role.CONTRIBUTOR, rig.access.subscription)
    rig.raw("POST", "/forewarn/v1/machines/db-0/restart", headers=bearer(rig.access, "anna"))
    assert rig.get("/forewarn/v1/history?scope=db")["items"][0]["who"] == {"kind": "user", "name": "anna"}


def test_two_tokens_are_none(rig: Rig) -> None:
    header = b"Authorization: %s\r\n" % rig.bearer["Authorization"].encode()
    with socket.create_connection(("127.0.0.1", rig.port)) as sent:
        sent.settimeout(10)
        sent.sendall(b"GET /forewarn/v1/clock HTTP/1.1\r\nHost: localhost\r\n" + header * 2 + b"\r\n")
        assert sent.recv(100).startswith(b"HTTP/1.1 401 ")
