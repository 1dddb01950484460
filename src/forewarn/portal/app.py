"""The portal's application: the route tables, joined."""

from importlib.resources import files
from itertools import chain

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from forewarn.portal import events, fleet, live, machines, maintenance
from forewarn.portal.desk import Desk
from forewarn.portal.login import login_route
from forewarn.portal.pages import see
from forewarn.portal.routing import ROOT

NOUNS = (fleet, live, events, machines, maintenance)


def create_portal(desk: Desk) -> Starlette:
    async def home(request: Request) -> Response:
        return see(f"{ROOT}/")

    static = StaticFiles(directory=str(files(__package__ or "").joinpath("static")))
    rows = chain.from_iterable(noun.ROWS for noun in NOUNS)
    return Starlette(
        routes=[
            Route(ROOT, home, methods=["GET"]),
            Mount(f"{ROOT}/static", static),
            login_route(desk, ROOT),
            *(row.route(desk) for row in rows),
        ]
    )
