"""Scopes: the machines that share a document."""

from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.naming import find_scopes
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import ScopeView, View, tell_scope
from forewarn.domain.consent import Rule, policy_of
from forewarn.domain.errors import NotFound
from forewarn.engine.ports import Reader


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


class ApprovalChoice(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    rule: Annotated[Rule, Meta(description="whose yes lets an event start before its NotBefore")]
    count: Annotated[int | None, Meta(description="k, for k-of-n: how many machines that an event names")] = None


class ScopeChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    approval_policy: ApprovalChoice


async def change_scope(desk: Desk, ask: Ask[Nothing, ScopeChange]) -> Scopes:
    asked = ask.body.approval_policy
    policy = policy_of(asked.rule, asked.count)
    names = await find_scopes(desk.engine, [ask.path["scope"]])
    await desk.engine.set_policy(names, policy, ask.by)

    def look(reader: Reader) -> list[ScopeView]:
        return [tell_scope(scope) for name in names if (scope := reader.scope(name)) is not None]

    return Scopes(items=await desk.engine.store.read(look), next=None)


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
        path="/forewarn/v1/scopes/{scope:path}",
        does="One scope: whether somebody polls there, its incarnation, its policies.",
        handler=get_scope,
        answer=ScopeView,
    ),
    Endpoint(
        method="PATCH",
        path="/forewarn/v1/scopes/{scope:path}",
        does="Choose its approval policy; a scale set's name stands for all its scopes.",
        handler=change_scope,
        body=ScopeChange,
        answer=Scopes,
    ),
)
