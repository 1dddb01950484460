"""A network between the agent and the API server that loses its first connections."""

import selectors
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit


@contextmanager
def losing(count: int, url: str) -> Iterator[str]:
    """The address of a way to `url` on which so many connections break before one gets through."""
    target = (urlsplit(url).hostname, urlsplit(url).port)
    to_lose = iter(range(count))

    class Relay(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if next(to_lose, None) is None:
                with socket.create_connection(target) as far:
                    _copy(self.request, far)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Relay) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"https://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


def _copy(near: socket.socket, far: socket.socket) -> None:
    with selectors.DefaultSelector() as both:
        both.register(near, selectors.EVENT_READ, far)
        both.register(far, selectors.EVENT_READ, near)
        while True:
            for key, _ in both.select():
                data = key.fileobj.recv(65536)  # type: ignore[union-attr]
                if not data:
                    return
                key.data.sendall(data)
