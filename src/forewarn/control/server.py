"""Serves the control plane on sockets that somebody else has opened."""

import contextlib
import socket
from collections.abc import Generator, Sequence

import uvicorn
from starlette.types import ASGIApp

from forewarn.control.hub import Hub

HEADERS = 16 * 1024
CONNECTIONS = 1000
LAST_ANSWERS = 3
"""Seconds of real time that answers under way get when the server stops."""


class ControlServer:
    def __init__(self, app: ASGIApp, hub: Hub, sockets: Sequence[socket.socket]) -> None:
        self._hub = hub
        self._sockets = list(sockets)
        self._server = _Server(
            uvicorn.Config(
                app,
                http="h11",  # the parser that bounds the header block
                ws="none",
                lifespan="off",
                interface="asgi3",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                h11_max_incomplete_event_size=HEADERS,
                limit_concurrency=CONNECTIONS,
                timeout_graceful_shutdown=LAST_ANSWERS,
            )
        )

    async def run(self) -> None:
        """Until `stop`."""
        await self._server.serve(sockets=self._sockets)

    def stop(self) -> None:
        self._hub.close()  # a stream has no end of its own
        self._server.should_exit = True


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Signals belong to whoever started the process, not to one of its servers."""
        yield
