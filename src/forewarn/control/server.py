"""The control plane's server, inside somebody else's event loop."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from ipaddress import ip_address

import uvicorn
from starlette.types import ASGIApp

from forewarn.domain.errors import Conflict, Invalid

KEEP_ALIVE = 75
SHUTDOWN = 5
MOST_CONNECTIONS = 1000
HEADERS = 16 * 1024


class _Embedded(uvicorn.Server):
    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Signals are for whoever owns the process."""
        yield


@asynccontextmanager
async def serving(app: ASGIApp, host: str, port: int, *, wildcard: bool = False) -> AsyncIterator[int]:
    """Answers on the port that it yields (another one than asked for, if that is 0) until the block ends."""
    listening = _listen(host, port, wildcard)
    config = uvicorn.Config(
        app,
        http="h11",  # the parser that bounds the header block
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
    )
    server = _Embedded(config)
    task = asyncio.create_task(server.serve(sockets=[listening]), name="control")
    try:
        yield int(listening.getsockname()[1])
    finally:
        server.should_exit = True
        await task


def _listen(host: str, port: int, wildcard: bool) -> socket.socket:
    try:
        ip = ip_address(host)
    except ValueError:
        raise Invalid(f"{host!r} is not an IP address to listen on.") from None
    if not ip.is_loopback and not wildcard:
        raise Invalid(
            f"The control plane would be open to whoever reaches {host}: it has no login yet. Keep it on 127.0.0.1, "
            "or say --any-address if something else keeps strangers out."
        )
    listening = socket.socket(socket.AF_INET6 if ip.version == 6 else socket.AF_INET)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise Conflict(
            f"The control plane cannot listen on {host}:{port} ({error.strerror}): is another Forewarn running? "
            "Give another --control."
        ) from None
    listening.listen(1024)
    return listening
