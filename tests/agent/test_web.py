"""The small server holds its limits against who is slow, greedy or many."""

import logging
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress

import pytest

from forewarn.agent.web import LARGEST_BODY, MOST, Asked, Reply, serving_on

LOG = logging.getLogger("tests.agent.web")


def echo(asked: Asked) -> Reply:
    if asked.path == "/trouble":
        raise RuntimeError("it broke")
    return Reply(text=f"{asked.method} {asked.path} {asked.body.decode()}")


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    listener = socket.create_server(("127.0.0.1", 0))
    with serving_on(listener, echo, LOG, seconds=0.5):
        yield listener.getsockname()


def said(address: tuple[str, int], raw: bytes) -> bytes:
    with socket.create_connection(address, 10) as connection:
        connection.sendall(raw)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_a_request_is_answered_and_the_connection_ends(address: tuple[str, int]) -> None:
    answer = said(address, b"POST /a%20b?c HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi")
    assert answer.startswith(b"HTTP/1.0 200 ")
    assert answer.endswith(b"\r\n\r\nPOST /a b hi")


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n" % (LARGEST_BODY + 1), b"413", id="a-big-body"),
        pytest.param(b"POST / HTTP/1.1\r\n\r\n", b"413", id="a-body-of-no-length"),
        pytest.param(b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"413", id="a-length-below-nothing"),
        pytest.param(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"431", id="many-headers"),
        pytest.param(b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n", b"414", id="a-long-line"),
        pytest.param(b"GET /trouble HTTP/1.1\r\n\r\n", b"500", id="a-fault-of-ours"),
    ],
)
def test_what_is_too_much_is_refused(address: tuple[str, int], raw: bytes, status: bytes) -> None:
    assert said(address, raw).split()[1] == status


def test_who_sends_a_byte_now_and_then_is_cut_off(address: tuple[str, int]) -> None:
    """A time-out for each byte would let it go on for ever."""
    sent = 0
    with socket.create_connection(address, 10) as slow, suppress(ConnectionError):
        slow.settimeout(0.05)
        while sent < 200 and not is_over(slow):
            slow.sendall(b"x")
            sent += 1
    assert 0 < sent < 40


def is_over(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except TimeoutError:
        return False


def test_who_comes_when_it_is_full_is_turned_away_and_the_rest_go_on(address: tuple[str, int]) -> None:
    with ExitStack() as crowd:
        for _ in range(MOST):
            crowd.enter_context(socket.create_connection(address, 10)).sendall(b"GET")
        with socket.create_connection(address, 10) as late:
            assert late.recv(1) == b""
    for _ in range(2 * MOST):
        if said(address, b"GET / HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.0 200"):
            return
    pytest.fail("it does not recover")
