"""Getting in and out."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from forewarn.access.entrance import COOKIE
from forewarn.portal.desk import Desk
from forewarn.portal.pages import HEADERS, see, templates
from forewarn.portal.texts import chosen, texts_of


def login_route(desk: Desk, root: str) -> Route:
    async def endpoint(request: Request) -> Response:
        """The link that was printed: its word is worth a cookie, once."""
        cookie = desk.entrance.enter(request.query_params.get("word", ""))
        if cookie is None:
            return ask_to_log_in(desk, request, used=True)
        answer = see(f"{root}/")
        answer.set_cookie(
            COOKIE, cookie, path=root, httponly=True, samesite="strict", secure=request.url.scheme == "https"
        )
        return answer

    return Route(f"{root}/login", endpoint, methods=["GET"])


def ask_to_log_in(desk: Desk, request: Request, *, used: bool = False) -> Response:
    language = chosen(request.cookies.get("forewarn-language", ""), request.headers.get("accept-language", ""))
    view = {"t": texts_of(language), "used": used, "version": desk.version, "theme": "auto"}
    return HTMLResponse(templates().get_template("login.html").render(**view), status_code=401, headers=HEADERS)
