"""One table turns our errors into statuses. No handler writes one."""

import msgspec
from msgspec import Struct
from starlette.responses import Response

from forewarn.domain.errors import Conflict, Forbidden, ForewarnError, Invalid, NotFound, Refused, TooMany, Unavailable


class Foreign(Refused):
    """The request was sent by a page of another site."""


class Misdirected(Invalid):
    """The Host is not a name of this server."""


class TooLarge(Invalid):
    """The body is longer than anything this endpoint takes."""


class NotJson(Invalid):
    """There is a body, and it does not say that it is JSON."""


class NotAllowed(Invalid):
    """The path is there, the method is not."""


STATUSES: dict[type[ForewarnError], int] = {
    Foreign: 403,
    TooLarge: 413,
    NotJson: 415,
    NotAllowed: 405,
    Misdirected: 421,
    Invalid: 400,
    Forbidden: 403,
    NotFound: 404,
    Conflict: 409,
    TooMany: 429,
    Unavailable: 503,
}


class ErrorDetail(Struct, frozen=True, kw_only=True):
    code: str  # the class of the error, such as NotFound
    message: str  # for people: what happened, why, what to do


class Error(Struct, frozen=True, kw_only=True):
    error: ErrorDetail


def status_of(error: ForewarnError) -> tuple[int, str]:
    """The status, and the name of the row it was found in."""
    for kind in type(error).__mro__:
        if kind in STATUSES:
            return STATUSES[kind], kind.__name__
    return 500, "Failed"


def answer_to(error: ForewarnError) -> Response:
    status, code = status_of(error)
    return refusal(status, code, str(error))


def refusal(status: int, code: str, message: str) -> Response:
    body = msgspec.json.encode(Error(error=ErrorDetail(code=code, message=message)))
    return Response(body, status_code=status, media_type="application/json")
