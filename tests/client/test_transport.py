"""Requests on real sockets, to servers that do not behave."""

import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from forewarn.client import HttpTransport, Interrupted, Request, Unreachable, Unreadable
from forewarn.client.alarm import Alarm
from tests.client.rogue import BODY, PATIENCE, Manner, Visit, answer, rogue

SHORT = 0.3


@pytest.fixture
def transport() -> Iterator[HttpTransport]:
    transport = HttpTransport()
    yield transport
    transport.close()


def request(
    endpoint: str, *, timeout: float = PATIENCE, body: bytes | None = None, alarm: Alarm | None = None
) -> Request:
    method = "GET" if body is None else "POST"
    return Request(endpoint=endpoint, target="/metadata/x?y=1", method=method, body=body, timeout=timeout, alarm=alarm)


def polite(visit: Visit) -> None:
    while visit.hear():
        visit.say(answer())


def test_what_is_sent(transport: HttpTransport, monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []

    def listen(visit: Visit) -> None:
        heard.append(visit.hear())
        visit.say(answer(b"ok", "X-Name: Value"))

    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with rogue(listen) as server:
        got = transport.send(request(server.endpoint, body=b"{}"))
    assert (got.status, got.fields["x-name"], got.body) == (200, "Value", b"ok")
    (head, _, body) = heard[0].partition("\n\n")
    assert body == "{}"
    assert head.split("\r\n") == [
        "POST /metadata/x?y=1 HTTP/1.1",
        f"Host: {server.endpoint.removeprefix('http://')}",
        "Accept-Encoding: identity",
        "Content-Length: 2",
        "User-Agent: forewarn",
        "Metadata: true",
    ]


def test_one_connection_serves_many_requests(transport: HttpTransport) -> None:
    with rogue(polite) as server:
        for _ in range(5):
            assert transport.send(request(server.endpoint)).body == BODY
        assert server.visits == 1
        transport.close()


def test_a_redirect_is_an_answer_and_not_followed(transport: HttpTransport) -> None:
    with rogue(polite) as elsewhere:
        with rogue(
            lambda visit: visit.say(answer(b"", f"Location: {elsewhere.endpoint}/", status="302 Found"))
        ) as server:
            assert transport.send(request(server.endpoint)).status == 302
        assert elsewhere.visits == 0


def hangs_up_in_silence(visit: Visit) -> None:
    """As Azure's hosts do: one answer, then the end, without a word of it."""
    visit.hear()
    visit.say(answer())


def hangs_up_on_the_second(visit: Visit) -> None:
    visit.hear()
    visit.say(answer())
    visit.hear()


def says_that_it_hangs_up(visit: Visit) -> None:
    visit.hear()
    visit.say(answer(BODY, "Connection: close"))
    visit.over.wait(PATIENCE)


def talks_in_chunks(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for byte in BODY:
        visit.say(b"1\r\n%c\r\n" % byte)
    visit.say(b"0\r\n\r\n")


def talks_to_the_end(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.0 200 OK\r\n\r\n" + BODY)


@pytest.mark.parametrize(
    "manner",
    [
        hangs_up_in_silence,
        hangs_up_on_the_second,
        says_that_it_hangs_up,
        talks_in_chunks,
        talks_to_the_end,
    ],
)
def test_a_connection_that_is_of_no_more_use_is_replaced(manner: Manner, transport: HttpTransport) -> None:
    with rogue(manner) as server:
        for _ in range(3):
            assert transport.send(request(server.endpoint)).body == BODY
        assert server.visits == 3
        transport.close()


def says_too_much(visit: Visit) -> None:
    while visit.hear():
        visit.say(answer())
        visit.say(b"and by the way\r\n\r\n")


def test_what_nobody_asked_for_is_no_answer(transport: HttpTransport) -> None:
    with rogue(says_too_much) as server:
        for _ in range(50):
            assert transport.send(request(server.endpoint)).body == BODY
        transport.close()


def hangs_up_at_once(visit: Visit) -> None:
    visit.hear()


def hangs_up_in_the_body(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nonly this")


def hangs_up_in_a_chunk(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n63\r\nonly this")


def speaks_something_else(visit: Visit) -> None:
    visit.say(b"SSH-2.0-OpenSSH_9.2\r\n")
    visit.over.wait(PATIENCE)


def is_silent(visit: Visit) -> None:
    visit.over.wait(PATIENCE)


def drips_its_head(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\n")
    while not visit.over.wait(0.02):
        visit.say(b"X-Drop: 1\r\n"[:1])


def drips_its_body(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    while not visit.over.wait(0.02):
        visit.say(b" ")


@pytest.mark.parametrize(
    "manner",
    [
        hangs_up_at_once,
        hangs_up_in_the_body,
        hangs_up_in_a_chunk,
        speaks_something_else,
        is_silent,
        drips_its_head,
        drips_its_body,
    ],
)
def test_no_whole_answer_in_time_is_none(manner: Manner, transport: HttpTransport) -> None:
    with rogue(manner) as server:
        began = time.monotonic()
        with pytest.raises(Unreachable, match=server.endpoint):
            transport.send(request(server.endpoint, timeout=SHORT))
        assert time.monotonic() - began < PATIENCE / 4


def promises_too_much(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nContent-Length: 1048577\r\n\r\n" + b" " * 1048577)


def never_ends(visit: Visit) -> None:
    visit.hear()
    visit.say(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not visit.over.is_set():
        visit.say(b"10000\r\n" + b" " * 65536 + b"\r\n")


@pytest.mark.parametrize("manner", [promises_too_much, never_ends])
def test_an_answer_without_measure_is_cut_off(manner: Manner, transport: HttpTransport) -> None:
    with rogue(manner) as server, pytest.raises(Unreadable, match="more than 1048576 bytes"):
        transport.send(request(server.endpoint))


def test_nobody_there_is_told(transport: HttpTransport) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(Unreachable, match=r"cannot be reached: .*refused"):
        transport.send(request(f"http://127.0.0.1:{port}"))


def test_a_unix_socket_is_an_endpoint_too(transport: HttpTransport) -> None:
    with tempfile.TemporaryDirectory() as folder:
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(Path(folder, "vm1.sock")))
        listening.listen()
        with rogue(polite, at=listening) as server:
            assert transport.send(request(server.endpoint)).body == BODY
            transport.close()
        with pytest.raises(Unreachable, match="cannot be reached"):
            transport.send(request(f"unix:{folder}/none.sock"))


def test_a_header_of_the_caller_cannot_become_two(transport: HttpTransport) -> None:
    with rogue(polite) as server, pytest.raises(ValueError, match="Invalid header"):
        transport.send(Request(endpoint=server.endpoint, target="/", fields={"If-None-Match": "1\r\nX: y"}))


def test_another_thread_can_end_the_wait_for_an_answer(transport: HttpTransport) -> None:
    alarm = Alarm()

    def rings(visit: Visit) -> None:
        visit.hear()
        alarm.ring()
        visit.over.wait(PATIENCE)

    with rogue(rings) as server, pytest.raises(Interrupted):
        transport.send(request(server.endpoint, alarm=alarm))
    alarm.close()


def test_an_alarm_rings_until_it_is_cleared_however_often_it_was_rung() -> None:
    alarm = Alarm()
    for _ in range(100_000):
        alarm.ring()
    assert alarm.rung
    alarm.clear()
    assert not alarm.rung
    alarm.close()
    alarm.ring()


def test_requests_at_the_same_time_do_not_wait_for_each_other(transport: HttpTransport) -> None:
    met, release = threading.Event(), threading.Event()

    def waits(visit: Visit) -> None:
        visit.hear()
        met.set()
        release.wait(PATIENCE)
        visit.say(answer(b"late"))

    with rogue(waits, polite) as server:
        late: list[bytes] = []
        parked = threading.Thread(target=lambda: late.append(transport.send(request(server.endpoint)).body))
        parked.start()
        assert met.wait(PATIENCE)
        assert transport.send(request(server.endpoint)).body == BODY
        release.set()
        parked.join(PATIENCE)
        transport.close()
        assert late == [b"late"]


TERMINATED = """
import signal, sys
from forewarn.client import ScheduledEvents
with ScheduledEvents(sys.argv[1]) as client:
    signal.signal(signal.SIGTERM, lambda *_: client.interrupt())
    print("waiting", flush=True)
    print(client.wait(timeout=600))
"""


@pytest.mark.parametrize("manner", [is_silent, lambda visit: visit.say(answer(b""))], ids=["asking", "sleeping"])
def test_the_handler_of_a_signal_can_end_a_wait(manner: Manner) -> None:
    met = threading.Event()

    def meets(visit: Visit) -> None:
        met.set()
        manner(visit)

    with rogue(meets) as server:
        process = subprocess.Popen(
            [sys.executable, "-c", TERMINATED, server.endpoint],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "waiting\n"
        assert met.wait(PATIENCE)
        process.terminate()
        said, complaint = process.communicate(timeout=PATIENCE)
        assert (said, complaint, process.returncode) == ("None\n", "", 0)
