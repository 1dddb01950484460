"""Connections: how long they last, what they may cost, and that they never mix up their answers."""

import asyncio
import socket

import pytest
import uvloop

from forewarn.imds import Limits
from tests.imds.test_approvals import APPROVAL
from tests.imds.world import PATH, World, get, machine, post, request, serving

BOTH_LOOPS = pytest.mark.parametrize(
    "new_loop", [uvloop.new_event_loop, asyncio.new_event_loop], ids=["uvloop", "asyncio"]
)


@pytest.mark.parametrize(
    ("version", "connection", "said", "stays"),
    [
        ("1.1", None, None, True),
        ("1.1", "keep-alive", None, True),
        ("1.1", "close", "close", False),
        ("1.1", "Close", "close", False),
        ("1.0", None, "close", False),
        ("1.0", "keep-alive", "keep-alive", True),
    ],
)
@pytest.mark.parametrize("path", [PATH, "/metadata/versions", "/metadata/none"])
def test_how_a_connection_ends(
    world: World, version: str, connection: str | None, said: str | None, stays: bool, path: str
) -> None:
    fields = [f"Connection: {connection}"] if connection else []
    with world.connect() as client:
        for _ in range(2 if stays else 1):
            client.send(get(path, *fields, version=version))
            assert client.receive().fields.get("connection") == said
        if not stays:
            assert client.is_closed()


def test_an_approval_may_close_its_connection_too(world: World) -> None:
    with world.connect() as client:
        client.send(post(APPROVAL, PATH, "Connection: close"))
        assert client.receive().fields["connection"] == "close"
        assert client.is_closed()


@BOTH_LOOPS
def test_pipelined_requests_are_answered_in_order(new_loop: type[asyncio.AbstractEventLoop]) -> None:
    paths = [PATH, "/metadata/versions", "/metadata/none", "/outside", PATH + "&wait=3"] * 40
    with serving(new_loop=new_loop) as world:
        alone = [world.ask(get(path)) for path in paths]
        with world.connect() as client:
            client.send(b"".join(get(path) + post(APPROVAL) for path in paths))
            for expected in alone:
                assert client.receive() == expected
                assert client.receive().body == b""


@BOTH_LOOPS
@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(get(PATH, "If-None-Match: 1"), id="GET"),
        pytest.param(post(APPROVAL), id="POST"),
        pytest.param(
            request("POST", PATH, "Transfer-Encoding: chunked") + b"%x\r\n%b\r\n0\r\n\r\n" % (len(APPROVAL), APPROVAL),
            id="chunked POST",
        ),
        pytest.param(get() + get("/metadata/versions"), id="two GETs"),
    ],
)
def test_a_cut_anywhere_changes_nothing(new_loop: type[asyncio.AbstractEventLoop], raw: bytes) -> None:
    answers = 2 if raw.count(b"GET") == 2 else 1
    with serving(new_loop=new_loop) as world, world.connect() as client:
        client.send(raw)
        whole = [client.receive() for _ in range(answers)]
        for cut in range(1, len(raw)):
            client.send(raw[:cut])
            world.do(lambda: None)
            client.send(raw[cut:])
            assert [client.receive() for _ in range(answers)] == whole
        for byte in raw:
            client.send(bytes([byte]))
        assert [client.receive() for _ in range(answers)] == whole


@BOTH_LOOPS
@pytest.mark.parametrize(
    ("start", "seconds", "status"),
    [
        pytest.param(b"GET /meta", 5, 408, id="head"),
        pytest.param(get()[:-2], 5, 408, id="nearly all of the head"),
        pytest.param(post(APPROVAL)[:-1], 5, 408, id="nearly all of the body"),
        pytest.param(request("POST", PATH, "Transfer-Encoding: chunked") + b"5\r\nhel", 5, 408, id="chunk"),
        pytest.param(b"", 75, None, id="idle"),
    ],
)
def test_a_slow_sender_is_cut(
    new_loop: type[asyncio.AbstractEventLoop], start: bytes, seconds: float, status: int | None
) -> None:
    with serving(new_loop=new_loop) as world, world.connect() as client:
        client.send(get() + start)
        assert client.receive().status == 200
        world.pass_time(seconds - 1)
        assert world.server.connections == 1
        world.pass_time(1)
        if status is not None:
            assert client.receive().status == status
        assert client.is_closed()


