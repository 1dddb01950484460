"""The ARM face's application: the login, and behind the gate the resources."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp

from forewarn.access.gate import Gate
from forewarn.access.service import Access
from forewarn.arm.errors import answer_to, refusal
from forewarn.arm.login import Login
from forewarn.domain.errors import ForewarnError


def create_arm(*, access: Access, https_port: Callable[[], int | None] = lambda: None) -> ASGIApp:
    resources = Starlette(
        exception_handlers={ForewarnError: _refused, HTTPException: _unrouted, Exception: _failed},
    )
    resources.router.redirect_slashes = False
    return Login(Gate(resources, access), access, https_port)


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ForewarnError)
    return answer_to(error)


async def _unrouted(request: Request, error: Exception) -> Response:
    return refusal(404, "NotFound", f"There is nothing at {request.url.path[:200]}.")


async def _failed(request: Request, error: Exception) -> Response:
    return refusal(500, "InternalServerError", "Something went wrong in Forewarn itself. The server's log says what.")
