"""A small HTTP server: one request a connection, with an end to time, size and number of all it takes."""

import io
import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer, ThreadingMixIn
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
def serving_on(listener: socket.socket, answer: Answerer, log: logging.Logger) -> Iterator[None]:
    listener.listen(MOST)
    server = _Server(listener, answer, log)
    thread = threading.Thread(target=server.serve_forever, name="web", daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


class _Server(ThreadingMixIn, BaseServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, listener: socket.socket, answer: Answerer, log: logging.Logger) -> None:
        super().__init__(listener.getsockname(), _Handler)
        self.answer = answer
        self.log = log
        self._listener = listener
        self._room = threading.BoundedSemaphore(MOST)

    def fileno(self) -> int:
        return self._listener.fileno()

    def get_request(self) -> tuple[socket.socket, Any]:
        return self._listener.accept()

    def server_close(self) -> None:
        self._listener.close()

    def process_request(self, request: Any, client_address: Any) -> None:
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.close_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def shutdown_request(self, request: Any) -> None:
        with suppress(OSError):
            request.shutdown(socket.SHUT_WR)
        self.close_request(request)

    def close_request(self, request: Any) -> None:
        request.close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.log.debug("a request could not be answered", exc_info=True)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    connection: socket.socket
    server_version, sys_version = "forewarn-agent", ""
    timeout = SECONDS

    def setup(self) -> None:
        super().setup()
        self.rfile = io.BufferedReader(_Patient(self.connection, monotonic() + SECONDS))

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

    def _answer(self, asked: Asked) -> None:
        self._send(self.server.answer(asked))

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
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(buffer)
        finally:
            self._connection.settimeout(SECONDS)
