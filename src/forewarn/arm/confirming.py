"""The URL that an endpoint's owner calls to say that the endpoint wants to hear, where it cannot say so itself.

Whoever knows the code got it at the endpoint, so no token is asked for.
"""

import hmac
from urllib.parse import quote

from msgspec.structs import replace
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from forewarn.arm.asking import Ask, Desk
from forewarn.arm.errors import answer_to, refusal
from forewarn.domain.errors import ForewarnError, NotFound
from forewarn.domain.resources import Resource
from forewarn.domain.subscriptions import holding, subscription_of
from forewarn.engine.ports import Reader
from forewarn.engine.publishing import subscribed

PATH = "/eventgrid/validate"
DONE = "Webhook successfully validated as a subscription endpoint."
UNKNOWN = "No event subscription waits for this code. A code holds for five minutes: create the subscription again."


def confirm_url(ask: Ask, name: str, code: str) -> str:
    return f"{ask.base}{PATH}?name={quote(name)}&id={quote(code)}"


class Confirming:
    """Answers that URL; everything else is for the application behind it."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].lower() != PATH:
            await self._app(scope, receive, send)
            return
        response = await self._answer(Request(scope, receive))
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method != "GET":  # a HEAD, from who looks at a link before it is followed, confirms nothing
            return refusal(405, "MethodNotAllowed", f"Use GET here, not {request.method}.")
        try:
            confirmed = await self._confirm(request.query_params.get("id", ""))
        except ForewarnError as error:
            return answer_to(error)
        return PlainTextResponse(DONE) if confirmed else refusal(404, "NotFound", UNKNOWN)

    async def _confirm(self, code: str) -> bool:
        key = await self._desk.engine.store.read(lambda reader: self._waiting(reader, code))
        if key is None:
            return False
        kept = await self._desk.estate.put(key, lambda known: self._confirmed(known, code))
        return subscription_of(kept).validation is None

    def _waiting(self, reader: Reader, code: str) -> str | None:
        for key, subscription in subscribed(reader):
            waits = subscription.validation
            if waits is not None and hmac.compare_digest(waits.code.encode(), code.encode()):
                return key if self._desk.wall() < waits.until else None
        return None

    def _confirmed(self, known: Resource | None, code: str) -> Resource:
        """Looked at again in the transaction: somebody may have asked for something else by now."""
        if known is None:
            raise NotFound(UNKNOWN)
        subscription = subscription_of(known)
        if subscription.validation is None or subscription.validation.code != code:
            return known
        return holding(replace(known, version=known.version + 1), replace(subscription, validation=None))
