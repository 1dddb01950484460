"""The log of what clients ask the metadata service: for those who try a client."""

import asyncio
from contextlib import suppress
from datetime import datetime
from itertools import islice
from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Book, Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.faults import book_of
from forewarn.control.views import View, tell
from forewarn.domain.faults import Asked, Seen

PAGE = 1000
LONGEST_WAIT = 60.0


class RequestsQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    after: Annotated[int, Meta(ge=0, description="the number of a request")] = 0
    machine: Annotated[str | None, Meta(description="a name, or SCOPE/NAME")] = None
    wait: Annotated[
        float,
        Meta(ge=0, le=LONGEST_WAIT, description="seconds to wait, if there is none, for one to come or to be answered"),
    ] = 0.0


class RequestView(View, frozen=True):
    number: int
    at: datetime
    seconds: float
    scope: str
    machine: str
    asked: Asked
    method: str
    target: str
    fields: dict[str, str]
    body: str
    connection: int
    faults: list[str]
    status: int | None
    incarnation: int | None
    newest: int | None


class Requests(View, frozen=True):
    kept: bool
    last: Annotated[int, Meta(description="the number of the newest request of all")]
    items: list[RequestView]


class Keep(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    keep: Annotated[bool, Meta(description="from now on; what was kept before is forgotten")]


async def list_requests(desk: Desk, ask: Ask[RequestsQuery, Nothing]) -> Requests:
    book, query = book_of(desk), ask.query
    found = _look(book, query)
    if not found and query.wait:
        await _another(book, query)
        found = _look(book, query)
    return _told(book, found)


async def keep_requests(desk: Desk, ask: Ask[Nothing, Keep]) -> Requests:
    book = book_of(desk)
    book.log(ask.body.keep)
    return _told(book, [])


def _told(book: Book, seen: list[Seen]) -> Requests:
    return Requests(kept=book.logs, last=book.last_request, items=[tell(RequestView, each) for each in seen])


def _look(book: Book, query: RequestsQuery) -> list[Seen]:
    return list(islice((seen for seen in book.requests(query.after) if _is_of(query, seen)), PAGE))


def _is_of(query: RequestsQuery, seen: Seen) -> bool:
    return query.machine in (None, seen.machine, f"{seen.scope}/{seen.machine}")


async def _another(book: Book, query: RequestsQuery) -> None:
    came = asyncio.Event()
    stop = book.on_request(lambda seen: came.set() if seen is None or _is_of(query, seen) else None)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(query.wait):
                await came.wait()
    finally:
        stop()


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/requests",
        does="What clients have asked the metadata service, the newest 10,000 requests, in the order they came.",
        handler=list_requests,
        query=RequestsQuery,
        answer=Requests,
    ),
    Endpoint(
        method="PUT",
        path="/forewarn/v1/requests",
        does="Keep what clients ask from now on, or no longer.",
        handler=keep_requests,
        body=Keep,
        answer=Requests,
    ),
)
