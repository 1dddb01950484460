"""The control plane's server, inside somebody else's event loop; over HTTPS if it is given a certificate."""

import asyncio
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from ipaddress import ip_address

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from forewarn.domain.errors import Conflict, Invalid
from forewarn.wire.authorities import authority

KEEP_ALIVE = 75
SHUTDOWN = 5
TICK, TICKS = 0.1, 864_000
"""uvicorn wants to be told, every tenth of a second of a day, that it is time; by that it keeps its Date."""

MOST_CONNECTIONS = 1000
HEADERS = 16 * 1024
HEADER_PATIENCE = 10.0
"""Seconds of real time in which a connection's next header block must be complete, once it has begun; and what is left
of a body that was answered already."""

READER_PATIENCE = 60.0
"""Seconds of real time that a caller may leave an answer unread, once all buffers are full."""


def _punctual(patience: float, reader_patience: float) -> type[H11Protocol]:
    class Punctual(H11Protocol):
        """With the parser that bounds the size of a header block; and whoever does not send one in time, does not end
        what it sends, or does not read what is sent to it, is cut off."""

        _overdue: asyncio.TimerHandle | None = None
        _unread: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._await_headers()

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            self.resume_writing()
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if (self.conn.their_state is h11.IDLE or self._is_answered()) and not self.transport.is_closing():
                self._await_headers()
            else:
                self._stop_waiting()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            if self._is_answered() and not self.transport.is_closing():
                self._await_headers()

        def pause_writing(self) -> None:
            super().pause_writing()
            self._unread = self.loop.call_later(reader_patience, self.transport.abort)

        def resume_writing(self) -> None:
            if self._unread is not None:
                self._unread.cancel()
                self._unread = None
            super().resume_writing()

        def _is_answered(self) -> bool:
            """Before all of its body was there."""
            return self.conn.our_state is h11.DONE and self.conn.their_state is h11.SEND_BODY

        def _await_headers(self) -> None:
            if self._overdue is None:
                self._overdue = self.loop.call_later(patience, self.transport.close)

        def _stop_waiting(self) -> None:
            if self._overdue is not None:
                self._overdue.cancel()
                self._overdue = None

    return Punctual


class _Embedded(uvicorn.Server):
    """Started and ended by whoever owns the process, without the pauses in which uvicorn looks for signals."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.over = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def main_loop(self) -> None:
        tick = 0
        while not await self.on_tick(tick):
            tick = (tick + 1) % TICKS
            with suppress(TimeoutError):
                async with asyncio.timeout(TICK):
                    await self.over.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """At once, if nobody is being answered."""
        for listening in (*self.servers, *(sockets or ())):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await asyncio.sleep(0)
        if self.server_state.connections or self.server_state.tasks:
            await super().shutdown(sockets)

    def end(self) -> None:
        self.should_exit = True
        self.over.set()


@asynccontextmanager
async def serving(
    app: ASGIApp,
    host: str,
    port: int,
    *,
    wildcard: bool = False,
    tls: ssl.SSLContext | None = None,
    option: str = "--control",
    header_patience: float = HEADER_PATIENCE,
    reader_patience: float = READER_PATIENCE,
) -> AsyncIterator[int]:
    """Answers on the port that it yields (another one than asked for, if that is 0) until the block ends.

    `option`: what the place was told by, for whoever has to give another.
    """
    _check_place(host, wildcard, encrypted=tls is not None)
    listening = _listen(host, port, option)
    config = uvicorn.Config(
        app,
        http=_punctual(header_patience, reader_patience),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE,
        timeout_graceful_shutdown=SHUTDOWN,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=HEADERS,
        ssl_context_factory=(lambda config, usual: tls) if tls is not None else None,
    )
    server = _Embedded(config)
    task = asyncio.create_task(server.serve(sockets=[listening]), name="control")
    try:
        yield int(listening.getsockname()[1])
    finally:
        server.end()
        await task


def _check_place(host: str, wildcard: bool, *, encrypted: bool) -> None:
    try:
        ip = ip_address(host)
    except ValueError:
        raise Invalid(f"{host!r} is not an IP address to listen on.") from None
    if wildcard or ip.is_loopback:
        return
    if not encrypted:
        raise Invalid(
            f"Over plain http, whoever is on the way to {host} could read logins and tokens. Keep the control plane on "
            "127.0.0.1 and use HTTPS (--arm), or say --any-address if the network is to be trusted."
        )
    if ip.is_unspecified:
        raise Invalid(f"{host} is every address of this host: say --any-address if that is meant.")


def _listen(host: str, port: int, option: str) -> socket.socket:
    listening = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise Conflict(
            f"The control plane cannot listen on {authority(host, port)} ({error.strerror}): is another Forewarn "
            f"running? Give another {option}."
        ) from None
    listening.listen(1024)
    return listening
