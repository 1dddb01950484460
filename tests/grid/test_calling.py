"""Calling a webhook."""

import asyncio
import ssl
from datetime import UTC, datetime
from pathlib import Path

import pytest

from forewarn.access.certificates import ServerTls
from forewarn.domain.errors import Invalid
from forewarn.grid.calling import LARGEST_ANSWER, Unreachable, Webhooks
from tests.engine.desk import in_a_loop
from tests.grid.receiver import Says, receiving


@in_a_loop
async def test_what_is_sent_arrives_and_the_answer_comes_back() -> None:
    async with receiving() as receiver:
        receiver.reply = lambda got: Says(202, {"X-Said": "yes"}, b"thanks")
        answer = await Webhooks().call("POST", receiver.url, {"aeg-event-type": "Notification"}, b"hello")
    assert (answer.status, answer.headers["x-said"], answer.body) == (202, "yes", b"thanks")
    (got,) = receiver.got
    assert (got.method, got.path, got.body) == ("POST", "/hook?secret=s3cret", b"hello")
    assert got.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert got.headers["aeg-event-type"] == "Notification"


@in_a_loop
async def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    async with receiving() as receiver:
        receiver.reply = lambda got: Says(307, {"Location": "/elsewhere"})
        assert (await Webhooks().call("POST", receiver.url, {}, b"")).status == 307
    assert len(receiver.got) == 1


@in_a_loop
async def test_who_does_not_answer_in_time_is_unreachable() -> None:
    async with receiving() as receiver:
        receiver.held = asyncio.Event()
        with pytest.raises(Unreachable, match="did not answer within") as error:
            await Webhooks(patience=0.1).call("POST", receiver.url, {}, b"")
        receiver.held.set()
    assert "s3cret" not in str(error.value)


@in_a_loop
async def test_nobody_there_is_unreachable() -> None:
    async with receiving() as receiver:
        url = receiver.url
    with pytest.raises(Unreachable, match="could not be called"):
        await Webhooks().call("POST", url, {}, b"")


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n\r\n", id="another-protocol"),
        pytest.param(b"HTTP/1.1 200 OK\r\n" + b"X: " + b"x" * 200_000, id="endless-header"),
    ],
)
@in_a_loop
async def test_who_does_not_speak_http_is_unreachable(answer: bytes) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(answer)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(Unreachable):
        await Webhooks().call("POST", f"http://127.0.0.1:{port}/", {}, b"x")
    server.close()


@in_a_loop
async def test_of_a_long_answer_only_the_beginning_is_read() -> None:
    async with receiving() as receiver:
        receiver.reply = lambda got: Says(body=b"x" * (LARGEST_ANSWER * 3))
        answer = await Webhooks().call("POST", receiver.url, {}, b"")
    assert (answer.status, len(answer.body)) == (200, LARGEST_ANSWER)


@in_a_loop
async def test_own_ports_and_the_metadata_address_are_not_called() -> None:
    async with receiving() as receiver:
        with pytest.raises(Invalid, match="Forewarn itself"):
            await Webhooks(lambda: {receiver.port}).call("POST", receiver.url, {}, b"")
        with pytest.raises(Invalid, match="Forewarn itself"):
            await Webhooks(lambda: {receiver.port}).call("POST", f"http://localhost:{receiver.port}/", {}, b"")
    with pytest.raises(Invalid, match="metadata services"):
        await Webhooks().call("POST", "http://169.254.169.254/metadata/instance", {}, b"")
    assert receiver.got == []


@in_a_loop
async def test_a_certificate_nobody_vouches_for_is_not_trusted(tmp_path: Path) -> None:
    tls = await asyncio.to_thread(ServerTls, tmp_path, [], datetime.now(UTC))  # noqa: TID251
    async with receiving(tls.context) as receiver:
        url = receiver.url.replace("http:", "https:")
        with pytest.raises(Unreachable, match="certificate"):
            await Webhooks().call("POST", url, {}, b"")
        trusting = Webhooks(trust=ssl.create_default_context(cafile=tmp_path / "ca.pem"))
        assert (await trusting.call("POST", url, {}, b"")).status == 200
