"""A small server on real sockets that does to its clients what it is told to, connection by connection."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

PATIENCE = 20.0  # seconds; nobody waits that long unless something is broken
BODY = b'{"DocumentIncarnation":1,"Events":[]}'


class Visit:
    """One connection, as the server has it."""

    def __init__(self, connection: socket.socket, over: threading.Event) -> None:
        self._connection = connection
        self.over = over
        """Set when the test ends."""

    def hear(self) -> str:
        """The next request, head and body; empty if the client has hung up."""
        came = b""
        while b"\r\n\r\n" not in came:
            data = self._connection.recv(65536)
            if not data:
                return ""
            came += data
        head, _, body = came.partition(b"\r\n\r\n")
        length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), b":0")
        while len(body) < int(length.partition(b":")[2]):
            body += self._connection.recv(65536)
        return (head + b"\n\n" + body).decode()

    def say(self, raw: bytes) -> None:
        self._connection.sendall(raw)


Manner = Callable[[Visit], None]


class Rogue:
    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self.visits = 0


def answer(body: bytes = BODY, *fields: str, status: str = "200 OK") -> bytes:
    head = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields, "", ""]
    return "\r\n".join(head).encode() + body


@contextmanager
def rogue(*manners: Manner, at: socket.socket | None = None) -> Iterator[Rogue]:
    """The first visitor meets the first manner, and so on; the last one is for all that follow."""
    listening = at or socket.create_server(("127.0.0.1", 0))
    address = listening.getsockname()
    server = Rogue(f"unix:{address}" if isinstance(address, str) else f"http://127.0.0.1:{address[1]}")
    over = threading.Event()
    threads: list[threading.Thread] = []

    def meet(connection: socket.socket, manner: Manner) -> None:
        with connection, suppress(OSError):
            connection.settimeout(PATIENCE)
            manner(Visit(connection, over))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listening.accept()
                manner = manners[min(server.visits, len(manners) - 1)]
                server.visits += 1
                threads.append(threading.Thread(target=meet, args=(connection, manner)))
                threads[-1].start()

    accepting = threading.Thread(target=serve)
    accepting.start()
    try:
        yield server
    finally:
        over.set()
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for thread in [accepting, *threads]:
            thread.join(PATIENCE)
