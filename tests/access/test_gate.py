"""The gate: nobody passes without a token that counts, and what is public stays so."""

import asyncio

import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from forewarn.access.gate import Gate, require
from forewarn.access.service import Access
from forewarn.domain.access import Assignment, Right, Role
from forewarn.domain.errors import Forbidden
from forewarn.store.memory import MemoryStore
from tests.access.asking import Answer, ask
from tests.access.making import SUBSCRIPTION, TENANT, an_access, bearer

GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/web"


def gate(access: Access) -> Gate:
    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if request.url.path == "/public":
            said = "caller" in scope["state"]
            await Response(f"{said}")(scope, receive, send)
            return
        try:
            caller = require(request, access, Right.WRITE, GROUP, "Microsoft.Compute/virtualMachines/write")
            await Response(str(caller.actor))(scope, receive, send)
        except Forbidden as error:
            await Response(str(error), 403)(scope, receive, send)

    return Gate(app, access, public=["/public"])


def answer(headers: dict[str, str], access: Access | None = None) -> Answer:
    return ask(gate(access or an_access(MemoryStore())), "GET", "/x", headers)


def test_what_is_public_asks_for_nothing() -> None:
    app = gate(an_access(MemoryStore()))
    assert ask(app, "GET", "/public").body == b"False"
    for path in ("/PUBLIC", "/public/", "/public/../x", "//public", "/"):
        assert ask(app, "GET", path).status == 401


def test_a_token_says_who_asks() -> None:
    access = an_access(MemoryStore())
    assert answer(bearer(access), access).body == b"user:local"
    quiet = {"authorization": bearer(access)["Authorization"].replace("Bearer ", "bearer   ")}
    assert answer(quiet, access).body == b"user:local"


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        pytest.param({}, "AuthenticationFailed", id="none"),
        pytest.param({"Authorization": "Basic bG9jYWw6eA=="}, "AuthenticationFailed", id="another-scheme"),
        pytest.param({"Authorization": ""}, "AuthenticationFailed", id="empty"),
        pytest.param({"Authorization": "Bearer "}, "InvalidAuthenticationToken", id="empty-token"),
        pytest.param({"Authorization": "Bearer x.y.z"}, "InvalidAuthenticationToken", id="no-token"),
    ],
)
def test_without_one_the_answer_is_401_as_azure_s(headers: dict[str, str], code: str) -> None:
    said = answer(headers)
    assert (said.status, said.code, set(said.json["error"])) == (401, code, {"code", "message"})
    challenge = said.headers["www-authenticate"]
    assert challenge.startswith(f'Bearer authorization_uri="https://localhost:8443/{TENANT}", error="invalid_token"')
    assert "claims" not in challenge


def test_a_token_for_this_very_address_counts_here_and_nowhere_else() -> None:
    access = an_access(MemoryStore())
    own = bearer(access, audience="https://localhost:8443/")
    assert answer(own, access).status == 200
    assert ask(gate(access), "GET", "/x", own, host="elsewhere.localhost:8443").status == 401


def test_who_has_no_right_is_told_so_in_azure_s_words() -> None:
    access = an_access(MemoryStore())
    said = answer(bearer(access, "anna"), access)
    assert (said.status, said.body.decode()) == (
        403,
        f"The client 'anna' with object id '{access.object_id('anna')}' does not have authorization to perform action "
        f"'Microsoft.Compute/virtualMachines/write' over scope '{GROUP}' or the scope is invalid. "
        "If access was recently granted, please refresh your credentials.",
    )


@pytest.mark.parametrize("by_object_id", [False, True])
def test_a_role_may_be_given_to_a_principal_by_either_of_its_names(by_object_id: bool) -> None:
    access = an_access(MemoryStore())
    principal = access.object_id("machine:web:0/web_1") if by_object_id else "machine:web:0/web_1"
    given = Assignment(id="1", principal=principal, role=Role.CONTRIBUTOR, scope=GROUP.upper())
    asyncio.run(access.assignments.put(given))
    assert answer(bearer(access, "machine:web:0/web_1"), access).status == 200
    assert answer(bearer(access, "machine:web:0/web_2"), access).status == 403


@pytest.mark.parametrize("audience", ["https://m\u00fcnchen", "https://\u65e5\u672c", 'https://x", realm="y', "a\\b"])
def test_a_token_for_somebody_with_an_odd_name_is_refused_as_any_other(audience: str) -> None:
    access = an_access(MemoryStore())
    refused = answer(bearer(access, audience=audience), access)
    assert (refused.status, refused.code) == (401, "InvalidAuthenticationTokenAudience")
    told = refused.headers["www-authenticate"]
    assert told.isascii()
    assert told.count('"') == 6
