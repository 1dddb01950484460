"""POST: what clients send to approve, with all the accents they have."""

import json

import pytest

from forewarn.domain.errors import Conflict, TooMany, Unavailable
from forewarn.wire import answers
from tests.imds.world import PATH, REBOOT, World, get, post, request, serving

APPROVAL = b'{"StartRequests":[{"EventId":"%s"}]}' % REBOOT.encode()
PREVIEW = "/metadata/scheduledevents?api-version=2017-03-01"


def test_an_approval_is_passed_on_and_answered_with_nothing(world: World) -> None:
    response = world.ask(post(APPROVAL))
    assert (response.status, response.body, response.fields["content-length"]) == (200, b"", "0")
    assert "content-type" not in response.fields
    assert "etag" not in response.fields
    assert world.backend.approved == [("alpha", (REBOOT,), "machine:vm1")]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        pytest.param(APPROVAL, ("Content-Type: application/json",), id="JSON"),
        pytest.param(APPROVAL, ("Content-Type: application/x-www-form-urlencoded",), id="curl -d"),
        pytest.param(b"\xef\xbb\xbf" + APPROVAL, (), id="BOM"),
        pytest.param(json.dumps(json.loads(APPROVAL), indent=4).encode(), (), id="indented"),
        pytest.param(APPROVAL.replace(b"{", b'{"DocumentIncarnation":5,', 1), (), id="incarnation as a number"),
        pytest.param(APPROVAL.replace(b"{", b'{"DocumentIncarnation":"5",', 1), (), id="incarnation as a string"),
        pytest.param(
            APPROVAL.lower().replace(b"startrequests", b"StartRequests").replace(b"eventid", b"EventId"),
            (),
            id="id in lower case",
        ),
        pytest.param(APPROVAL, ('If-None-Match: "2"',), id="condition, which is for GET"),
        pytest.param(APPROVAL, ("Connection: Keep-Alive",), id="keep-alive"),
    ],
)
def test_what_clients_send(world: World, body: bytes, fields: tuple[str, ...]) -> None:
    assert world.ask(post(body, PATH, *fields)).status == 200
    assert world.backend.approved == [("alpha", (REBOOT,), "machine:vm1")]


def test_a_chunked_approval(world: World) -> None:
    head = request("POST", PATH, "Transfer-Encoding: chunked")
    body = b"%x\r\n%b\r\n0\r\n\r\n" % (len(APPROVAL), APPROVAL)
    assert world.ask(head + body).status == 200
    assert world.backend.approved


def test_a_client_that_asks_before_it_sends_its_body(world: World) -> None:
    with world.connect() as client:
        client.send(request("POST", PATH, f"Content-Length: {len(APPROVAL)}", "Expect: 100-continue"))
        assert client.receive().status == 100
        client.send(APPROVAL)
        assert client.receive().status == 200


def test_a_client_of_http_1_0_is_not_told_to_continue(world: World) -> None:
    with world.connect() as client:
        client.send(request("POST", PATH, f"Content-Length: {len(APPROVAL)}", "Expect: 100-continue", version="1.0"))
        client.send(APPROVAL)
        assert client.receive().status == 200


@pytest.mark.parametrize("path", [PREVIEW, "/metadata/latest/scheduledevents", "/metadata/2017-03-01/scheduledevents"])
def test_the_preview_needs_no_header_to_approve(world: World, path: str) -> None:
    assert world.ask(post(APPROVAL, path, metadata=None)).status == 200
    assert world.ask(get(path, metadata=None)).status == 400, "but to read"


def test_later_versions_do(world: World) -> None:
    assert world.ask(post(APPROVAL, metadata=None)).body == answers.MISSING_HEADER.body
    assert world.ask(post(APPROVAL, PREVIEW, "X-Forwarded-For: a", metadata=None)).status == 400
    assert world.backend.approved == []


def test_several_events_on_another_version(world: World) -> None:
    world.backend.known |= {"A", "B"}
    body = b'{"StartRequests":[{"EventId":"a"},{"EventId":"B","Why":"not"},{"EventId":"A"}]}'
    assert world.ask(post(body, PATH.replace("2020-07-01", "2019-08-01"))).status == 200
    assert world.backend.approved == [("alpha", ("A", "B"), "machine:vm1")]


def test_an_unknown_event_is_named_and_the_others_are_approved(world: World) -> None:
    response = world.ask(post(b'{"StartRequests":[{"EventId":"nope"},{"EventId":"%s"}]}' % REBOOT.encode()))
    assert (response.status, response.body) == (400, answers.unknown_events(["NOPE"]).body)
    assert world.backend.approved == [("alpha", ("NOPE", REBOOT), "machine:vm1")]


@pytest.mark.parametrize(
    ("failure", "status"),
    [
        pytest.param(Unavailable("the store is away"), 410, id="try again later"),
        pytest.param(TooMany("enough"), 429, id="too many"),
        pytest.param(Conflict("no"), 400, id="refused"),
        pytest.param(RuntimeError("the secret is 42"), 500, id="a fault"),
    ],
)
def test_what_the_backend_cannot_do(world: World, failure: Exception, status: int) -> None:
    world.backend.failure = failure
    with world.connect() as client:
        client.send(post(APPROVAL))
        response = client.receive()
        assert response.status == status
        assert b"42" not in response.body
        world.backend.failure = None
        client.send(post(APPROVAL))
        assert client.receive().status == 200


def test_others_are_served_while_the_backend_is_busy(world: World) -> None:
    world.do(world.backend.open.clear)
    with world.connect() as busy, world.connect() as other:
        busy.send(post(APPROVAL) + get())
        for _ in range(3):
            other.send(get())
            assert other.receive().status == 200
        world.do(world.backend.open.set)
        assert [busy.receive().body == b"", busy.receive().body != b""] == [True, True], "answers come in order"


def test_an_approval_outlives_its_client(world: World) -> None:
    world.do(world.backend.open.clear)
    with world.connect() as client:
        client.send(post(APPROVAL))
        world.until(lambda: world.server.connections == 1)
    world.do(world.backend.open.set)
    world.until(lambda: bool(world.backend.approved))


def test_a_client_that_has_said_everything_still_gets_its_answers(world: World) -> None:
    world.do(world.backend.open.clear)
    with world.connect() as client:
        client.send(post(APPROVAL) + get())
        client.socket.shutdown(1)
        world.do(world.backend.open.set)
        assert [client.receive().status, client.receive().status] == [200, 200]
        assert client.is_closed()


def test_what_is_under_way_is_answered_before_the_server_ends() -> None:
    with serving() as world:
        world.do(world.backend.open.clear)
        client = world.connect()
        client.send(post(APPROVAL))
        world.until(lambda: world.server.connections == 1)
    with client:
        assert client.receive().status == 200
        assert client.is_closed()
