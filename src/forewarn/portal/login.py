"""Getting in and out.

The cookie is for requests of the portal's own pages only (SameSite=Strict). A browser therefore leaves it out when a
page of another site leads here, even right after it was set: whoever comes from elsewhere takes one more step, from a
page of ours.
"""

from datetime import timedelta
from urllib.parse import quote, unquote

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from forewarn.access.entrance import COOKIE, DOOR, LINK_LIFE, cookie_at
from forewarn.portal.choices import language_of, theme_of
from forewarn.portal.desk import Desk, Visit
from forewarn.portal.pages import see, templates
from forewarn.portal.places import HOME, ROOT, inside, place_of
from forewarn.portal.texts import texts_of

WANTED = "forewarn-wanted"
"""The cookie that remembers, for as long as a link lives, which page was asked for first."""

SECRET = {"Referrer-Policy": "no-referrer"}
"""The address of these pages may hold a word."""


def login_route(desk: Desk) -> Route:
    async def endpoint(request: Request) -> Response:
        """The link that was printed: its word is worth a cookie, once."""
        if request.method == "HEAD" or "sec-purpose" in request.headers:
            return Response(status_code=204)  # who only looks ahead does not use up the word
        word = request.query_params.get("word", "")
        cookie = desk.entrance.enter(word) if word else None
        if cookie is not None:
            return _entered(desk, request, cookie)
        if desk.entrance.visitor(cookie_of(request)) is not None:
            return see(HOME)
        return ask_to_log_in(desk, request, used=bool(word))

    return Route(DOOR, endpoint, methods=["GET"])


def cookie_of(request: Request) -> str:
    return request.cookies.get(cookie_name(request), "")


def cookie_name(request: Request, kind: str = COOKIE) -> str:
    return cookie_at(request.url.port or (443 if request.url.scheme == "https" else 80), kind)


def ask_to_log_in(desk: Desk, request: Request, *, used: bool = False) -> Response:
    place = place_of(request)
    if _from_another_site(request) and not used:
        return _step(desk, request, place)
    answer = _page(desk, request, "login.html", status=401, used=used)
    if place != HOME and "text/html" in request.headers.get("accept", ""):
        _set(answer, request, WANTED, quote(place, safe=""), DOOR, lax=True, life=LINK_LIFE)
    return answer


def leave(visit: Visit, answer: Response) -> Response:
    """The browser forgets the cookie."""
    answer.delete_cookie(cookie_name(visit.request), path=ROOT, httponly=True, samesite="strict")
    return answer


def _entered(desk: Desk, request: Request, cookie: str) -> Response:
    wanted = cookie_name(request, WANTED)
    place = inside(request.query_params.get("next") or unquote(request.cookies.get(wanted, "")))
    answer = _step(desk, request, place) if _from_another_site(request) else see(place)
    answer.delete_cookie(wanted, path=DOOR, httponly=True, samesite="lax")
    _set(answer, request, COOKIE, cookie, ROOT)
    answer.headers.update(SECRET)
    return answer


def _from_another_site(request: Request) -> bool:
    return request.headers.get("sec-fetch-site") == "cross-site" and request.headers.get("sec-fetch-mode") == "navigate"


def _step(desk: Desk, request: Request, place: str) -> Response:
    return _page(desk, request, "step.html", place=place)


def _page(desk: Desk, request: Request, template: str, *, status: int = 200, **view: object) -> Response:
    frame = {"t": texts_of(language_of(request)), "version": desk.version, "theme": theme_of(request)}
    text = templates().get_template(template).render(**frame, **view)
    return HTMLResponse(text, status_code=status, headers=SECRET)


def _set(
    answer: Response,
    request: Request,
    kind: str,
    value: str,
    path: str,
    *,
    lax: bool = False,
    life: timedelta | None = None,
) -> None:
    answer.set_cookie(
        cookie_name(request, kind),
        value,
        max_age=int(life.total_seconds()) if life else None,
        path=path,
        httponly=True,
        samesite="lax" if lax else "strict",
        secure=request.url.scheme == "https",
    )
