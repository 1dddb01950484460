"""Each kind of fault, as a client meets it on a real socket."""

import asyncio
import json
import socket
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import uvloop
from msgspec.structs import replace

from forewarn.domain.events import Announcement, Phase
from forewarn.domain.faults import Asked, FaultKind
from tests.imds.test_approvals import APPROVAL
from tests.imds.world import (
    PATH,
    REBOOT,
    Client,
    Response,
    World,
    announcement,
    document,
    get,
    machine,
    post,
    request,
    trying,
)

SOON = timedelta(seconds=0.02)
OTHER = "11111111-A741-474D-A72E-428C86FCD853"
LOOPS = {"uvloop": uvloop.new_event_loop, "asyncio": asyncio.new_event_loop}


def told(response: Response) -> tuple[int, list[str]]:
    """Incarnation and events."""
    value = json.loads(response.body)
    return value["DocumentIncarnation"], [event["EventId"] for event in value["Events"]]


def started(event: Announcement) -> Announcement:
    return replace(event, phase=Phase.STARTED, not_before=None)


@pytest.fixture
def world() -> Iterator[World]:
    """One machine, vm1, with one scheduled reboot at incarnation 2; and a playbook."""
    with trying() as world:
        yield world


@pytest.fixture(params=LOOPS)
def either(request: pytest.FixtureRequest) -> Iterator[World]:
    """The same world, on each event loop."""
    with trying(new_loop=LOOPS[request.param]) as world:
        yield world


# Instead of an answer.


@pytest.mark.parametrize("status", [304, 400, 404, 410, 429, 500, 503])
def test_a_status_is_answered_on_a_connection_that_stays(world: World, status: int) -> None:
    world.fault(FaultKind.STATUS, status=status, requests=2)
    with world.connect() as client:
        for expected in (status, status, 200):
            client.send(get())
            assert client.receive().status == expected


def test_what_azure_answers_itself_is_answered_in_its_words(world: World) -> None:
    world.fault(FaultKind.STATUS, status=410)
    assert b"within 70 seconds" in world.ask(get()).body


def test_a_status_can_say_when_to_come_again(world: World) -> None:
    world.fault(FaultKind.STATUS, status=429, by=timedelta(seconds=30))
    assert world.ask(get()).fields["retry-after"] == "30"


def test_nothing_is_done_where_a_status_is_answered(world: World) -> None:
    world.fault(FaultKind.STATUS, status=500, requests=1)
    assert world.ask(post(APPROVAL)).status == 500
    assert world.backend.approved == []
    assert world.ask(post(APPROVAL)).status == 200
    assert len(world.backend.approved) == 1


def test_a_head_has_no_body_also_with_a_fault(world: World) -> None:
    world.fault(FaultKind.STATUS, status=503)
    with world.connect() as client:
        client.send(request("HEAD") + get())
        assert client.receive(to_head=True).status == 503
        assert client.receive().status == 503


def test_an_empty_answer_is_a_200_and_nothing_is_done(world: World) -> None:
    world.fault(FaultKind.EMPTY)
    with world.connect() as client:
        for raw in (get(), get(PATH, 'If-None-Match: "2"'), post(APPROVAL)):
            client.send(raw)
            response = client.receive()
            assert (response.status, response.body) == (200, b"")
    assert world.backend.approved == []


def test_a_page_of_html_in_the_place_of_the_document(world: World) -> None:
    world.fault(FaultKind.NOT_JSON)
    response = world.ask(get())
    assert (response.status, response.fields["content-type"]) == (200, "text/html")
    assert response.body.startswith(b"<!DOCTYPE html>")


# The connection.


def test_a_reset_is_one_for_the_client(either: World) -> None:
    either.fault(FaultKind.RESET, requests=1)
    with either.connect() as client:
        client.send(get() + get())
        with pytest.raises(ConnectionResetError):
            client.socket.recv(65536)
    assert either.ask(get()).status == 200
    either.until(lambda: either.server.connections == 0)


def test_a_hung_request_is_never_answered_and_others_are(either: World) -> None:
    either.do(lambda: either.book.log(on=True))
    either.fault(FaultKind.HANG, requests=1)
    with either.connect() as hung:
        hung.send(get() + get())
        either.until(lambda: either.book.spoilt("1") == 1)
        assert either.ask(get()).status == 200
        either.pass_time(3600)
        hung.send(get() * 10_000)
        either.until(lambda: either.server.connections == 1)
        hung.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            hung.socket.recv(1)
    either.until(lambda: either.server.connections == 0)  # it does not outlive its client
    assert [seen.status for seen in either.log()] == [None, 200]


def test_a_server_with_hung_and_delayed_clients_ends_at_once() -> None:
    began = time.monotonic()
    with trying() as world:
        world.fault(FaultKind.HANG, asked=Asked.POLL)
        world.fault(FaultKind.DELAY, by=timedelta(minutes=10), asked=Asked.APPROVAL)
        clients = [world.connect(), world.connect()]
        for client, raw in zip(clients, (get(), post(APPROVAL)), strict=True):
            client.send(raw)
        world.until(lambda: sum(map(world.book.spoilt, "12")) == 2)
    for client in clients:
        with client:
            assert client.is_closed()
    assert time.monotonic() - began < 9  # else it waits for them as for slow readers