def test_a_head_has_its_time_in_total_however_often_a_byte_comes(world: World) -> None:
    with world.connect() as client:
        client.send(get() + b"GET ")
        assert client.receive().status == 200
        for _ in range(4):
            world.pass_time(1)
            client.send(b"/")
            world.do(lambda: None)
        world.pass_time(1)
        assert client.receive().status == 408


def test_a_client_that_says_nothing_is_let_go(world: World) -> None:
    with world.connect() as client:
        world.until(lambda: world.server.connections == 1)
        world.pass_time(5)
        assert client.is_closed()


@BOTH_LOOPS
def test_a_client_that_never_reads_costs_little_and_is_let_go(new_loop: type[asyncio.AbstractEventLoop]) -> None:
    raw = get("/metadata/instance?api-version=2021-02-01") * 50
    with serving(new_loop=new_loop) as world, world.connect() as deaf, world.connect() as other:
        deaf.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.socket.setblocking(False)
        sent = 0
        while (just := _send(deaf.socket, raw)) or not _is_stuck(world):
            sent += just
            assert sent < 32 * 1024 * 1024, "the server reads without end"
        other.send(get())
        assert other.receive().status == 200
        world.pass_time(10)
        world.until(lambda: world.server.connections == 1)
        other.send(get())
        assert other.receive().status == 200


def _send(connection: socket.socket, raw: bytes) -> int:
    try:
        return connection.send(raw)
    except BlockingIOError:
        return 0


def _is_stuck(world: World) -> bool:
    """Whether the server gives no more answers to what it got."""
    before = world.server.answers
    for _ in range(3):
        world.do(lambda: None)
    return world.server.answers == before


def test_a_client_that_reads_late_gets_everything(world: World) -> None:
    count = 4000
    with world.connect() as client:
        client.send(get() * count)
        assert all(client.receive().status == 200 for _ in range(count))


def test_who_is_refused_can_still_read_why(world: World) -> None:
    with world.connect() as client:
        client.send(b"nonsense\r\n" + b"x" * 500_000)
        assert client.receive().status == 400
        assert client.is_closed()


def test_who_does_not_leave_after_a_refusal_is_put_out(world: World) -> None:
    with world.connect() as client:
        client.send(b"nonsense\r\n")
        assert client.receive().status == 400
        assert world.server.connections == 1
        world.pass_time(2)
        world.until(lambda: world.server.connections == 0)


def test_the_newest_connection_of_a_machine_is_shed() -> None:
    machines = [machine("vm1", address="127.0.0.2"), machine("vm2", address="127.0.0.3")]
    with serving(machines=machines, limits=Limits(connections_per_machine=2)) as world:
        clients = [world.connect("127.0.0.2") for _ in range(2)]
        world.until(lambda: world.server.connections == 2)
        with world.connect("127.0.0.2") as newest, world.connect("127.0.0.3") as neighbour:
            assert newest.is_closed()
            neighbour.send(get(host="127.0.0.3"))
            assert neighbour.receive().status == 200
        for client in clients:
            with client:
                client.send(get(host="127.0.0.2"))
                assert client.receive().status == 200
        world.until(lambda: world.server.connections == 0)
        with world.connect("127.0.0.2") as again:
            again.send(get(host="127.0.0.2"))
            assert again.receive().status == 200


def test_the_newest_connection_of_all_is_shed() -> None:
    with serving(limits=Limits(connections=1)) as world, world.connect() as oldest:
        world.until(lambda: world.server.connections == 1)
        with world.connect() as newest:
            assert newest.is_closed()
        oldest.send(get())
        assert oldest.receive().status == 200


def test_the_beat_goes_on_by_itself() -> None:
    with serving(limits=Limits(sweep=0.001)) as world, world.connect() as client:
        client.send(get())
        assert client.receive().status == 200
        world.seconds += 75
        assert client.is_closed()
