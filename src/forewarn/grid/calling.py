"""One HTTP call to a webhook: bounded in time and size, to an address that was checked, following no redirect."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass

import h11

from forewarn.domain.errors import Invalid
from forewarn.grid.targets import Target, check_address, target_of

LARGEST_ANSWER = 64 * 1024
PATIENCE = 30.0
"""Seconds in which an endpoint has to answer, as in Event Grid."""

PATIENCE_FOR_BODY = 5.0
"""Seconds for the rest of an answer whose status is known."""


class Unreachable(Exception):
    """There was no answer. The text says why, and holds nothing of the URL that may be secret."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes


class Webhooks:
    def __init__(
        self,
        own_ports: Callable[[], Collection[int]] = tuple,
        *,
        patience: float = PATIENCE,
        trust: ssl.SSLContext | None = None,
    ) -> None:
        """`own_ports`: where this Forewarn listens. `trust`: None for what the system trusts, and SSL_CERT_FILE."""
        self.patience = patience
        self._own_ports = own_ports
        self._trust = trust

    async def call(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
        """Invalid if that URL must not be called, Unreachable if it does not answer."""
        target = target_of(url)
        try:
            async with asyncio.timeout(self.patience) as patience, self._connected(target) as (reader, writer):
                exchange = _Exchange(reader, writer)
                status, heard = await exchange.ask(method, target, headers, body)
                patience.reschedule(asyncio.get_running_loop().time() + PATIENCE_FOR_BODY + 1)
                return Answer(status, heard, await exchange.body())
        except TimeoutError:
            raise Unreachable(f"{target.origin} did not answer within {self.patience:g} s") from None
        except (OSError, h11.ProtocolError, EOFError) as error:
            raise Unreachable(f"{target.origin} could not be called: {error or type(error).__name__}") from None

    @asynccontextmanager
    async def _connected(self, target: Target) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
        reader, writer = await self._connect(target)
        try:
            yield reader, writer
        finally:
            writer.transport.abort()

    async def _connect(self, target: Target) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        addresses = await _resolved(target)
        for address in addresses:
            check_address(address, target.port, self._own_ports())
        trust = await self._trusted() if target.secure else None
        name = target.host if target.secure else None
        refused: OSError = OSError("it has no address")
        for address in addresses:
            try:
                return await asyncio.open_connection(
                    address, target.port, ssl=trust, server_hostname=name, limit=LARGEST_ANSWER
                )
            except OSError as error:
                refused = error
        raise refused

    async def _trusted(self) -> ssl.SSLContext:
        """Loading it takes a moment."""
        if self._trust is None:
            self._trust = await asyncio.to_thread(ssl.create_default_context)
        return self._trust


async def _resolved(target: Target) -> list[str]:
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(target.host, target.port, type=1)  # SOCK_STREAM
    except UnicodeError:
        raise Invalid(f"{target.host[:100]!r} is not the name of a host.") from None
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


class _Exchange:
    """One request and its answer, on one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._http = h11.Connection(h11.CLIENT)

    async def ask(
        self, method: str, target: Target, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, Mapping[str, str]]:
        told = {"Host": target.authority, "User-Agent": "Forewarn", "Connection": "close", **headers}
        if body or method == "POST":
            told["Content-Length"] = str(len(body))
        request = h11.Request(method=method, target=target.path, headers=list(told.items()))
        for part in (request, h11.Data(data=body), h11.EndOfMessage()):
            self._writer.write(self._http.send(part) or b"")
        await self._writer.drain()
        while not isinstance(event := await self._event(), h11.Response):
            if isinstance(event, h11.ConnectionClosed):
                raise EOFError("it closed the connection without an answer")
        return event.status_code, {name.decode("ascii"): value.decode("latin-1") for name, value in event.headers}

    async def body(self) -> bytes:
        """As much of it as comes in time and is not too much."""
        body = bytearray()
        with suppress(TimeoutError, OSError, h11.ProtocolError):
            async with asyncio.timeout(PATIENCE_FOR_BODY):
                while isinstance(event := await self._event(), h11.Data) and len(body) < LARGEST_ANSWER:
                    body += event.data
        return bytes(body[:LARGEST_ANSWER])

    async def _event(self) -> h11.Event:
        while True:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                self._http.receive_data(await self._reader.read(LARGEST_ANSWER))
            elif event is h11.PAUSED:
                return h11.ConnectionClosed()
            else:
                assert isinstance(event, h11.Event)
                return event
