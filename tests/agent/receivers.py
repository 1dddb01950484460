"""Who is told: an HTTP server that answers as it is bid, a mail server, and two that never come to an end."""

import queue
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PATIENCE = 10.0
"""Seconds that a test waits for what must come."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Got:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(kw_only=True)
class Receiver:
    port: int
    scheme: str = "http"
    answers: list[tuple[int, dict[str, str]]] = field(default_factory=list)
    """What it says next; 200 when there is none left."""
    inbox: "queue.Queue[Got]" = field(default_factory=queue.Queue)

    @property
    def url(self) -> str:
        return f"{self.scheme}://localhost:{self.port}/hook/s3cret?sig=s3cret"

    def next(self) -> Got:
        return self.inbox.get(timeout=PATIENCE)


@contextmanager
def receiving(tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, headers = receiver.answers.pop(0) if receiver.answers else (200, {})
            receiver.inbox.put(Got(path=self.path, headers={k.lower(): v for k, v in self.headers.items()}, body=body))
            self.send_response(status, f"echo of {self.path}")
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(self.path.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            """A client that does not trust us hangs up; that is no news here."""

    server = Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    receiver = Receiver(port=server.server_address[1], scheme="https" if tls else "http")
    with server, _serving(lambda: server.serve_forever(0.01), server.shutdown):
        yield receiver


@contextmanager
def silent() -> Iterator[int]:
    """Takes connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@contextmanager
def dripping(tls: ssl.SSLContext | None = None) -> Iterator[tuple[int, threading.Event]]:
    """Sends a byte every few milliseconds, for ever; the flag says that the other side has hung up."""
    hung_up = threading.Event()

    def drip() -> None:
        with suppress(OSError):
            connection, _ = listener.accept()
            with tls.wrap_socket(connection, server_side=True) if tls else connection as connection:
                connection.settimeout(0.005)
                while True:
                    with suppress(TimeoutError):
                        if not connection.recv(65536):
                            raise ConnectionResetError
                    connection.sendall(b"H")

        hung_up.set()

    with socket.create_server(("127.0.0.1", 0)) as listener, _serving(drip, lambda: None):
        yield listener.getsockname()[1], hung_up
        socket.create_connection(listener.getsockname()).close()


@contextmanager
def _serving(run: object, stop: object) -> Iterator[None]:
    assert callable(run)
    assert callable(stop)
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop()
        thread.join(PATIENCE)
