"""The control plane's application: the route tables, joined."""

import itertools
from collections.abc import Collection
from functools import cache
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route

from forewarn.access.gate import Gate
from forewarn.control import (
    campaigns,
    clients,
    clock,
    events,
    faults,
    fleet,
    health,
    history,
    machines,
    operations,
    portal,
    requests,
    roles,
    scopes,
    watch,
)
from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.errors import NotAllowed, answer_to, refusal
from forewarn.control.guard import Guard
from forewarn.control.openapi import document
from forewarn.domain.errors import ForewarnError, Invalid, NotFound

OPENAPI = "/forewarn/v1/openapi.json"


def create_app(desk: Desk, hosts: Collection[str] = ()) -> Starlette:
    """`hosts`: names, beside those of loopback, under which the server may be asked, without a port."""
    rows = endpoints(desk.version)
    app = Starlette(
        routes=[row.route(desk) for row in rows],
        middleware=[
            Middleware(Guard, hosts=hosts, served=desk.served),
            Middleware(Gate, access=desk.access, public=[row.path for row in rows if row.public]),
        ],
        exception_handlers={
            ForewarnError: _refused,
            HTTPException: _unrouted,
            OverflowError: _too_far,
            Exception: _failed,
        },
    )
    app.router.redirect_slashes = False
    return app


def endpoints(version: str) -> Endpoints:
    nouns = (
        fleet,
        machines,
        scopes,
        events,
        operations,
        campaigns,
        history,
        clock,
        watch,
        faults,
        requests,
        roles,
        clients,
        portal,
        health,
    )
    rows = tuple(itertools.chain.from_iterable(noun.ENDPOINTS for noun in nouns))
    return (*rows, _openapi(rows, version))


def _openapi(rows: Endpoints, version: str) -> Endpoint[Nothing, Nothing]:
    @cache
    def body() -> bytes:
        return msgspec.json.encode(document((*rows, row), version))

    async def handler(desk: Desk, ask: Ask[Nothing, Nothing]) -> Response:
        return Response(body(), media_type="application/json")

    row: Endpoint[Any, Any] = Endpoint(
        method="GET", path=OPENAPI, does="This document.", handler=handler, answer="application/json", public=True
    )
    return row


async def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, ForewarnError)
    return answer_to(error)


async def _unrouted(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        allowed = ", ".join(sorted(_methods_at(request)))
        answer = answer_to(NotAllowed(f"Use {allowed} for {request.url.path}, not {request.method}."))
        answer.headers["Allow"] = allowed
        return answer
    return answer_to(NotFound(f"There is nothing at {request.url.path[:200]}. GET {OPENAPI} lists what there is."))


def _methods_at(request: Request) -> set[str]:
    """One path has a route per method, and the router tells only of the first."""
    routes: list[Route] = request.app.routes
    return {
        method
        for route in routes
        if route.matches(request.scope)[0] is not Match.NONE
        for method in route.methods or ()
    }


async def _too_far(request: Request, error: Exception) -> Response:
    return answer_to(Invalid("That would be after the last day of the calendar, in the year 9999."))


async def _failed(request: Request, error: Exception) -> Response:
    return refusal(500, "Failed", "Something went wrong in Forewarn itself. The server's log says what.")
