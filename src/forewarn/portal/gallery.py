"""Every component in every state, on one page, for those who change them. It is there in development only."""

import re

from markupsafe import Markup
from starlette.responses import Response

from forewarn.domain.errors import NotFound
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page
from forewarn.portal.routing import Row, Rows
from forewarn.portal.views.gallery import gallery_view

_NAMES = re.compile(r'(?<=[ "])(id|for|form|aria-labelledby|aria-describedby)="([^"]+)"')
_LIVE = re.compile(r' data-live="[^"]*"')


async def see_gallery(visit: Visit) -> Response:
    if not visit.desk.development:
        raise NotFound("The gallery is there only in development: forewarn up --development.", key="no_gallery")
    return page(visit, "gallery.html", gallery=gallery_view(visit.now), apart=apart)


def apart(part: Markup, name: str) -> Markup:
    """The part as it is, and nobody else's: it stays so whatever happens, and its ids are its own.

    On one page, what is there in several states would have each id twice.
    """
    ending = re.sub(r"\W+", "-", name)

    def renamed(found: re.Match[str]) -> str:
        return f'{found[1]}="{" ".join(f"{word}-{ending}" for word in found[2].split())}"'

    return Markup(_NAMES.sub(renamed, _LIVE.sub("", part)))  # noqa: S704  a template made it


ROWS: Rows = (Row(path="/_gallery", see=see_gallery),)
