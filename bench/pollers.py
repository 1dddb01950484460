"""Clients that each wait for an operation, as Azure's do: ask, let Retry-After pass, ask again, on one connection each.

Prints a line when all have asked once, and at SIGTERM how often they have asked since.
"""

import asyncio
import random
import re
import signal
import ssl
import sys
from urllib.parse import urlsplit

import uvloop

STATUS = re.compile(rb"HTTP/1\.1 200 ")
LENGTH = re.compile(rb"(?i)\r\ncontent-length: (\d+)")
RETRY_AFTER = re.compile(rb"(?i)\r\nretry-after: ([\d.]+)")


class Pollers:
    def __init__(self, ca: str, token: str) -> None:
        self._context = ssl.create_default_context(cafile=ca)
        self._token = token
        self._chance = random.Random(1)
        self.asked = 0

    async def poll(self, url: str, connected: asyncio.Semaphore) -> None:
        parts = urlsplit(url)
        reader, writer = await asyncio.open_connection("localhost", parts.port, ssl=self._context)
        request = (
            f"GET {parts.path}?{parts.query} HTTP/1.1\r\nHost: {parts.netloc}\r\nAccept: application/json\r\n"
            f"Authorization: Bearer {self._token}\r\nUser-Agent: bench\r\n\r\n"
        ).encode()
        pace = await self._ask(reader, writer, request) + self._chance.random()  # not all in the same moment
        connected.release()
        while True:
            await asyncio.sleep(pace)
            pace = await self._ask(reader, writer, request)

    async def _ask(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> float:
        """How long to wait until the next time."""
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.readexactly(int(LENGTH.search(head)[1]))  # type: ignore[index]
        pace = RETRY_AFTER.search(head)
        if not STATUS.match(head) or b'"InProgress"' not in body or pace is None:
            raise SystemExit(f"an operation is not under way: {head!r} {body!r}")
        self.asked += 1
        return float(pace[1])


async def main(ca: str) -> None:
    token, *urls = sys.stdin.read().split()
    pollers, connected, ended = Pollers(ca, token), asyncio.Semaphore(0), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    tasks = [asyncio.create_task(pollers.poll(url, connected)) for url in urls]
    for _ in tasks:
        await connected.acquire()
    print("polling", flush=True)
    pollers.asked = 0
    await ended.wait()
    print(pollers.asked, flush=True)


if __name__ == "__main__":
    uvloop.run(main(sys.argv[1]))
