"""The server itself: where it listens, over what, and how long it waits for a request."""

import asyncio
import socket
import ssl
from pathlib import Path

import pytest
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from forewarn.access.certificates import ServerTls
from forewarn.control.server import serving
from forewarn.domain.errors import Invalid
from forewarn.wiring import wall

HELLO: ASGIApp = Response("hello")
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


def test_over_https_it_answers_whoever_trusts_its_authority(tmp_path: Path) -> None:
    async def story() -> bytes:
        tls = ServerTls(tmp_path, [], wall())
        trusting = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
        async with serving(HELLO, "127.0.0.1", 0, tls=tls.context) as port:
            reader, writer = await asyncio.open_connection("localhost", port, ssl=trusting, family=socket.AF_INET)
            writer.write(REQUEST)
            answer = await reader.readuntil(b"hello")
            writer.close()
            await writer.wait_closed()
        return answer

    assert asyncio.run(story()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"GET / HTTP/1.1\r\nHost: loc", id="half-a-request"),
        pytest.param(REQUEST + b"GET /", id="one-and-a-half"),
    ],
)
def test_whoever_does_not_finish_a_request_is_cut_off(sent: bytes) -> None:
    async def story() -> bytes:
        async with serving(HELLO, "127.0.0.1", 0, header_patience=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(sent)
            async with asyncio.timeout(10):
                if sent.startswith(REQUEST):
                    await reader.readuntil(b"hello")
                    writer.write(b" HTTP/1.1\r\n")
                rest = await reader.read()
            writer.close()
        return rest

    assert asyncio.run(story()) == b""


@pytest.mark.parametrize("length", ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
def test_whoever_does_not_finish_a_body_that_was_answered_is_cut_off(length: str) -> None:
    async def story() -> bytes:
        async with serving(HELLO, "127.0.0.1", 0, header_patience=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"POST / HTTP/1.1\r\nHost: localhost\r\n{length}\r\n\r\n".encode())
            async with asyncio.timeout(10):
                await reader.readuntil(b"hello")
                writer.write(b"1\r\nx\r\n")  # a little more does not help
                rest = await reader.read()
            writer.close()
        return rest

    assert asyncio.run(story()) == b""


def test_whoever_does_not_read_its_answer_is_cut_off() -> None:
    async def story() -> None:
        gone = asyncio.Event()

        async def talkative(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"x" * 20_000_000, "more_body": True})
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        async with serving(talkative, "127.0.0.1", 0, reader_patience=0.05) as port, asyncio.timeout(10):
            with socket.create_connection(("127.0.0.1", port)) as caller:
                caller.sendall(REQUEST)
                await gone.wait()

    asyncio.run(story())


def test_whoever_reads_slowly_gets_all_of_its_answer() -> None:
    async def story() -> int:
        answer, got = Response(b"x" * 5_000_000), 0
        async with serving(answer, "127.0.0.1", 0, reader_patience=5) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1024)
            writer.write(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
            while part := await reader.read(100_000):
                got += len(part)
            writer.close()
        return got

    assert asyncio.run(story()) > 5_000_000


def test_a_connection_that_waits_for_its_next_request_is_kept() -> None:
    async def story() -> None:
        async with serving(HELLO, "127.0.0.1", 0, header_patience=0.05) as port:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            for _ in range(2):
                writer.write(REQUEST)
                await reader.readuntil(b"hello")
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.2):
                        await reader.read(1)
            writer.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("host", "encrypted", "told"),
    [
        pytest.param("192.0.2.1", False, "plain http", id="plain-beyond-loopback"),
        pytest.param("0.0.0.0", False, "--any-address", id="plain-everywhere"),
        pytest.param("0.0.0.0", True, "--any-address", id="https-everywhere"),
        pytest.param("::", True, "--any-address", id="https-everywhere-in-IPv6"),
        pytest.param("localhost", True, "not an IP address", id="a-name"),
    ],
)
def test_where_it_would_be_open_by_chance_it_does_not_listen(host: str, encrypted: bool, told: str) -> None:
    async def story() -> None:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) if encrypted else None
        async with serving(HELLO, host, 0, tls=tls):
            pass

    with pytest.raises(Invalid, match=told):
        asyncio.run(story())
