"""The fleet page."""

from enum import Enum
from typing import TypeVar

from starlette.responses import Response

from forewarn.portal.desk import Visit
from forewarn.portal.pages import page
from forewarn.portal.routing import Row, Rows
from forewarn.portal.views.fleet import FleetView, Grouping, Kept, Wish, fleet_view

E = TypeVar("E", bound=Enum)


async def see_fleet(visit: Visit) -> Response:
    return page(visit, "fleet.html", view=await _view(visit))


async def see_table(visit: Visit) -> Response:
    """Only what changes, for the page that is open."""
    return page(visit, "fleet_table.html", view=await _view(visit))


async def _view(visit: Visit) -> FleetView:
    roster = await visit.desk.roster.fill()
    return fleet_view(roster.machines, roster.scopes, wish_of(visit), visit.desk.engine.heard)


def wish_of(visit: Visit) -> Wish:
    """From the query; what makes no sense is as if it was not there."""
    number = visit.asked("page", "1")
    return Wish(
        search=visit.asked("search")[:200],
        group=_one_of(Grouping, visit.asked("group"), Grouping.SET),
        kept=_one_of(Kept, visit.asked("show"), Kept.ALL),
        page=int(number) if number.isascii() and number.isdecimal() and len(number) < 8 else 1,
    )


def _one_of(kind: type[E], value: str, default: E) -> E:
    return next((member for member in kind if member.value == value), default)


ROWS: Rows = (Row(path="/", see=see_fleet), Row(path="/fleet/table", see=see_table))