def test_a_truncated_answer_promises_more_than_comes(either: World) -> None:
    either.fault(FaultKind.TRUNCATED, requests=1)
    with either.connect() as client:
        client.send(get() + get())
        head, _, body = _all(client).partition(b"\r\n\r\n")
    response = Response(head, body)
    assert (response.status, len(body)) == (200, int(response.fields["content-length"]) // 2)


def test_an_answer_without_a_body_is_cut_in_its_head_and_what_was_asked_is_done(world: World) -> None:
    world.fault(FaultKind.TRUNCATED, requests=1)
    with world.connect() as client:
        client.send(post(APPROVAL))
        came = _all(client)
    assert came.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\n\r\n" not in came
    assert len(world.backend.approved) == 1


def _all(client: Client) -> bytes:
    came = b""
    while more := client.socket.recv(65536):
        came += more
    return came


# Late.


def test_a_delayed_answer_comes_late(either: World) -> None:
    either.fault(FaultKind.DELAY, by=timedelta(seconds=0.1))
    began = time.monotonic()
    assert either.ask(get()).status == 200
    assert time.monotonic() - began >= 0.1


def test_a_delay_holds_up_nobody_else(either: World) -> None:
    either.fault(FaultKind.DELAY, by=timedelta(minutes=10), requests=1)
    with either.connect() as late:
        late.send(get())
        either.until(lambda: either.book.spoilt("1") == 1)
        assert [either.ask(get()).status for _ in range(3)] == [200, 200, 200]
        late.socket.setblocking(False)
        with pytest.raises(BlockingIOError):
            late.socket.recv(1)


def test_what_comes_after_a_delayed_request_waits_its_turn(world: World) -> None:
    world.fault(FaultKind.DELAY, by=SOON, requests=2)
    with world.connect() as client:
        client.send(get() + post(APPROVAL) + get("/metadata/versions"))
        client.send(get())
        assert [b"Reboot" in client.receive().body for _ in range(4)] == [True, False, False, True]


def test_a_delayed_answer_is_what_is_true_when_it_comes(world: World) -> None:
    world.fault(FaultKind.DELAY, by=SOON)
    world.do(lambda: world.book.on_request(lambda seen: world.fleet.publish(documents=[document("alpha", 3)])))
    assert told(world.ask(get())) == (3, [])


def test_a_client_that_does_not_wait_for_a_delayed_answer_is_forgotten(either: World) -> None:
    either.fault(FaultKind.DELAY, by=timedelta(minutes=10), asked=Asked.POLL)
    with either.connect() as client:
        client.send(get())
        either.until(lambda: either.book.spoilt("1") == 1)
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    either.until(lambda: either.server.connections == 0)


def test_a_client_that_has_said_all_still_gets_its_delayed_answer(either: World) -> None:
    either.fault(FaultKind.DELAY, by=SOON)
    with either.connect() as client:
        client.send(get())
        client.socket.shutdown(socket.SHUT_WR)
        assert client.receive().status == 200
        assert client.is_closed()


def test_a_machine_that_leaves_during_a_delay_is_told_so(world: World) -> None:
    world.do(lambda: world.fleet.publish(machines=[machine("vm2", "beta")]))
    world.fault(FaultKind.DELAY, by=SOON)
    world.do(lambda: world.book.on_request(lambda seen: world.fleet.publish(gone=[("alpha", "vm1")])))
    assert world.ask(get(host="vm1.localhost")).status == 403


def test_the_first_call_is_slow(world: World) -> None:
    world.do(lambda: world.book.log(on=True))
    world.fault(FaultKind.DELAY, by=SOON, requests=1, asked=Asked.POLL)
    for raw in (get("/metadata/versions"), get(), get()):
        assert world.ask(raw).status == 200
    assert [seen.faults for seen in world.log()] == [(), ("delay",), ()]


# What the head says.


@pytest.mark.parametrize(
    ("kind", "how", "name", "value"),
    [
        pytest.param(FaultKind.CONTENT_TYPE, {}, "content-type", "text/plain", id="text"),
        pytest.param(FaultKind.CONTENT_TYPE, {"value": "a/b"}, "content-type", "a/b", id="as-told"),
        pytest.param(
            FaultKind.SKEWED_DATE, {"by": timedelta(hours=1)}, "date", "Thu, 22 Jul 2021 05:35:17 GMT", id="late"
        ),
        pytest.param(
            FaultKind.SKEWED_DATE, {"by": timedelta(hours=-5)}, "date", "Wed, 21 Jul 2021 23:35:17 GMT", id="early"
        ),
        pytest.param(FaultKind.NO_DATE, {}, "date", None, id="none"),
    ],
)
def test_one_line_of_the_head_is_another(
    world: World, kind: FaultKind, how: dict[str, Any], name: str, value: str | None
) -> None:
    right = world.ask(get())
    world.fault(kind, **how)
    wrong = world.ask(get())
    assert wrong.body == right.body
    assert wrong.fields.pop(name, None) == value
    assert {**wrong.fields, "x-ms-request-id": ""} == {
        **{key: told for key, told in right.fields.items() if key != name},
        "x-ms-request-id": "",
    }


# Which document.


def test_a_stale_document_is_the_one_there_was(world: World) -> None:
    world.fault(FaultKind.STALE, by=timedelta(minutes=5))
    for minutes, incarnation in ((10, 3), (12, 4)):
        world.at(minutes)
        world.publish(document("alpha", incarnation))
    seen = []
    for minutes in (12, 15, 16, 17):
        world.at(minutes)
        seen.append(told(world.ask(get()))[0])
    assert seen == [2, 3, 3, 4]


def test_nobody_knows_what_was_before_the_playbook(world: World) -> None:
    world.fault(FaultKind.STALE, by=timedelta(days=300))
    assert told(world.ask(get())) == (2, [REBOOT])


def test_reordered_documents_go_forth_and_back(world: World) -> None:
    world.fault(FaultKind.REORDERED)
    assert [told(world.ask(get()))[0] for _ in range(3)] == [2, 2, 2]
    world.publish(document("alpha", 3))
    assert [told(world.ask(get()))[0] for _ in range(4)] == [2, 3, 2, 3]


def test_a_repeated_incarnation_has_other_events(world: World) -> None:
    world.fault(FaultKind.REPEATED)
    assert told(world.ask(get())) == (2, [REBOOT])
    world.publish(document("alpha", 3, announcement(OTHER)))
    assert told(world.ask(get())) == (2, [OTHER])
    world.publish(document("alpha", 4))
    response = world.ask(get(PATH, 'If-None-Match: "2"'))
    assert (told(response), response.fields["etag"]) == ((2, []), '"2"')
    assert world.ask(get(PATH, 'If-None-Match: "2"')).status == 304


def test_incarnations_are_counted_anew() -> None:
    with trying(documents=[document("alpha", 7, announcement())]) as world:
        world.fault(FaultKind.RESTARTED)
        assert told(world.ask(get())) == (1, [REBOOT])
        world.publish(document("alpha", 8))
        assert told(world.ask(get())) == (2, [])
        world.do(world.book.clear)
        assert told(world.ask(get())) == (8, [])


def test_a_condition_is_not_taken_for_another_document_of_that_number() -> None:
    """The client has the real 2; meanwhile 3 is told as 2."""
    with trying(documents=[document("alpha", 2)]) as world:
        world.fault(FaultKind.RESTARTED)
        world.publish(document("alpha", 3, announcement()))
        assert told(world.ask(get(PATH, 'If-None-Match: "2"'))) == (2, [REBOOT])


# What of it.


@pytest.mark.parametrize("by", [timedelta(minutes=5), timedelta(minutes=-5)], ids=["late", "early"])
def test_not_before_is_told_wrong(world: World, by: timedelta) -> None:
    world.publish(document("alpha", 3, announcement(), started(announcement(OTHER))))
    world.fault(FaultKind.SKEWED_NOT_BEFORE, by=by)
    minute = 50 + int(by / timedelta(minutes=1))
    told = [event["NotBefore"] for event in json.loads(world.ask(get()).body)["Events"]]
    assert told == [f"Thu, 22 Jul 2021 04:{minute}:17 GMT", ""]


def test_an_event_is_not_told_before_it_has_started() -> None:
    with trying(documents=[document("alpha", 2)]) as world:
        world.fault(FaultKind.NO_NOTICE)
        assert told(world.ask(get())) == (2, [])
        world.publish(document("alpha", 3, announcement()))
        assert told(world.ask(get())) == (2, [])
        world.publish(document("alpha", 4, started(announcement())))
        assert told(world.ask(get())) == (4, [REBOOT])
        world.publish(document("alpha", 5))
        assert told(world.ask(get())) == (5, [])


def test_an_event_that_was_told_already_is_not_taken_back(world: World) -> None:
    world.fault(FaultKind.NO_NOTICE)
    world.publish(document("alpha", 3, announcement(), announcement(OTHER)))
    assert told(world.ask(get())) == (2, [REBOOT])


def test_notice_is_cut_short() -> None:
    """Two events, scheduled one after the other, for 15 and for 20 minutes from now."""
    with trying(documents=[document("alpha", 2)]) as world:
        first = announcement()
        assert first.not_before is not None
        second = replace(announcement(OTHER), not_before=first.not_before + timedelta(minutes=5))
        world.fault(FaultKind.SHORT_NOTICE, by=timedelta(minutes=2))
        seen = []
        for minutes, published in ((0, document("alpha", 3, first)), (1, document("alpha", 4, first, second))):
            world.at(minutes)
            world.publish(published)
            seen.append(told(world.ask(get())))
        for later in (12.9, 13, 17.9, 18):
            world.at(later)
            seen.append(told(world.ask(get())))
        assert seen == [
            (2, []),
            (2, []),
            (2, []),
            (3, [REBOOT]),
            (3, [REBOOT]),
            (4, [REBOOT, OTHER]),
        ]
