"""From a view to an answer."""

import re
from collections.abc import Mapping
from datetime import datetime
from functools import cache, partial
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, RedirectResponse, Response

from forewarn.domain.durations import format_duration
from forewarn.domain.errors import ForewarnError
from forewarn.portal.choices import theme_of
from forewarn.portal.desk import Visit
from forewarn.portal.places import came_from, place_of
from forewarn.portal.texts import LANGUAGES, Texts

_TYPED = re.compile("`([^`]+)`")
HEADERS = {  # of every answer, unless it says something else itself
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # with no-referrer, a browser would send forms with `Origin: null`
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


@cache
def templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(str(files(__package__ or "").joinpath("templates"))),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["iso"] = iso
    environment.filters["rich"] = rich
    environment.filters["coded"] = coded
    environment.filters["duration"] = format_duration
    return environment


def iso(moment: datetime) -> str:
    """For <time datetime=…>: the browser tells it in its own zone."""
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def rich(text: str, **facts: object) -> Markup:
    """A text with links or times at the places it names; whatever is not markup already is escaped."""
    return Markup(escape(text)).format(**facts)  # noqa: S704  it is escaped


def coded(text: str) -> Markup:
    """What stands between backticks is what somebody types."""
    return Markup(_TYPED.sub(r"<code>\1</code>", str(escape(text))))  # noqa: S704  it is escaped


def told(texts: Texts, said: ForewarnError | str) -> Markup:
    """A refusal in the visitor's language; where that has no words for it, in English, and marked so."""
    text = texts.refusal(said) if isinstance(said, ForewarnError) else said
    if text is not None:
        return coded(text)
    return rich(texts("refused.in_english"), words=Markup('<span lang="en">{}</span>').format(coded(str(said))))


def page(visit: Visit, template: str, *, status: int = 200, **view: Any) -> Response:
    return HTMLResponse(html(visit, template, **view), status_code=status)


def html(visit: Visit, template: str, **view: Any) -> str:
    return templates().get_template(template).render(**frame_of(visit), **view)


def frame_of(visit: Visit) -> Mapping[str, Any]:
    """What every page shows around what it is about."""
    clock = visit.desk.clock
    return {
        "t": visit.texts,
        "told": partial(told, visit.texts),
        "languages": LANGUAGES,
        "who": visit.caller.name,
        "may_look": visit.may_look,
        "may_act": visit.may_act,
        "may_approve": visit.may_approve,
        "csrf": visit.csrf,
        "now": visit.now,
        "clock_rate": None if clock.is_real else clock.rate,
        "path": visit.request.url.path,
        "here": place_of(visit.request),
        "back": came_from(visit.request),
        "version": visit.desk.version,
        "theme": theme_of(visit.request),
        "development": visit.desk.development,
    }


def see(place: str) -> Response:
    """After a form was taken: look there."""
    return RedirectResponse(place, status_code=303)
