"""Route tables, and what stands before every page: who visits, and whether a form was really theirs."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from forewarn.access.entrance import csrf_of
from forewarn.domain.errors import Forbidden, ForewarnError, Invalid, NotFound, TooMany, Unavailable
from forewarn.portal.choices import language_of
from forewarn.portal.desk import Desk, Visit
from forewarn.portal.login import ask_to_log_in, cookie_of
from forewarn.portal.pages import page
from forewarn.portal.places import ROOT
from forewarn.portal.texts import texts_of

LARGEST_FORM = 64 * 1024
MOST_FIELDS = 200
PATIENCE = 10.0
"""Seconds of real time in which a form must arrive."""

STATUSES = ((NotFound, 404), (Forbidden, 403), (Invalid, 400), (TooMany, 429), (Unavailable, 503))
"""What is none of these is 409: it conflicts with how things are."""
Form = Mapping[str, str]
See = Callable[[Visit], Awaitable[Response]]
Take = Callable[[Visit, Form], Awaitable[Response]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One place of the portal: what it shows, and what it does with a form that is sent to it."""

    path: str
    see: See | None = None
    take: Take | None = None
    anybody: bool = False
    """Also for who is logged in and has no role. What is taken there changes nothing of the fleet."""

    def route(self, desk: Desk) -> Route:
        async def endpoint(request: Request) -> Response:
            visit = visit_of(desk, request)
            if visit is None:
                return ask_to_log_in(desk, request)
            try:
                if not self.anybody:
                    visit.check_look()
                return await self._answer(visit)
            except ForewarnError as error:
                return _refused(visit, error)

        methods = [*(["GET"] if self.see else []), *(["POST"] if self.take else [])]
        return Route(ROOT + self.path, endpoint, methods=methods)

    async def _answer(self, visit: Visit) -> Response:
        if visit.request.method == "POST" and self.take is not None:
            return await self.take(visit, await form_of(visit))
        assert self.see is not None
        return await self.see(visit)


Rows = tuple[Row, ...]


def visit_of(desk: Desk, request: Request) -> Visit | None:
    cookie = cookie_of(request)
    caller = desk.entrance.visitor(cookie)
    if caller is None:
        return None
    texts = texts_of(language_of(request))
    return Visit(request=request, desk=desk, caller=caller, texts=texts, csrf=csrf_of(cookie))


async def form_of(visit: Visit) -> Form:
    """Forbidden unless the form was on a page of ours: a page of another site cannot know its token."""
    body = (await _body(visit.request)).decode("utf-8", "replace")
    try:
        form = dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        raise Invalid("The form has more than {most} fields.", key="form_fields", most=MOST_FIELDS) from None
    if not hmac.compare_digest(form.pop("csrf", "").encode(), visit.csrf.encode()):
        raise Forbidden(
            "This form was not sent from a page of the portal. Open the page again and repeat it.", key="not_our_form"
        )
    return form


async def _body(request: Request) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(PATIENCE):
            async for chunk in request.stream():
                body += chunk
                if len(body) > LARGEST_FORM:
                    raise Invalid("The form is too long.", key="form_too_long")
    except TimeoutError:
        raise Invalid(
            "The form did not arrive within {seconds} s.", key="form_too_slow", seconds=f"{PATIENCE:g}"
        ) from None
    except ClientDisconnect:
        raise Invalid("The connection was closed before the whole form was there.", key="form_cut_off") from None
    return bytes(body)


def _refused(visit: Visit, error: ForewarnError) -> Response:
    status = next((status for kind, status in STATUSES if isinstance(error, kind)), 409)
    template = "lost.html" if isinstance(error, NotFound) else "refused.html"
    return page(visit, template, status=status, message=error)
