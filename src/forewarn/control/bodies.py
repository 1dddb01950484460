"""Reading what a request brings: bounded, typed, and refused in words when it does not fit."""

import asyncio
from datetime import timedelta
from typing import TypeVar

import msgspec
from msgspec import Struct
from starlette.requests import ClientDisconnect, Request

from forewarn.control.errors import NotJson, TooLarge
from forewarn.domain.errors import Invalid
from forewarn.wire.durations import parse_duration

S = TypeVar("S", bound=Struct)

PATIENCE = 10.0
"""Seconds of real time in which a body must arrive."""

LONGEST = timedelta(days=3660)


class Nothing(Struct, frozen=True, forbid_unknown_fields=True):
    """No parameters, or no body."""


async def read_body(request: Request, limit: int) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limit:
                    raise TooLarge(f"The body is longer than {limit:,} bytes.")
    except TimeoutError:
        raise Invalid(f"The body did not arrive within {PATIENCE:g} s.") from None
    except ClientDisconnect:
        raise Invalid("The connection was closed before the whole body was there.") from None
    if body and request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        raise NotJson("A body must be JSON and say so: send Content-Type: application/json.")
    return bytes(body)


def decode_body(body: bytes, kind: type[S]) -> S:
    if not body and not _needed(kind):
        return kind()
    if not body:
        raise Invalid(f"A JSON body with {', '.join(_needed(kind))} is needed.")
    try:
        return msgspec.json.decode(body, type=kind)
    except RecursionError:
        raise Invalid("The body is nested too deeply.") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"The body is not what is asked for here: {error}.") from None


def decode_query(request: Request, kind: type[S]) -> S:
    pairs = request.query_params.multi_items()
    values = dict(pairs)
    if len(values) < len(pairs):
        raise Invalid("A query parameter is there twice.")
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        raise Invalid(f"The query is not what is asked for here: {error}.") from None


def duration(name: str, text: str | None) -> timedelta | None:
    if text is None:
        return None
    try:
        length = parse_duration(text)
    except ValueError as error:
        raise Invalid(f"{name}: {error}.") from None
    if length > LONGEST:
        raise Invalid(f"{name}: {text[:40]!r} is more than ten years.")
    return length


def _needed(kind: type[Struct]) -> list[str]:
    return [field.name for field in msgspec.structs.fields(kind) if field.required]
