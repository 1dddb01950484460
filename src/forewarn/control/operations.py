"""Operations: what somebody asked for, and what became of it."""

from typing import Annotated

from msgspec import Meta

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.naming import find_operation
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import OperationView, View, tell


class OperationQuery(PageQuery, frozen=True):
    scope: str | None = None
    all: Annotated[bool, Meta(description="also those that are over")] = False


class Operations(View, frozen=True):
    items: list[OperationView]
    next: str | None


async def list_operations(desk: Desk, ask: Ask[OperationQuery, Nothing]) -> Operations:
    query = ask.query
    page = await page_of(
        desk.engine.store,
        lambda r, after, limit: r.list_operations(scope=query.scope, live=not query.all, after=after, limit=limit),
        lambda operation: operation.id,
        after=query.after,
        limit=query.limit,
    )
    return Operations(items=[tell(OperationView, operation) for operation in page.items], next=page.next)


async def get_operation(desk: Desk, ask: Ask[Nothing, Nothing]) -> OperationView:
    return tell(OperationView, await find_operation(desk.engine, ask.path["operation"]))


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/operations",
        does="The operations under way, or all there ever were.",
        handler=list_operations,
        query=OperationQuery,
        answer=Operations,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/operations/{operation}",
        does="One operation, by its id or an unambiguous beginning of it.",
        handler=get_operation,
        answer=OperationView,
    ),
)
