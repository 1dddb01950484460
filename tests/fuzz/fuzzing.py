"""Mutated requests against a real server process, over real sockets.

Each request has a connection of its own, which the client half-closes, so that the server must end it. Whatever comes
back must be whole HTTP responses, none of them a 5xx. Between batches a client that was there all along must still be
served. The fire comes through a unix socket, or the client's host would soon be out of ports; the other client is on
loopback.
"""

import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.fuzz.mutations import CORPUS, requests
from tests.fuzz.target import FILE

BATCH = 5_000
AT_ONCE = 50
PATIENCE = 20.0  # seconds until a silent server counts as hung
WARM_UP = 20_000  # requests until memory is expected not to grow any more
GROWTH = 16 * 1024 * 1024

_response = re.compile(rb"HTTP/1\.1 (\d{3}) [A-Za-z -]+\r\n((?:[A-Za-z-]+: [\x20-\x7e]*\r\n)*)\r\n", re.ASCII)
_length = re.compile(rb"Content-Length: (\d+)\r\n")


class Broken(Exception):
    """The server did what it must not. The text says how to see it again."""


@contextmanager
def server_process(folder: str) -> Iterator[tuple[int, int]]:
    """Process id and port."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.target", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield process.pid, int(process.stdout.readline())
        if process.poll() is not None:
            raise Broken(f"the server ended with {process.returncode}")
    finally:
        process.stdin.close()
        process.wait(PATIENCE)
        process.stdout.close()


def fuzz(count: int, seed: int, tell: Callable[[str], None] = lambda line: None) -> None:
    with (
        TemporaryDirectory() as folder,
        server_process(folder) as (pid, port),
        Bystander(port) as bystander,
    ):
        settled = 0
        for done in range(0, count, BATCH):
            batch = list(requests(f"{seed}/{done}", min(BATCH, count - done)))
            for start in range(0, len(batch), AT_ONCE):
                _fire(f"{folder}/{FILE}.sock", batch[start : start + AT_ONCE])
            bystander.ask()
            memory = _resident(pid)
            settled = memory if done <= WARM_UP else settled
            if memory - settled > GROWTH:
                raise Broken(f"memory grew from {settled:,} to {memory:,} bytes after {done:,} requests, seed {seed}")
            tell(f"{done + len(batch):,} of {count:,} requests, {memory / 2**20:.1f} MiB resident")


def _fire(path: str, batch: list[bytes]) -> None:
    with ExitStack() as stack:
        flying = [stack.enter_context(_send(path, raw)) for raw in batch]
        for raw, connection in zip(batch, flying, strict=True):
            check(raw, _everything(raw, connection))


def _send(path: str, raw: bytes) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(PATIENCE)
    connection.connect(path)
    with suppress(OSError):  # refused before it was all sent; the answer, if any, is still to be read
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
    return connection


def _everything(raw: bytes, connection: socket.socket) -> bytes:
    came = b""
    try:
        while data := connection.recv(65536):
            came += data
    except ConnectionResetError:
        pass
    except TimeoutError:
        raise Broken(f"the server neither answers nor closes after {_shown(raw)}") from None
    return came


def check(raw: bytes, came: bytes) -> None:
    """What came back must be whole responses."""
    place = 0
    while place < len(came):
        response = _response.match(came, place)
        if response is None:
            raise Broken(f"{_shown(came[place:])} is no response; it came after {_shown(raw)}")
        if int(response[1]) >= 500:
            raise Broken(f"{_shown(came[place:])} came after {_shown(raw)}")
        place = response.end()
        length = _length.search(response[2])
        if length is not None and not (b"HEAD" in raw and came[place : place + 5] in (b"", b"HTTP/")):
            place += int(length[1])
    if place != len(came):
        raise Broken(f"{_shown(came)} is cut off; it came after {_shown(raw)}")


def _shown(raw: bytes) -> str:
    return repr(raw) if len(raw) < 2000 else f"{raw[:1000]!r} … {raw[-1000:]!r}"


def _resident(pid: int) -> int:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * 4096


class Bystander:
    """A well-behaved client on one connection, from the beginning to the end."""

    def __init__(self, port: int) -> None:
        self._connection = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._first = self.ask()

    def __enter__(self) -> "Bystander":
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def ask(self) -> bytes:
        """The body, which must be the same each time."""
        self._connection.sendall(CORPUS[0])
        came = b""
        while not came.endswith(b"]}"):
            data = self._connection.recv(65536)
            if not data:
                raise Broken("a client that did nothing wrong was cut off")
            came += data
        check(CORPUS[0], came)
        body = came.partition(b"\r\n\r\n")[2]
        if getattr(self, "_first", body) != body:
            raise Broken(f"a client that did nothing wrong got {body!r}")
        return body
