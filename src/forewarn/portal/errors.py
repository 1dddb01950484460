"""What is shown where there is no page, and where one broke."""

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ExceptionHandler

from forewarn.portal.choices import language_of, theme_of
from forewarn.portal.desk import Desk
from forewarn.portal.login import ask_to_log_in
from forewarn.portal.pages import HEADERS, page, templates
from forewarn.portal.routing import visit_of
from forewarn.portal.texts import texts_of


def handlers(desk: Desk) -> dict[int | type[Exception], ExceptionHandler]:
    async def lost(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        visit = visit_of(desk, request)
        if visit is None:
            return ask_to_log_in(desk, request)
        told = visit.texts("lost.method" if error.status_code == 405 else "lost.path")
        answer = page(visit, "lost.html", status=error.status_code, message=told)
        answer.headers.update(error.headers or {})  # such as Allow
        return answer

    return {HTTPException: lost, Exception: _failed}


async def _failed(request: Request, error: Exception) -> Response:
    """Nothing of what went wrong: that is in the server's log."""
    frame = {"t": texts_of(language_of(request)), "theme": theme_of(request)}
    text = templates().get_template("failed.html").render(**frame)
    return HTMLResponse(text, status_code=500, headers=HEADERS)
