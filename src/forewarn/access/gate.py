"""Nobody passes without a token, except to what is public."""

import logging
import re
from collections.abc import Collection

import msgspec
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from forewarn.access.refusals import UNKNOWN
from forewarn.access.service import Access
from forewarn.access.tokens import Caller, Unverified
from forewarn.domain.access import Right

log = logging.getLogger(__name__)
CALLER = "caller"
_NOT_TOLD = re.compile(r"[^ !#-\[\]-~]")
"""What an error_description may not hold (RFC 6750, section 3): a token may be made out to a name with any of it."""


class Gate:
    """Puts the Caller that a token proves into the scope's state; without one, answers 401 as Azure does."""

    def __init__(self, app: ASGIApp, access: Access, public: Collection[str] = ()) -> None:
        """`public`: the paths, each in full, for which nobody is asked for a token."""
        self._app = app
        self._access = access
        self._public = frozenset(public)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan" and scope["path"] not in self._public:
            try:
                scope.setdefault("state", {})[CALLER] = self._caller(scope)
            except Unverified as error:
                self._access.refusals.note(UNKNOWN, f"{scope.get('method')} {scope['path']}", error.code)
                log.info("refused with %s: %s %.200r", error.code, scope.get("method"), scope["path"])
                await self._challenge(scope, error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _caller(self, scope: Scope) -> Caller:
        given = Headers(scope=scope).getlist("authorization")
        if not given:
            raise Unverified("AuthenticationFailed", "Authentication failed. The 'Authorization' header is missing.")
        scheme, _, token = given[0].partition(" ")
        if len(given) > 1 or scheme.lower() != "bearer":
            raise Unverified(
                "AuthenticationFailed", "Authentication failed. The 'Authorization' header is not one bearer token."
            )
        address = own_address(scope)
        return self._access.caller(token.strip(), (address, f"{address}/"))

    def _challenge(self, scope: Scope, error: Unverified) -> Response:
        why = f'error="invalid_token", error_description="{_NOT_TOLD.sub("?", str(error).split(".")[0])}."'
        where = f'authorization_uri="{own_address(scope)}/{self._access.tenant}"'
        return Response(
            msgspec.json.encode({"error": {"code": error.code, "message": str(error)}}),
            status_code=401,
            media_type="application/json",
            headers={"WWW-Authenticate": f"Bearer {where}, {why}", "Cache-Control": "no-store"},
        )


def require(connection: HTTPConnection, access: Access, right: Right, at: str, action: str = "") -> Caller:
    """Who asks; Forbidden unless they have that right on the resource with the ARM id `at`."""
    caller = caller_of(connection.scope)
    access.check(caller, right, at, action)
    return caller


def caller_of(scope: Scope) -> Caller:
    """Only behind a Gate, and not on its public paths."""
    caller = scope["state"][CALLER]
    assert isinstance(caller, Caller)
    return caller


def own_address(scope: Scope) -> str:
    """This server as its caller called it: scheme and Host, without a slash at the end."""
    return f"{scope['scheme']}://{Headers(scope=scope).get('host', 'localhost')}"
