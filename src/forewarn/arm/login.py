"""What a client asks before it has a token: where everything is, and then for the token.

The login is at `/adfs`: for an authority of that name Azure's libraries do not ask Microsoft whether it is a real one.
"""

import base64
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote_plus, urlsplit

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from forewarn.access.files import RESOURCE
from forewarn.access.gate import own_address
from forewarn.access.service import Access
from forewarn.arm.asking import read_body
from forewarn.arm.errors import ArmError, refusal
from forewarn.wire.authorities import is_loopback
from forewarn.wire.catalogue import alias_document

FORM_LIMIT = 16 * 1024
FLAT_BEFORE = "2018-01-01"
"""Cloud metadata had another shape before, which Azure Stack's clients still ask for."""

TENANT_NAMES = frozenset({"adfs", "common", "organizations"})
"""Beside the tenant's own id; there is only one tenant."""


class OAuthError(Exception):
    """A refusal in OAuth's own shape (RFC 6749, section 5.2)."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.error = error
        self.description = description
        self.status = status


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    client_id: str
    secret: str = field(repr=False)


class Login:
    """Answers what is public of the login; everything else is for the application behind it."""

    def __init__(self, app: ASGIApp, access: Access, https_port: Callable[[], int | None] = lambda: None) -> None:
        """`https_port`: where the same server speaks HTTPS."""
        self._app = app
        self._access = access
        self._https_port = https_port

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self._find(scope) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        method, handler, tenant = found
        request = Request(scope, receive)
        if request.method not in (method, "HEAD" if method == "GET" else method):
            answer = refusal(405, "MethodNotAllowed", f"Use {method} here, not {request.method}.")
            answer.headers["Allow"] = method
        else:
            answer = await self._answered(handler, request, tenant)
        await answer(scope, receive, send)

    def _find(self, scope: Scope) -> "tuple[str, Handler, str] | None":
        path = re.sub("/+", "/", scope["path"]).lower()
        for method, pattern, handler in ROUTES:
            if match := pattern.fullmatch(path):
                return method, handler, match.groupdict().get("tenant", "adfs")
        return None

    async def _answered(self, handler: "Handler", request: Request, tenant: str) -> Response:
        try:
            if tenant not in TENANT_NAMES and tenant != self._access.tenant:
                raise OAuthError(
                    "invalid_request",
                    f"AADSTS90002: Tenant '{tenant[:100]}' not found. Check to make sure you have the correct tenant "
                    f"ID. Here it is {self._access.tenant}, or adfs.",
                )
            return await handler(self, request, tenant)
        except OAuthError as error:
            return _json({"error": error.error, "error_description": error.description}, error.status)

    # The handlers

    async def metadata(self, request: Request, tenant: str) -> Response:
        version = request.query_params.get("api-version")
        if not version:
            return refusal(
                400,
                "MissingApiVersionParameter",
                "The api-version query parameter (?api-version=) is required for all requests.",
            )
        here, login = own_address(request.scope), self._login_address(request.scope)
        authentication: dict[str, Any] = {
            "loginEndpoint": f"{login}/adfs",
            "audiences": [RESOURCE, "https://management.azure.com/"],
        }
        if version < FLAT_BEFORE:
            nowhere = dict.fromkeys(("galleryEndpoint", "graphEndpoint", "portalEndpoint"), f"{here}/")
            return _json({**nowhere, "authentication": authentication})
        return _json(
            {
                "name": "Forewarn",
                "portal": f"{here}/",
                "authentication": {**authentication, "tenant": self._access.tenant, "identityProvider": "ADFS"},
                "graph": f"{here}/",
                "graphAudience": f"{here}/",
                "microsoftGraphResourceId": f"{here}/",
                "resourceManager": f"{here}/",
                "vmImageAliasDoc": f"{here}/aliases.json",
                "suffixes": {},
            }
        )

    async def configuration(self, request: Request, tenant: str) -> Response:
        login = self._login_address(request.scope)
        at = f"{login}/{self._access.tenant if tenant != 'adfs' else tenant}"
        version = "/v2.0" if "/v2.0/" in request.url.path.lower() else ""
        return _json(
            {
                "issuer": f"{login}/{self._access.tenant}",
                "authorization_endpoint": f"{at}/oauth2{version}/authorize",
                "token_endpoint": f"{at}/oauth2{version}/token",
                "jwks_uri": f"{at}/discovery{version}/keys",
                "grant_types_supported": ["client_credentials"],
                "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
                "response_types_supported": ["token"],
                "subject_types_supported": ["public"],
                "id_token_signing_alg_values_supported": ["RS256"],
            }
        )

    async def public_keys(self, request: Request, tenant: str) -> Response:
        return _json(self._access.public_keys())

    async def aliases(self, request: Request, tenant: str) -> Response:
        return _json(alias_document())

    async def token(self, request: Request, tenant: str) -> Response:
        form = await _form(request)
        if form.get("grant_type") != "client_credentials":
            raise OAuthError(
                "unsupported_grant_type" if "grant_type" in form else "invalid_request",
                "AADSTS70003: Only client_credentials is understood here: a client id and its secret.",
            )
        given = _credentials(request, form)
        client = self._access.log_in(given.client_id, given.secret)
        if client is None:
            raise OAuthError(
                "invalid_client",
                "AADSTS7000215: Invalid client secret provided, or there is no client "
                f"'{given.client_id[:100]}'. The local login is in access/local.json of the data directory.",
                401,
            )
        issuer = f"{own_address(request.scope)}/{self._access.tenant}"
        grant = self._access.issue(client.id, name=client.name, audience=_audience(form), issuer=issuer)
        return _json(
            {
                "token_type": "Bearer",
                "expires_in": grant.expires_in,
                "ext_expires_in": grant.expires_in,
                "expires_on": int(grant.expires.timestamp()),
                "not_before": int(grant.issued.timestamp()),
                "resource": grant.audience,
                "access_token": grant.token,
            }
        )

    def _login_address(self, scope: Scope) -> str:
        """Where secrets may be sent: over HTTPS, unless they do not leave this host."""
        here = own_address(scope)
        parts, port = urlsplit(here), self._https_port()
        if parts.scheme == "https" or port is None or is_loopback(parts.hostname or ""):
            return here
        name = parts.netloc.removesuffix(f":{parts.port}")
        return f"https://{name}:{port}"


Handler = Callable[[Login, Request, str], Awaitable[Response]]
_TENANT = r"/(?P<tenant>[^/]+)"
ROUTES: tuple[tuple[str, re.Pattern[str], Handler], ...] = (
    ("GET", re.compile("/metadata/endpoints"), Login.metadata),
    ("GET", re.compile(r"/aliases\.json"), Login.aliases),
    ("GET", re.compile(rf"{_TENANT}(/v2\.0)?/\.well-known/openid-configuration"), Login.configuration),
    ("GET", re.compile(rf"{_TENANT}/discovery(/v2\.0)?/keys"), Login.public_keys),
    ("POST", re.compile(rf"{_TENANT}/oauth2(/v2\.0)?/token"), Login.token),
)


def _credentials(request: Request, form: dict[str, str]) -> Credentials:
    """From the form, or from the header (RFC 6749, section 2.3.1); not from both."""
    scheme, _, coded = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "basic":
        if not form.get("client_id") or not form.get("client_secret"):
            raise OAuthError("invalid_request", "client_id and client_secret are needed.")
        return Credentials(client_id=form["client_id"], secret=form["client_secret"])
    if "client_secret" in form:
        raise OAuthError("invalid_request", "The client's secret is there twice.")
    try:
        user, password = base64.b64decode(coded, validate=True).decode().split(":", 1)
    except ValueError:
        raise OAuthError("invalid_request", "The Authorization header is not understood.") from None
    return Credentials(client_id=unquote_plus(user), secret=unquote_plus(password))


def _audience(form: dict[str, str]) -> str:
    """`resource` as it is; `scope` without its /.default, which is how the newer endpoint writes the same."""
    scope = form.get("scope", "").split(" ")[0]
    asked = form.get("resource") or scope.removesuffix("/.default") or RESOURCE
    if len(asked) > 500 or not asked.isprintable():
        raise OAuthError("invalid_request", "The resource or scope is not understood.")
    return asked


async def _form(request: Request) -> dict[str, str]:
    try:
        body = await read_body(request, FORM_LIMIT)
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=50)
    except ArmError as error:
        raise OAuthError("invalid_request", str(error), error.status) from None
    except ValueError:
        raise OAuthError("invalid_request", "The form is not understood.") from None
    if len(dict(pairs)) < len(pairs):
        raise OAuthError("invalid_request", "A parameter is there twice.")
    return dict(pairs)


def _json(value: object, status: int = 200) -> Response:
    headers = {"Cache-Control": "no-store"}
    return Response(msgspec.json.encode(value), status_code=status, headers=headers, media_type="application/json")
