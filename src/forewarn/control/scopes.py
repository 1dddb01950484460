"""Scopes: the machines that share a document."""

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import ScopeView, View, tell_scope
from forewarn.domain.errors import NotFound


class Scopes(View, frozen=True):
    items: list[ScopeView]
    next: str | None


async def list_scopes(desk: Desk, ask: Ask[PageQuery, Nothing]) -> Scopes:
    page = await page_of(
        desk.engine.store,
        lambda reader, after, limit: reader.list_scopes(after=after, limit=limit),
        lambda scope: scope.id,
        after=ask.query.after,
        limit=ask.query.limit,
    )
    return Scopes(items=[tell_scope(scope) for scope in page.items], next=page.next)


async def get_scope(desk: Desk, ask: Ask[Nothing, Nothing]) -> ScopeView:
    scope = await desk.engine.store.read(lambda r: r.scope(ask.path["scope"]))
    if scope is None:
        raise NotFound(f"There is no scope {ask.path['scope'][:200]}. `forewarn fleet --scopes` lists those there are.")
    return tell_scope(scope)


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/scopes",
        does="The scopes of the fleet, by id.",
        handler=list_scopes,
        query=PageQuery,
        answer=Scopes,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/scopes/{scope}",
        does="One scope: whether somebody polls there, its incarnation, its policy.",
        handler=get_scope,
        answer=ScopeView,
    ),
)
