"""The portal's application: the route tables, joined."""

from importlib.resources import files
from itertools import chain

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from forewarn.portal import (
    beginning,
    campaigns,
    clock,
    errors,
    events,
    fleet,
    gallery,
    live,
    machines,
    maintenance,
    scale_sets,
    settings,
    timeline,
)
from forewarn.portal.desk import Desk
from forewarn.portal.hardening import Assets, Hardened
from forewarn.portal.login import login_route
from forewarn.portal.pages import see
from forewarn.portal.places import HOME, ROOT

NOUNS = (
    fleet,
    live,
    clock,
    settings,
    gallery,
    scale_sets,
    timeline,
    beginning,
    campaigns,
    events,
    machines,
    maintenance,
)


def create_portal(desk: Desk) -> Starlette:
    async def home(request: Request) -> Response:
        return see(HOME)

    static = Assets(directory=str(files(__package__ or "").joinpath("static")))
    rows = chain.from_iterable(noun.ROWS for noun in NOUNS)
    app = Starlette(
        routes=[
            Route(ROOT, home, methods=["GET"]),
            Mount(f"{ROOT}/static", static),
            login_route(desk),
            *(row.route(desk) for row in rows),
        ],
        middleware=[Middleware(Hardened), Middleware(GZipMiddleware, minimum_size=1000, compresslevel=5)],
        exception_handlers=errors.handlers(desk),
    )
    app.router.redirect_slashes = False
    return app
