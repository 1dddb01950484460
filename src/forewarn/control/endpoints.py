"""How a route is written down: one row per method and path, from which the server and the OpenAPI document are made."""

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from forewarn.access.gate import own_address, require
from forewarn.access.tokens import Caller
from forewarn.control.bodies import Nothing, decode_body, decode_query, read_body
from forewarn.control.desk import Desk
from forewarn.domain.access import Right
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import Actor
from forewarn.engine.ports import Transaction

Q = TypeVar("Q", bound=Struct)
B = TypeVar("B", bound=Struct)
SMALL = 64 * 1024
LARGE = 1024 * 1024
NOBODY = Actor.user("")
"""Whoever asks for what is public."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Ask(Generic[Q, B]):
    """One request, understood."""

    path: Mapping[str, str]
    query: Q
    body: B
    headers: Mapping[str, str]
    by: Actor
    caller: Caller | None = None  # None: whoever asks for what is public
    key: str | None = None  # the idempotency key, made unique to this path
    address: str = ""  # this server, as the caller called it


@dataclass(frozen=True, kw_only=True, slots=True)
class Made:
    """Something new, and where it is."""

    body: Struct
    location: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint(Generic[Q, B]):
    method: str
    path: str
    does: str  # one sentence for the OpenAPI document
    handler: Callable[[Desk, Ask[Q, B]], Awaitable[Struct | Made | Response]]
    query: type[Q] = Nothing  # type: ignore[assignment]
    body: type[B] = Nothing  # type: ignore[assignment]
    answer: type[Struct] | str  # the answer's shape, or the media type of one that is not JSON
    status: int = 200
    keyed: bool = False  # takes an Idempotency-Key
    limit: int = SMALL
    public: bool = False  # needs no token
    acknowledges: bool = False  # lets an event start, which is a right of its own
    looks: bool = False  # changes nothing of the fleet, though it is a POST

    @property
    def right(self) -> Right:
        if self.acknowledges:
            return Right.ACKNOWLEDGE
        return Right.READ if self.method == "GET" or self.looks else Right.WRITE

    def route(self, desk: Desk) -> Route:
        async def endpoint(request: Request) -> Response:
            return self._response(await self.handler(desk, await self._ask(desk, request)))

        return Route(self.path, endpoint, methods=[self.method])

    async def _ask(self, desk: Desk, request: Request) -> Ask[Q, B]:
        caller = None if self.public else require(request, desk.access, self.right, desk.access.subscription)
        raw = await read_body(request, self.limit)
        key = request.headers.get("idempotency-key") if self.keyed else None
        return Ask(
            path=request.path_params,
            query=decode_query(request, self.query),
            body=decode_body(raw, self.body),
            headers=request.headers,
            by=NOBODY if caller is None else caller.actor,
            caller=caller,
            address=own_address(request.scope),
            key=None if key is None else await _bound(desk, f"{request.url.path} {_checked(key)}", raw),
        )

    def _response(self, outcome: Struct | Made | Response) -> Response:
        if isinstance(outcome, Response):
            return outcome
        headers: dict[str, str] = {"Cache-Control": "no-store"}
        if isinstance(outcome, Made):
            headers["Location"] = outcome.location
            outcome = outcome.body
        body = msgspec.json.encode(outcome)
        return Response(body, status_code=self.status, headers=headers, media_type="application/json")


Endpoints = tuple[Endpoint[Any, Any], ...]


def _checked(key: str) -> str:
    if not 1 <= len(key) <= 200 or not key.isascii() or not key.isprintable():
        raise Invalid("An Idempotency-Key is 1 to 200 printable ASCII characters.")
    return key


async def _bound(desk: Desk, key: str, body: bytes) -> str:
    """The key, tied to the first body that came with it: a key stands for one command, not for two."""
    digest = hashlib.sha256(body).hexdigest()

    def work(tx: Transaction) -> None:
        known = tx.answer(f"body {key}")
        if known is None:
            tx.put_answer(f"body {key}", digest, desk.clock.now())
        elif known != digest:
            raise Conflict("This Idempotency-Key has come with another body before: use a new key for a new command.")

    await desk.engine.store.run(work)
    return key
