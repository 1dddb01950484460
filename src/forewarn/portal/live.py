"""What happens, as it happens: the open page hears that something changed, and asks for what it shows anew."""

import contextlib
from collections.abc import AsyncGenerator

import msgspec
from starlette.responses import Response

from forewarn.domain.errors import Invalid, TooMany, Unavailable
from forewarn.domain.history import Entry
from forewarn.portal.desk import Visit
from forewarn.portal.routing import Row, Rows
from forewarn.web.streams import HEARTBEAT, RETRY, EventStream

MOST = 200
PATIENCE = 20.0
"""Seconds for which a page may leave unread what fills all buffers."""

CLOCK_SET = b'data: {"scope":"","what":"clock","subject":""}\n\n'
"""Not in the history, and yet every time on the page means something else now."""
DESCRIBED = b'data: {"scope":"","what":"described","subject":""}\n\n'
"""Nor is this: somebody has described a resource otherwise."""


async def stream(visit: Visit) -> Response:
    """From the entry after the last that the page heard of, or from now on."""
    desk = visit.desk
    if desk.hub.watchers >= MOST:
        raise TooMany("{most} pages are open, and there may be no more: close one.", key="too_many_pages", most=MOST)
    last = visit.request.headers.get("last-event-id") or visit.asked("after")
    if last and not (last.isascii() and last.isdecimal() and len(last) <= 18):
        raise Invalid("A page goes on after the number of a history entry.", key="after_an_entry")
    after = int(last) if last else await desk.engine.store.read(lambda reader: reader.last_entry())
    return EventStream(_told(visit, after), PATIENCE)


async def _told(visit: Visit, after: int) -> AsyncGenerator[bytes, None]:
    """Until the visitor's login or role ends, if not earlier."""
    desk = visit.desk
    state, unwritten = desk.clock.state, desk.roster.unwritten
    yield RETRY
    with contextlib.suppress(Unavailable):  # the page comes back and finds where it was
        async with contextlib.aclosing(desk.hub.follow(after)) as batches:
            async for batch in batches:
                if not visit.may_look:
                    return
                told = b"".join(_frame(entry) for entry in batch)
                if state is not desk.clock.state:
                    state, told = desk.clock.state, told + CLOCK_SET
                if unwritten != desk.roster.unwritten:
                    unwritten, told = desk.roster.unwritten, told + DESCRIBED
                yield told or HEARTBEAT


def _frame(entry: Entry) -> bytes:
    told = {"scope": entry.scope, "what": entry.what.value, "subject": entry.subject}
    return b"id: %d\ndata: %s\n\n" % (entry.seq, msgspec.json.encode(told))


ROWS: Rows = (Row(path="/stream", see=stream),)
