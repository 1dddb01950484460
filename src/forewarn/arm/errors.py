"""One table turns our errors into ARM's statuses and codes; where ARM has a word of its own, a handler says it."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct
from starlette.responses import Response

from forewarn.domain.errors import Conflict, Forbidden, ForewarnError, Invalid, NotFound, Refused, TooMany, Unavailable
from forewarn.wire.arm_ids import BadId
from forewarn.wire.errors import Malformed
from forewarn.wire.templates import TemplateError

STATUSES: dict[type[ForewarnError], tuple[int, str]] = {
    Invalid: (400, "InvalidParameter"),
    Forbidden: (403, "AuthorizationFailed"),
    NotFound: (404, "NotFound"),
    Conflict: (409, "OperationNotAllowed"),
    TooMany: (429, "TooManyRequests"),
    Unavailable: (503, "ServiceUnavailable"),
}
FAILED = "Something went wrong in Forewarn itself. The server's log says what."


class ArmError(Refused):
    """A refusal in ARM's own words."""

    def __init__(
        self, status: int, code: str, message: str, target: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.target = target
        self.headers = headers or {}


def no_group(name: str) -> ArmError:
    return ArmError(404, "ResourceGroupNotFound", f"Resource group '{name[:100]}' could not be found.")


def no_location() -> ArmError:
    return ArmError(400, "LocationRequired", "The location property is required for this definition.")


def elsewhere(name: str, group: str, known: str, wanted: str) -> ArmError:
    """`known`, `wanted`: where it is, and where it cannot be too."""
    return ArmError(
        409,
        "InvalidResourceLocation",
        f"The resource '{name}' already exists in location '{known}' in resource group '{group}'. A resource with the "
        f"same name cannot be created in location '{wanted}'. Please select a new resource name.",
    )


class ErrorDetail(Struct, frozen=True, kw_only=True, omit_defaults=True):
    code: str
    message: str
    target: str | None = None


class Error(Struct, frozen=True, kw_only=True):
    error: ErrorDetail


def told(error: ForewarnError | Malformed) -> tuple[int, ErrorDetail]:
    """The status, and what the body says."""
    if isinstance(error, ArmError):
        return error.status, ErrorDetail(code=error.code, message=str(error), target=error.target)
    if isinstance(error, Malformed):
        code = error.code if isinstance(error, BadId | TemplateError) else "InvalidParameter"
        return 400, ErrorDetail(code=code, message=str(error))
    for kind in type(error).__mro__:
        if kind in STATUSES:
            status, code = STATUSES[kind]
            return status, ErrorDetail(code=code, message=str(error))
    return 500, ErrorDetail(code="InternalServerError", message=FAILED)


def answer_to(error: ForewarnError | Malformed) -> Response:
    response = _response(*told(error))
    if isinstance(error, ArmError):
        response.headers.update(error.headers)
    return response


def refusal(status: int, code: str, message: str) -> Response:
    return _response(status, ErrorDetail(code=code, message=message))


def _response(status: int, detail: ErrorDetail) -> Response:
    return Response(msgspec.json.encode(Error(error=detail)), status_code=status, media_type="application/json")
