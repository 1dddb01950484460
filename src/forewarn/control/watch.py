"""Every change as it happens: server-sent events of the history, resumable by sequence number."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Mapping

import msgspec
from msgspec import Struct
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from forewarn.access.tokens import Caller
from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.history import Seq
from forewarn.control.views import EntryView, tell
from forewarn.domain.access import Right
from forewarn.domain.errors import Invalid, TooMany, Unavailable
from forewarn.domain.history import Entry

log = logging.getLogger(__name__)
MEDIA_TYPE = "text/event-stream"
MOST_WATCHERS = 500
HEARTBEAT = b": nothing happened\n\n"
RETRY = b"retry: 1000\n\n"


class WatchQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    after: Seq | None = None
    scope: str | None = None


async def watch(desk: Desk, ask: Ask[WatchQuery, Nothing]) -> Response:
    """From the entry after `Last-Event-ID`, or after `after`, or from now on."""
    if desk.hub.watchers >= MOST_WATCHERS:
        raise TooMany(f"{MOST_WATCHERS} watchers are connected, and there may be no more: end one, or try later.")
    after = _resumed(ask.headers)
    if after is None:
        after = ask.query.after
    if after is None:
        after = await desk.engine.store.read(lambda r: r.last_entry())
    caller = ask.caller
    assert caller is not None, "it is not public"
    return EventStream(_written(desk, caller, after, ask.query.scope), desk.patience)


def _resumed(headers: Mapping[str, str]) -> int | None:
    text = headers.get("last-event-id")
    if not text:
        return None
    if not text.isascii() or not text.isdecimal() or len(text) > 18:
        raise Invalid("Last-Event-ID is the sequence number of a history entry.")
    return int(text)


async def _written(desk: Desk, caller: Caller, after: int, scope: str | None) -> AsyncGenerator[bytes, None]:
    """Until the caller's token or role ends, if not earlier."""
    yield RETRY
    try:
        async for batch in desk.hub.follow(after):
            if not desk.access.may(caller, Right.READ, desk.access.subscription):
                return
            yield b"".join(_frame(entry) for entry in batch if scope in (None, entry.scope)) or HEARTBEAT
    except Unavailable:
        return  # the reader comes back and finds where it was


def _frame(entry: Entry) -> bytes:
    data = msgspec.json.encode(tell(EntryView, entry))
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (entry.seq, entry.what.value.encode(), data)


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


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/watch",
        does="Every history entry as it is written, as server-sent events; goes on from Last-Event-ID or `after`.",
        handler=watch,
        query=WatchQuery,
        answer=MEDIA_TYPE,
    ),
)
