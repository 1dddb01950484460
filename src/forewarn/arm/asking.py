"""A request and its answer, as the handlers see them."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request

from forewarn.access.service import Access
from forewarn.access.tokens import Caller
from forewarn.arm.errors import ArmError
from forewarn.arm.pacing import Pace
from forewarn.domain.events import Actor
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.grid.calling import Webhooks
from forewarn.wire.jsonc import plain

Json = dict[str, Any]
LARGEST_BODY = 4 * 1024 * 1024
DEEPEST_BODY = 120
"""Levels of nesting: a template may have 100, inside the body of its deployment."""
MOST_VALUES = 50_000
"""In a body: more than any resource has, and few enough not to keep others waiting while they are looked through."""

MOST_OF_A_TEMPLATE = 500_000
PATIENCE = 10.0
"""Seconds of real time in which a body must arrive."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    """What the handlers work with."""

    engine: Engine
    estate: Estate
    clock: FleetClock
    access: Access
    new_id: Callable[[], str]
    wall: Callable[[], datetime]  # real time, for what has to do with the network
    webhooks: Webhooks
    pace: Pace = field(default_factory=Pace)  # at which clients ask how far an operation is

    @property
    def subscription(self) -> str:
        return self.access.local.subscription


@dataclass(frozen=True, kw_only=True)
class Ask:
    """One request. `path` holds what the route's pattern caught, in the caller's letter case."""

    method: str
    url: str  # the path as it came, percent-decoded, doubled slashes collapsed
    path: Mapping[str, str]
    query: Mapping[str, str]  # names in lower case
    headers: Mapping[str, str]
    raw: bytes
    base: str  # scheme and host, as the caller called this server
    caller: Caller  # who bears the token
    version: str  # the api-version: a date, perhaps with -preview

    @cached_property
    def body(self) -> Json:
        """The JSON object that came along; empty if nothing did."""
        return _decoded(self.raw, MOST_VALUES)

    @cached_property
    def template_body(self) -> Json:
        """The same, where the clients send a template as somebody wrote it. Takes a moment: for a thread."""
        try:
            return _decoded(self.raw, MOST_OF_A_TEMPLATE)
        except ArmError as error:
            if error.status == 413:
                raise
            return _decoded(plain(self.raw.decode(errors="replace")).encode(), MOST_OF_A_TEMPLATE)

    @property
    def by(self) -> Actor:
        return self.caller.actor


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    status: int = 200
    body: object | None = None  # None: no content
    headers: Mapping[str, str] = field(default_factory=dict)


def _decoded(raw: bytes, most: int) -> Json:
    if not raw.strip():
        return {}
    if sum(map(raw.count, (b",", b"[", b"{"))) > most:  # not fewer than there are values
        raise ArmError(413, "RequestContentTooLarge", f"The request content has more than {most:,} values.")
    try:
        body = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ArmError(400, "InvalidRequestContent", f"The request content is not valid JSON: {error}.") from None
    if not isinstance(body, dict):
        raise ArmError(400, "InvalidRequestContent", "The request content must be a JSON object.")
    _check_depth(body)
    return body


async def read_body(request: Request, most: int = LARGEST_BODY) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise ArmError(413, "RequestContentTooLarge", f"The content is longer than {most:,} bytes.")
    except TimeoutError:
        raise ArmError(400, "InvalidRequestContent", f"The content did not arrive within {PATIENCE:g} s.") from None
    except ClientDisconnect:
        raise ArmError(400, "InvalidRequestContent", "The connection was closed before the content ended.") from None
    return bytes(body)


def _check_depth(body: Json) -> None:
    """Before anything walks through it by recursion."""
    level: list[object] = [body]
    for _ in range(DEEPEST_BODY):
        inner = [item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list)]
        level = [item for items in inner for item in items]
        if not level:
            return
    raise ArmError(400, "InvalidRequestContent", f"The request content is nested more than {DEEPEST_BODY} levels deep.")
