"""What holds for every request, whatever it asks for."""

import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate

from forewarn.control.app import endpoints
from forewarn.control.endpoints import Endpoint
from forewarn.control.openapi import template
from tests.control.rig import Rig, openapi, running


def test_the_openapi_document_is_valid_and_served(rig: Rig) -> None:
    status, body, _ = rig.raw("GET", "/forewarn/v1/openapi.json")
    assert status == 200
    assert json.loads(body) == openapi()
    validate(openapi())


def test_every_route_is_in_the_openapi_document_and_nothing_else() -> None:
    routes = {(template(row.path), row.method.lower()) for row in endpoints("1")}
    told = {(path, method) for path, methods in openapi()["paths"].items() for method in methods}
    assert routes == told
    names = [operation["operationId"] for methods in openapi()["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost:1", "LOCALHOST", "[::1]:99", "fleet.localhost:8255", "forewarn.example"]
)
def test_a_host_of_its_own_is_served(rig: Rig, host: str) -> None:
    assert rig.raw("GET", "/healthz", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.2",
        "",
        "forewarn.example.",
        "evil.example/x.localhost",
        "evil.example?.localhost",
        "me@evil.localhost",
        'a".localhost',
    ],
)
def test_a_foreign_host_is_refused(rig: Rig, host: str) -> None:
    assert rig.raw("GET", "/healthz", headers={"Host": host})[0] in (400, 421)


def test_a_body_has_one_length(rig: Rig) -> None:
    both = {"Host": "localhost", "Content-Length": "3", "Transfer-Encoding": "chunked"}
    assert rig.raw("GET", "/healthz", headers=both)[0] == 400


def test_a_request_from_a_foreign_page_is_refused(rig: Rig) -> None:
    headers = {"Origin": "https://evil.example"}
    assert rig.raw("POST", "/forewarn/v1/machines/db-0/restart", headers=headers)[0] == 403
    assert rig.get("/forewarn/v1/operations?all=true")["items"] == []


@pytest.mark.parametrize("origin", ["null", "http://127.0.0.1", "https://127.0.0.1:{port}"])
def test_only_its_own_origin_is_its_own(rig: Rig, origin: str) -> None:
    assert rig.raw("GET", "/healthz", headers={"Origin": origin.format(port=rig.port)})[0] == 403
    assert rig.raw("GET", "/healthz", headers={"Origin": rig.url})[0] == 200


def test_there_are_no_cors_headers_and_no_options(rig: Rig) -> None:
    status, _, headers = rig.raw("OPTIONS", "/forewarn/v1/events", headers={"Origin": rig.url})
    assert status == 405
    assert not [name for name in headers if name.startswith("access-control")]


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])
def test_a_body_must_say_that_it_is_json(rig: Rig, kind: str) -> None:
    body = b'{"type": "Reboot", "machines": ["db-0"]}'
    assert rig.raw("POST", "/forewarn/v1/events", body, {"Content-Type": kind})[0] == 415


@pytest.mark.parametrize(
    ("path", "length", "status"),
    [
        pytest.param("/forewarn/v1/clock/rate", 64 * 1024, 400, id="small-and-within"),
        pytest.param("/forewarn/v1/clock/rate", 64 * 1024 + 1, 413, id="small-and-beyond"),
        pytest.param("/forewarn/v1/events", 1024 * 1024, 400, id="large-and-within"),
        pytest.param("/forewarn/v1/events", 1024 * 1024 + 1, 413, id="large-and-beyond"),
    ],
)
def test_a_body_is_bounded(rig: Rig, path: str, length: int, status: int) -> None:
    assert rig.raw("POST", path, b" " * length, {"Content-Type": "application/json"})[0] == status


@pytest.mark.parametrize(
    "body", [b"{", b"\xff", b'"\\ud800"', b"[" * 60000, b'{"rate":' + b"1" * 50000 + b"}", b"\xef\xbb\xbf{}", b"nul"]
)
def test_what_is_not_json_is_refused_in_words(rig: Rig, body: bytes) -> None:
    status, answer, _ = rig.raw("POST", "/forewarn/v1/clock/rate", body, {"Content-Type": "application/json"})
    assert (status, json.loads(answer)["error"]["code"]) == (400, "Invalid")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/forewarn/v1", 404),
        ("GET", "/forewarn/v1/events/", 404),
        ("GET", "/forewarn/v2/events", 404),
        ("DELETE", "/forewarn/v1/events", 405),
        ("POST", "/healthz", 405),
        ("GET", "/forewarn/v1/clock/advance", 405),
        ("GET", "/forewarn/v1/events?colour=red", 400),
        ("GET", "/forewarn/v1/events?scope=a&scope=b", 400),
        ("GET", "/forewarn/v1/events?all=perhaps", 400),
        ("GET", "/healthz?x=1", 400),
        ("GET", "/forewarn/v1/machines?after=x", 400),
        ("GET", "/forewarn/v1/scopes/nowhere", 404),
        ("GET", "/forewarn/v1/operations/FFFF", 404),
    ],
)
def test_a_wrong_turn_is_told_so(rig: Rig, method: str, path: str, status: int) -> None:
    answered, value = rig.ask(method, path)
    assert answered == status
    assert set(value["error"]) == {"code", "message"}


def test_a_wrong_method_is_told_all_the_right_ones(rig: Rig) -> None:
    status, answer, headers = rig.raw("PUT", "/forewarn/v1/events")
    assert (status, headers["allow"]) == (405, "GET, HEAD, POST")
    assert json.loads(answer)["error"]["message"] == "Use GET, HEAD, POST for /forewarn/v1/events, not PUT."


def test_scopes_and_operations_are_listed(rig: Rig) -> None:
    rig.post("/forewarn/v1/machines/db-0/restart")
    assert [scope["id"] for scope in rig.get("/forewarn/v1/scopes")["items"]] == [
        "db",
        "solo",
        "spot",
        "twins",
        "web:0",
        "web:1",
    ]
    assert rig.get("/forewarn/v1/scopes/web:1")["scale_set"] == "web"
    assert [o["machines"] for o in rig.get("/forewarn/v1/operations?scope=db")["items"]] == [["db-0"]]
    assert rig.get("/forewarn/v1/operations?scope=solo")["items"] == []


def test_a_header_block_without_end_is_refused(rig: Rig) -> None:
    with socket.create_connection(("127.0.0.1", rig.port)) as sent:
        sent.settimeout(10)
        sent.sendall(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 17_000)
        assert sent.recv(100).startswith(b"HTTP/1.1 400 ")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["type", "machines", "scopes", "all", "notice", "pause", "by", "to", "rate", "why", "duration"]
)
WORDS = st.sampled_from(["Reboot", "db-0", "db", "15m", "next", "solo", "web", "0000", "PT0S", "\x00", "/"])


@pytest.fixture(scope="module")
def shared() -> Iterator[Rig]:
    with running() as rig:
        yield rig


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    row=st.sampled_from([row for row in endpoints("1") if row.method == "POST"]),
    name=WORDS,
    body=st.dictionaries(FIELDS, JSON | WORDS | st.lists(WORDS, max_size=2), max_size=4) | JSON,
)
def test_no_body_makes_the_server_fail(shared: Rig, row: Endpoint[Any, Any], name: str, body: object) -> None:
    path = template(row.path)
    for parameter in ("machine", "event", "campaign"):
        path = path.replace(f"{{{parameter}}}", name.replace("\x00", "%00").replace("/", "%2F"))
    status, answer, _ = shared.raw("POST", path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    assert status < 500, answer
