"""Beside Azure's contract: what this server is, and a machine that says of itself whether it is ready."""

import json
from typing import Any

import pytest

from forewarn import __version__
from forewarn.domain.errors import Conflict, Forbidden, Invalid, TooMany, Unavailable
from forewarn.imds import Limits, Rules
from forewarn.wire import answers
from tests.imds.world import PATH, REBOOT, Client, World, get, machine, post, request, serving

ABOUT = "/forewarn/v1/about"
READY = "/forewarn/v1/ready"
ASK = f"{READY}?event={REBOOT}"


def said(ready: object = True, event: object = REBOOT, **more: object) -> bytes:
    return json.dumps({"EventId": event, "Ready": ready, **more}).encode()


def told(world: World, raw: bytes, address: str = "127.0.0.1") -> tuple[int, Any]:
    response = world.ask(raw, address)
    assert response.fields["content-type"] == answers.JSON
    return response.status, json.loads(response.body)


def test_about_says_that_this_is_forewarn_and_how_long_it_lets_wait(world: World) -> None:
    assert told(world, get(ABOUT)) == (200, {"forewarn": __version__, "wait": 300, "ready": True})
    with serving(limits=Limits(wait=7)) as other:
        assert told(other, get(f"{ABOUT}/"))[1]["wait"] == 7


def test_a_machine_says_that_it_is_ready_and_hears_who_else_is(world: World) -> None:
    standing = {"EventId": REBOOT, "Resources": ["vm1", "vm2"], "Ready": ["vm1"]}
    assert told(world, post(said(), READY)) == (200, standing)
    assert told(world, get(ASK)) == (200, standing)
    assert told(world, get(ASK.lower())) == (200, standing)
    assert world.backend.said == [("alpha", REBOOT, "vm1", True)]


def test_a_question_says_nothing(world: World) -> None:
    assert told(world, get(ASK)) == (200, {"EventId": REBOOT, "Resources": ["vm1", "vm2"], "Ready": []})
    assert world.backend.said == []
    assert world.server.take_seen() == {}, "only who asks for the document listens"


@pytest.mark.parametrize(
    "more",
    [
        {"Machine": "vm2"},
        {"machine": "vm2", "scope": "beta"},
        {"Resources": ["vm2"]},
        {"EventID": "other", "READY": False},
    ],
    ids=json.dumps,
)
def test_who_speaks_is_never_read_from_the_body(world: World, more: dict[str, object]) -> None:
    assert told(world, post(said(**more), READY, "X-Machine: vm2"))[0] == 200
    assert world.backend.said == [("alpha", REBOOT, "vm1", True)]


def test_who_speaks_is_who_asks() -> None:
    here = [machine("vm1", "alpha", "127.0.0.5"), machine("vm2", "alpha", "127.0.0.6")]
    with serving(machines=here) as world:
        assert told(
            world, request("POST", READY, f"Content-Length: {len(said())}", host="127.0.0.6") + said(), "127.0.0.6"
        )
        assert [name for _, _, name, _ in world.backend.said] == ["vm2"]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="half"),
        pytest.param(b"[]", id="a list"),
        pytest.param(b"{}", id="empty"),
        pytest.param(said().replace(b"Ready", b"ready"), id="another spelling"),
        pytest.param(said("true"), id="a text for a truth"),
        pytest.param(said(1), id="a number for a truth"),
        pytest.param(said(None), id="null"),
        pytest.param(said(event=5), id="a number for an event"),
        pytest.param(said(event=""), id="no event"),
        pytest.param(b"\xff" + said(), id="not UTF-8"),
        pytest.param(b"[" * 60_000, id="nested too deeply"),
    ],
)
def test_what_is_not_understood(world: World, body: bytes) -> None:
    status, answer = told(world, post(body, READY))
    assert (status, list(answer)) == (400, ["error"])
    assert world.backend.said == []


@pytest.mark.parametrize("path", [READY, f"{READY}?event=", f"{READY}?Id={REBOOT}"])
def test_a_question_names_its_event(world: World, path: str) -> None:
    assert told(world, get(path))[0] == 400


