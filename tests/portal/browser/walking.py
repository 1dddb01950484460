"""Every page there is: those without an id in their address as they are, and of the others one that a link leads to."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from starlette.routing import compile_path

from forewarn.portal.app import NOUNS
from forewarn.portal.places import ROOT
from tests.portal.browser.portal import Portal

ROUTES = {row.path: compile_path(ROOT + row.path)[0] for noun in NOUNS for row in noun.ROWS if row.see}
STREAMS = {"/stream"}
"""They never end."""
LINKS = """() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  for (const box of all("form:not([method=post]) [type=checkbox]:enabled")) box.checked = true;
  return [
    ...all("a[href]").map((link) => link.href),
    ...all("[data-live]").map((part) => new URL(part.dataset.live, location.href).href),
    ...all("form:not([method=post])").map((form) => `${form.action}?${new URLSearchParams(new FormData(form))}`),
  ];
}"""


def walk(portal: Portal) -> Iterator[str]:
    """Opens one page after another, and tells its route. A part of a page is none: the page it is in is seen."""
    ahead = {route: ROOT + route for route in ROUTES if "{" not in route and route not in STREAMS}
    seen = set(STREAMS)
    while ahead:
        route, place = ahead.popitem()
        seen.add(route)
        if not _is_page(portal, place):
            continue
        portal.open(place.removeprefix(ROOT))
        yield route
        ahead |= {route: place for route, place in _links(portal) if route not in seen}
    assert seen == set(ROUTES), f"nothing leads to {set(ROUTES) - seen}"


def _is_page(portal: Portal, place: str) -> bool:
    answer = portal.page.request.get(portal.home + place)
    assert answer.ok, (place, answer.status)
    return answer.text().lstrip().lower().startswith("<!doctype")


def _links(portal: Portal) -> Iterator[tuple[str, str]]:
    """Also those to the page's own parts, and the forms that only ask, filled in."""
    found: list[str] = portal.page.evaluate(LINKS)
    for url in found:
        place = urlsplit(url)
        for route, pattern in ROUTES.items():
            if pattern.fullmatch(place.path):
                yield route, f"{place.path}?{place.query}" if place.query else place.path
                break
