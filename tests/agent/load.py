"""A steady load of HTTP requests on one address: some on kept connections, some on new ones, some that take their time.

Each client sends one request after the other and counts what came of it. Nothing is tried twice: an answer that is not
200, or does not come whole, is a failed request.
"""

import asyncio
import contextlib
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle

PATHS = ("/", "/", "/0.2", "/0.35", "/0.5")
"""What each client asks for in turn; the number is how long the answer takes. As many as to suit no number of servers:
else one of two that take turns would get all that is quick."""
KEPT, NEW = 16, 8
"""Clients that keep their connection, and clients that take a new one for each request."""
GAP = 0.02
LATE = 10.0


@dataclass
class Load:
    answered: Counter[str] = field(default_factory=Counter)
    """Good answers, by who gave them."""
    failed: Counter[str] = field(default_factory=Counter)
    """By what came instead."""

    @property
    def sent(self) -> int:
        return self.answered.total() + self.failed.total()


@contextlib.contextmanager
def load(where: str) -> Iterator[Load]:
    """For as long as the block takes; then every request under way is waited for."""
    seen, over = Load(), threading.Event()
    clients = threading.Thread(target=lambda: asyncio.run(_clients(where, seen, over)))
    clients.start()
    try:
        yield seen
    finally:
        over.set()
        clients.join()


async def _clients(where: str, seen: Load, over: threading.Event) -> None:
    async with asyncio.TaskGroup() as clients:
        for number in range(KEPT + NEW):
            clients.create_task(_client(where, number < KEPT, number % len(PATHS), seen, over))


async def _client(where: str, keep: bool, first: int, seen: Load, over: threading.Event) -> None:
    streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
    paths = cycle(PATHS[first:] + PATHS[:first])  # so that they do not all ask for the same at once
    host, _, port = where.rpartition(":")
    while not over.is_set():
        good = False
        try:
            async with asyncio.timeout(LATE):
                streams = streams or await asyncio.open_connection(host, int(port))
                status, body = await _exchange(*streams, next(paths), keep)
            good = status == "200"
            (seen.answered if good else seen.failed)[body if good else status] += 1
        except (OSError, EOFError, TimeoutError) as error:
            seen.failed[type(error).__name__] += 1
        if streams is not None and not (keep and good):
            await _close(streams[1])
            streams = None
        await asyncio.sleep(GAP)
    if streams is not None:
        await _close(streams[1])


async def _exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, path: str, keep: bool
) -> tuple[str, str]:
    close = "" if keep else "Connection: close\r\n"
    writer.write(f"GET {path} HTTP/1.1\r\nHost: app\r\n{close}\r\n".encode())
    head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
    length = head.partition("content-length:")[2].split(maxsplit=1)[0]
    return head.split()[1], (await reader.readexactly(int(length))).decode()


async def _close(writer: asyncio.StreamWriter) -> None:
    writer.close()
    with contextlib.suppress(OSError):
        await writer.wait_closed()
