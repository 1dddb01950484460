"""Campaigns: begin one, see how far it is, pause, resume, cancel."""

import uuid
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing, duration
from forewarn.control.desk import Desk
from forewarn.control.endpoints import LARGE, Ask, Endpoint, Endpoints, Made
from forewarn.control.naming import find_campaign, find_scopes
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import CampaignView, View, tell_campaign
from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import EventType
from forewarn.engine.ports import Reader

MOST_SCOPES = 100_000
KEYED = uuid.UUID("6f1f5f0c-3b0e-5d0a-9a54-0c1d0a5e7a11")
"""The name space of campaign ids that are made from an idempotency key."""


class Begin(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    type: EventType
    scopes: Annotated[
        list[str], Meta(max_length=10_000, description="ids; a scale set's name is all of its groups")
    ] = []
    all: Annotated[bool, Meta(description="every scope of the fleet")] = False
    notice: Annotated[str | None, Meta(description="such as 15m; if absent, the least that the type allows")] = None
    pause: Annotated[str | None, Meta(description="between update domains; if absent, the setting recovery_pause")] = (
        None
    )
    description: Annotated[str, Meta(max_length=1000)] | None = None


class Campaigns(View, frozen=True):
    items: list[CampaignView]
    next: str | None


class Progress(View, frozen=True):
    """How far a campaign is in one scope."""

    scope: str
    under_way: bool
    current: int | None  # the update domain whose events are live
    remaining: list[int]  # update domains still to come
    due: datetime | None  # when it looks again
    said: str  # the campaign's last words on this scope, from the history


class CampaignProgress(View, frozen=True):
    campaign: CampaignView
    scopes_under_way: int
    items: list[Progress]
    next: str | None


async def begin(desk: Desk, ask: Ask[Nothing, Begin]) -> Made:
    known = await _made_before(desk, ask.key)
    if known is None:
        campaign = await _wanted(desk, ask)
        try:
            known = await desk.engine.begin_campaign(campaign)
        except Conflict:
            known = await _made_before(desk, ask.key)  # the same request, a moment earlier
            if known is None:
                raise
    return Made(body=tell_campaign(known), location=f"/forewarn/v1/campaigns/{known.id}")


async def _wanted(desk: Desk, ask: Ask[Nothing, Begin]) -> Campaign:
    body = ask.body
    if bool(body.scopes) is body.all:
        raise Invalid("Name the scopes, or say all: a campaign needs one or the other.")
    scopes = await _every_scope(desk) if body.all else await find_scopes(desk.engine, body.scopes)
    return Campaign(
        id=_id_of(ask.key) if ask.key is not None else desk.new_id(),
        impact=body.type,
        scopes=tuple(scopes),
        requested_by=ask.by,
        requested_at=desk.clock.now(),
        notice=duration("notice", body.notice),
        pause=duration("pause", body.pause),
        description=body.description,
    )


def _id_of(key: str) -> str:
    return str(uuid.uuid5(KEYED, key)).upper()


async def _made_before(desk: Desk, key: str | None) -> Campaign | None:
    return None if key is None else await desk.engine.store.read(lambda r: r.campaign(_id_of(key)))


async def _every_scope(desk: Desk) -> list[str]:
    scopes = await desk.engine.store.read(lambda r: [scope.id for scope in r.list_scopes(limit=MOST_SCOPES)])
    if not scopes:
        raise Conflict("The fleet is empty: there is nothing to roll a campaign over.")
    return scopes


async def list_campaigns(desk: Desk, ask: Ask[PageQuery, Nothing]) -> Campaigns:
    page = await page_of(
        desk.engine.store,
        lambda r, after, limit: r.list_campaigns(after=after, limit=limit),
        lambda campaign: campaign.id,
        after=ask.query.after,
        limit=ask.query.limit,
    )
    return Campaigns(items=[tell_campaign(campaign) for campaign in page.items], next=page.next)


async def get_campaign(desk: Desk, ask: Ask[PageQuery, Nothing]) -> CampaignProgress:
    campaign, query = await find_campaign(desk.engine, ask.path["campaign"]), ask.query

    def look(reader: Reader) -> CampaignProgress:
        ahead = sorted(scope for scope in campaign.scopes if scope > query.after)
        page = ahead[: query.limit]
        return CampaignProgress(
            campaign=tell_campaign(campaign),
            scopes_under_way=len(reader.list_scopes(campaign=campaign.id, limit=MOST_SCOPES)),
            items=[_progress(reader, campaign, scope) for scope in page],
            next=page[-1] if len(ahead) > len(page) else None,
        )

    return await desk.engine.store.read(look)


def _progress(reader: Reader, campaign: Campaign, scope: str) -> Progress:
    here = reader.scope(scope)
    walk = here.walk if here is not None and here.walk and here.walk.campaign == campaign.id else None
    said = [entry.after for entry in reader.history(scope=scope, subject=campaign.id)]
    return Progress(
        scope=scope,
        under_way=walk is not None,
        current=walk.current if walk else None,
        remaining=list(walk.remaining) if walk else [],
        due=walk.due if walk else None,
        said=said[-1] if said else "",
    )


def _steer(verb: str, wish: CampaignState, does: str) -> Endpoint[Nothing, Nothing]:
    async def handler(desk: Desk, ask: Ask[Nothing, Nothing]) -> CampaignView:
        campaign = await find_campaign(desk.engine, ask.path["campaign"])
        return tell_campaign(await desk.engine.steer_campaign(campaign.id, wish, ask.by))

    path = f"/forewarn/v1/campaigns/{{campaign}}/{verb}"
    return Endpoint(method="POST", path=path, does=does, handler=handler, answer=CampaignView)


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/campaigns",
        does="All campaigns there ever were.",
        handler=list_campaigns,
        query=PageQuery,
        answer=Campaigns,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/campaigns",
        does="Roll maintenance over scopes, one update domain after another; begun in all of them, or in none.",
        handler=begin,
        body=Begin,
        answer=CampaignView,
        status=201,
        keyed=True,
        limit=LARGE,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/campaigns/{campaign}",
        does="One campaign, by its id or a beginning of it, and how far it is in each scope.",
        handler=get_campaign,
        query=PageQuery,
        answer=CampaignProgress,
    ),
    _steer("pause", CampaignState.PAUSED, "Announce nothing new; what is announced goes on."),
    _steer("resume", CampaignState.RUNNING, "Go on, also where a failed driver had halted it."),
    _steer("cancel", CampaignState.CANCELED, "Call off what has not started, and go no further."),
)