@pytest.mark.parametrize(
    ("raw", "status", "body"),
    [
        pytest.param(get(ABOUT, metadata=None), 400, answers.MISSING_HEADER.body, id="about without the header"),
        pytest.param(get(ASK, metadata=None), 400, answers.MISSING_HEADER.body, id="question without the header"),
        pytest.param(
            post(said(), READY, metadata=None), 400, answers.MISSING_HEADER.body, id="word without the header"
        ),
        pytest.param(get(ABOUT, "X-Forwarded-For: a"), 400, answers.FORWARDED.body, id="about for another"),
        pytest.param(get(ASK, "Forwarded: for=a"), 400, answers.FORWARDED.body, id="question for another"),
        pytest.param(post(said(), READY, "X-Forwarded-For: a"), 400, answers.FORWARDED.body, id="word for another"),
        pytest.param(post(said(), READY, "Via: 1.1 a"), 400, answers.FORWARDED.body, id="word through another"),
        pytest.param(post(b"{}", ABOUT), 405, answers.method_not_allowed("GET").body, id="POST about"),
        pytest.param(request("PUT", READY), 405, answers.method_not_allowed("GET", "POST").body, id="PUT"),
        pytest.param(request("DELETE", ASK), 405, answers.method_not_allowed("GET", "POST").body, id="DELETE"),
        pytest.param(request("OPTIONS", READY), 405, answers.method_not_allowed("GET", "POST").body, id="OPTIONS"),
        pytest.param(get("/forewarn"), 404, answers.OUTSIDE_METADATA.body, id="above"),
        pytest.param(get("/forewarn/v1/events"), 404, answers.OUTSIDE_METADATA.body, id="the control plane's"),
        pytest.param(get("/forewarn/v1/ready/x"), 404, answers.OUTSIDE_METADATA.body, id="below"),
        pytest.param(get("/Forewarn/v1/ready"), 404, answers.OUTSIDE_METADATA.body, id="another case"),
    ],
)
def test_refused(world: World, raw: bytes, status: int, body: bytes) -> None:
    response = world.ask(raw)
    assert (response.status, response.body) == (status, body)
    assert world.backend.said == []


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        pytest.param(get(ASK, host="evil.example"), 400, id="another's name"),
        pytest.param(get(f"{ASK}&event=x"), 400, id="two events"),
        pytest.param(get("/forewarn/v1/../v1/ready"), 400, id="dot-dot"),
        pytest.param(get("/forewarn%2Fv1/ready"), 400, id="encoded slash"),
        pytest.param(get(f"{READY}?event={'a' * 2048}"), 414, id="a long id"),
        pytest.param(request("POST", READY, "Content-Length: 65537"), 413, id="a long body"),
        pytest.param(request("POST", READY, "Content-Length: 2", "Transfer-Encoding: chunked") + b"{}", 400, id="two"),
    ],
)
def test_refused_and_closed(world: World, raw: bytes, status: int) -> None:
    with world.connect() as client:
        client.send(raw)
        response = client.receive()
        assert (response.status, response.fields["connection"]) == (status, "close")
        assert client.is_closed()


def test_an_unknown_caller_is_told_nothing() -> None:
    with serving(machines=()) as world:
        for raw in (get(ABOUT), get(ASK), post(said(), READY)):
            assert world.ask(raw).body == answers.UNKNOWN_CALLER.body


def test_a_host_that_wants_the_header_exactly_wants_it_here_too() -> None:
    with serving(rules=Rules(exact_metadata_value=True)) as world:
        assert world.ask(get(ABOUT, metadata="True")).status == 400
        assert world.ask(get(ABOUT)).status == 200


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        pytest.param(Forbidden("not yours"), 403, id="not its own"),
        pytest.param(Conflict("too late"), 409, id="too late"),
        pytest.param(Invalid("no"), 400, id="refused"),
        pytest.param(TooMany("enough"), 429, id="too many"),
        pytest.param(Unavailable("the store is away"), 410, id="try again later"),
        pytest.param(RuntimeError("the secret is 42"), 500, id="a fault"),
    ],
)
def test_what_the_backend_cannot_do(world: World, failure: Exception, status: int) -> None:
    world.backend.failure = failure
    answered, answer = told(world, post(said(), READY))
    assert (answered, list(answer)) == (status, ["error"])
    assert "42" not in answer["error"]


def test_an_event_that_is_not_there_is_named_in_short(world: World) -> None:
    status, answer = told(world, post(said(event="x" * 60_000), READY))
    assert status == 404
    assert len(answer["error"]) <= 300


def test_a_machine_that_asks_too_often_is_told_so_and_others_are_not() -> None:
    here = [machine("vm1", "alpha", "127.0.0.5"), machine("vm2", "alpha", "127.0.0.6")]
    with (
        serving(machines=here, limits=Limits(readiness=2.0)) as world,
        world.connect("127.0.0.5") as one,
        world.connect("127.0.0.6") as other,
    ):
        assert [_asked(one, "127.0.0.5", ASK) for _ in range(3)] == [200, 200, 429]
        assert _asked(other, "127.0.0.6", ASK) == 200
        assert _asked(one, "127.0.0.5", PATH) == 200, "the document has nothing to do with it"
        world.pass_time(1.0)
        assert _asked(one, "127.0.0.5", ASK) == 200


def _asked(client: Client, host: str, path: str) -> int:
    client.send(get(path, host=host))
    return client.receive().status


def test_answers_come_in_order_and_others_are_served_meanwhile(world: World) -> None:
    world.do(world.backend.open.clear)
    with world.connect() as busy, world.connect() as other:
        busy.send(post(said(), READY) + get())
        other.send(get())
        assert other.receive().status == 200
        world.do(world.backend.open.set)
        assert b"Ready" in busy.receive().body
        assert b"DocumentIncarnation" in busy.receive().body
