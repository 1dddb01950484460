"""One table turns our errors into ARM's statuses and codes. No handler writes one."""

import msgspec
from msgspec import Struct
from starlette.responses import Response

from forewarn.domain.errors import Conflict, Forbidden, ForewarnError, Invalid, NotFound, TooMany, Unavailable

STATUSES: dict[type[ForewarnError], tuple[int, str]] = {
    Invalid: (400, "BadRequest"),
    Forbidden: (403, "AuthorizationFailed"),
    NotFound: (404, "NotFound"),
    Conflict: (409, "Conflict"),
    TooMany: (429, "TooManyRequests"),
    Unavailable: (503, "ServiceUnavailable"),
}


class ErrorDetail(Struct, frozen=True, kw_only=True):
    code: str
    message: str


class Error(Struct, frozen=True, kw_only=True):
    error: ErrorDetail


def answer_to(error: ForewarnError) -> Response:
    for kind in type(error).__mro__:
        if kind in STATUSES:
            status, code = STATUSES[kind]
            return refusal(status, code, str(error))
    return refusal(500, "InternalServerError", "Something went wrong in Forewarn itself. The server's log says what.")


def refusal(status: int, code: str, message: str) -> Response:
    body = msgspec.json.encode(Error(error=ErrorDetail(code=code, message=message)))
    return Response(body, status_code=status, media_type="application/json")
