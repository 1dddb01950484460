"""A webhook: a real HTTP server in the test's own loop, which writes down what it is sent and answers as it is told."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import h11


@dataclass(frozen=True, slots=True)
class Got:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Says:
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


def agree(got: Got) -> Says:
    """Says yes to both kinds of handshake, and thanks for everything else."""
    if got.method == "OPTIONS":
        return Says(headers={"WebHook-Allowed-Origin": "*"})
    if got.headers.get("aeg-event-type") == "SubscriptionValidation":
        return Says(body=json.dumps({"validationResponse": got.json[0]["data"]["validationCode"]}).encode())
    return Says()


class Receiver:
    def __init__(self) -> None:
        self.port = 0
        self.got: list[Got] = []
        self.reply: Callable[[Got], Says] = agree
        self.held: asyncio.Event | None = None  # set to an event: no answer before it
        self._came = asyncio.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?secret=s3cret"

    @property
    def notifications(self) -> list[Got]:
        return [got for got in self.got if got.headers.get("aeg-event-type") == "Notification"]

    async def hears(self, count: int) -> None:
        """Until so many notifications have come."""
        while len(self.notifications) < count:
            self._came.clear()
            await self._came.wait()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http = h11.Connection(h11.SERVER)
        request, body = None, b""
        try:
            while not isinstance(event := http.next_event(), h11.EndOfMessage):
                if event is h11.NEED_DATA:
                    http.receive_data(await reader.read(65536))
                elif isinstance(event, h11.Request):
                    request = event
                elif isinstance(event, h11.Data):
                    body += event.data
                else:
                    return
            assert request is not None
            await self._answer(http, writer, request, body)
        except (ConnectionError, h11.ProtocolError):
            pass
        finally:
            writer.close()

    async def _answer(
        self, http: h11.Connection, writer: asyncio.StreamWriter, request: h11.Request, body: bytes
    ) -> None:
        headers = {name.decode(): value.decode() for name, value in request.headers}
        got = Got(request.method.decode(), request.target.decode(), headers, body)
        self.got.append(got)
        self._came.set()
        says = self.reply(got)
        if self.held is not None:
            await self.held.wait()
        told = [*says.headers.items(), ("Content-Length", str(len(says.body)))]
        parts = (h11.Response(status_code=says.status, headers=told), h11.Data(data=says.body), h11.EndOfMessage())
        for part in parts:
            writer.write(http.send(part) or b"")
        await writer.drain()


@asynccontextmanager
async def receiving(tls: ssl.SSLContext | None = None) -> AsyncIterator[Receiver]:
    receiver = Receiver()
    server = await asyncio.start_server(receiver.serve, "127.0.0.1", 0, ssl=tls)
    receiver.port = server.sockets[0].getsockname()[1]
    try:
        yield receiver
    finally:
        server.close()
