"""Server-sent events: an answer that goes on."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from starlette.responses import Response
from starlette.types import Receive, Scope, Send

log = logging.getLogger(__name__)
MEDIA_TYPE = "text/event-stream"
HEARTBEAT = b": nothing happened\n\n"
RETRY = b"retry: 1000\n\n"


class EventStream(Response):
    """Ends when the chunks do, when the reader is gone, or when it does not read what is sent to it."""

    def __init__(self, chunks: AsyncGenerator[bytes, None], patience: float) -> None:
        self._chunks = chunks
        self._patience = patience
        self.status_code = 200
        self.background = None
        self.init_headers({"content-type": MEDIA_TYPE, "cache-control": "no-store"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
        if scope["method"] == "HEAD":
            await self._chunks.aclose()
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        tasks = {asyncio.create_task(self._pump(send)), asyncio.create_task(_gone(receive))}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    async def _pump(self, send: Send) -> None:
        async with contextlib.aclosing(self._chunks) as chunks:
            async for chunk in chunks:
                try:
                    async with asyncio.timeout(self._patience):
                        await send({"type": "http.response.body", "body": chunk, "more_body": True})
                except TimeoutError:
                    log.warning("a watcher did not read for %g s and is cut off", self._patience)
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
