"""Every change as it happens: server-sent events of the history, resumable by sequence number."""

from collections.abc import AsyncGenerator, Mapping

import msgspec
from msgspec import Struct
from starlette.responses import Response

from forewarn.access.tokens import Caller
from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.history import Seq
from forewarn.control.views import EntryView, tell
from forewarn.domain.access import Right
from forewarn.domain.errors import Invalid, TooMany, Unavailable
from forewarn.domain.history import Entry
from forewarn.web.streams import HEARTBEAT, MEDIA_TYPE, RETRY, EventStream

MOST_WATCHERS = 500


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
