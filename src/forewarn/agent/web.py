"""A small HTTP server: one request a connection, with an end to time, size and number of all it takes."""

import io
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

SECONDS = 5.0
"""From the connection to the end of the request."""
LARGEST_BODY = 4096
MOST = 16
"""Connections at a time; who comes then is turned away."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    method: str
    path: str
    body: bytes = b""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    status: int = 200
    text: str = ""
    kind: str = "text/plain; charset=utf-8"


Answerer = Callable[[Asked], Reply]


def in_json(value: Any, status: int = 200) -> Reply:
    return Reply(status=status, text=json.dumps(value) + "\n", kind="application/json")


@contextmanager
def serving_on(
    listener: socket.socket, answer: Answerer, log: logging.Logger, *, seconds: float = SECONDS
) -> Iterator[None]:
    listener.listen(MOST)
    service = _Service(answer=answer, log=log, seconds=seconds)
    threading.Thread(target=service.accept, args=(listener,), name="web", daemon=True).start()
    try:
        yield
    finally:
        service.over.set()
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)  # whoever accepts is woken
        listener.close()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Service:
    answer: Answerer
    log: logging.Logger
    seconds: float
    over: threading.Event = field(default_factory=threading.Event)
    room: threading.BoundedSemaphore = field(default_factory=lambda: threading.BoundedSemaphore(MOST))

    def accept(self, listener: socket.socket) -> None:
        """Until the listener is closed."""
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                if self.over.wait(0.1):
                    return
                continue  # whoever came has left again, or too many files are open
            if self.room.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(connection,), name="web request", daemon=True).start()
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                connection.settimeout(self.seconds)
                _Handler(connection, ("", 0), self)  # type: ignore[arg-type]
        except OSError:
            self.log.debug("a request could not be answered", exc_info=True)
        finally:
            self.room.release()


class _Handler(BaseHTTPRequestHandler):
    server: _Service  # type: ignore[assignment]
    connection: socket.socket

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_Patient(self.connection, monotonic() + self.server.seconds))

    def do_GET(self) -> None:
        self._answer(Asked(method="GET", path=self._path()))

    def do_HEAD(self) -> None:
        self._answer(Asked(method="GET", path=self._path()))

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal() or int(length) > LARGEST_BODY:
            self._send(Reply(status=413, text=f"a body of at most {LARGEST_BODY} bytes is wanted\n"))
            return
        self._answer(Asked(method="POST", path=self._path(), body=self.rfile.read(int(length))))

    def log_message(self, format: str, *args: Any) -> None:
        self.server.log.debug(format, *args)

    def _path(self) -> str:
        return unquote(urlsplit(self.path).path)

    def version_string(self) -> str:
        return "forewarn-agent"

    def _answer(self, asked: Asked) -> None:
        try:
            reply = self.server.answer(asked)
        except Exception:
            self.server.log.exception("%s %s could not be answered", asked.method, asked.path)
            reply = Reply(status=500, text="the agent's log says what went wrong\n")
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        body = reply.text.encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class _Patient(io.RawIOBase):
    """One moment for the whole request: a time-out of a socket would start anew with every byte."""

    def __init__(self, connection: socket.socket, until: float) -> None:
        self._connection = connection
        self._until = until

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        left = self._until - monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        before = self._connection.gettimeout()
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(before)
