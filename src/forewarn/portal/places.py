"""Places of the portal, and whether what somebody names is one."""

import re
from urllib.parse import quote, urlsplit

from starlette.requests import Request

ROOT = "/portal"
HOME = f"{ROOT}/"
LONGEST = 1000
_PLACE = re.compile(rf"{HOME}(?!login|logout)[A-Za-z0-9._~!$&'()*+,;=:@%/-]*(\?[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*)?")
"""A path below the root, with its query, as it stands in a request line: it can lead nowhere else."""


def inside(place: str) -> str:
    """The place, if it is one of the portal that can be looked at; else the first page."""
    return place if len(place) <= LONGEST and _PLACE.fullmatch(place) and "/.." not in place else HOME


def place_of(request: Request) -> str:
    """What this request looks at, to come back to; the first page, if it is a form that was sent."""
    if request.method not in ("GET", "HEAD"):
        return HOME
    path = request.scope.get("raw_path", b"").decode("ascii", "replace") or quote(request.scope["path"])
    query = request.scope["query_string"].decode("ascii", "replace")
    return inside(f"{path}?{query}" if query else path)


def came_from(request: Request) -> str:
    """The page of ours that led here; the first page, if none did."""
    page = urlsplit(request.headers.get("referer", ""))
    if page.netloc != request.url.netloc:
        return HOME
    return inside(f"{page.path}?{page.query}" if page.query else page.path)
