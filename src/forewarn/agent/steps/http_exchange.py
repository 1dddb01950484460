"""One request and its answer, in a thread of its own: so that it can be called off whatever the server does.

A server that sends a byte now and then keeps a socket's own time-out from ever striking.
"""

import contextlib
import socket
import ssl
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

from forewarn.agent.turns import Turn

POLL = 0.02
SILENCE = 10.0
"""How long to wait for a connection, or for the server's next word."""
KEPT = 500
"""How many bytes of an answer are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes | None
    tls: ssl.SSLContext | None
    """None for plain http."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    text: str
    """Its beginning."""
    retry_after: float
    """Seconds; 0 if it does not say."""


def exchange(request: Request, turn: Turn) -> Answer:
    """Raises OSError or HTTPException if there was no answer to be had."""
    attempt = _Exchange(request, min(turn.left(), SILENCE) or POLL)
    attempt.start()
    try:
        while attempt.is_alive():
            turn.pause(POLL)
    finally:
        attempt.call_off()
    if attempt.answer is None:
        raise attempt.error or HTTPException("no answer")
    return attempt.answer


class _Exchange(threading.Thread):
    def __init__(self, request: Request, timeout: float) -> None:
        super().__init__(name="http-step", daemon=True)
        self.answer: Answer | None = None
        self.error: Exception | None = None
        self._request = request
        self._connection = _connection(request, timeout)
        self._socket: socket.socket | None = None
        self._is_off = False

    def run(self) -> None:
        try:
            self.answer = self._exchanged()
        except Exception as error:
            self.error = error
        finally:
            self._connection.close()

    def call_off(self) -> None:
        self._is_off = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)  # wakes the thread, which then closes it

    def _exchanged(self) -> Answer:
        self._connection.connect()
        self._socket = self._connection.sock
        if self._is_off:
            raise HTTPException("called off")
        request, parts = self._request, urlsplit(self._request.url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._connection.request(request.method, path, request.body, dict(request.headers))
        with self._connection.getresponse() as response:
            after = response.headers.get("Retry-After", "")
            return Answer(
                status=response.status,
                text=response.read(KEPT).decode(errors="replace"),
                retry_after=float(after) if after.isascii() and after.isdigit() else 0.0,
            )


def _connection(request: Request, timeout: float) -> HTTPConnection:
    parts = urlsplit(request.url)
    host = parts.hostname or ""
    if request.tls is None:
        return HTTPConnection(host, parts.port, timeout=timeout)
    return HTTPSConnection(host, parts.port, timeout=timeout, context=request.tls)
