"""Campaigns: the list, one of them, and steering it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from starlette.responses import Response

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.errors import NotFound
from forewarn.domain.history import Entry
from forewarn.engine.ports import Reader
from forewarn.portal.asked import a_number
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.places import ROOT
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.views.campaigns import (
    CampaignsView,
    CampaignView,
    campaign_view,
    campaigns_view,
    cancel_view,
    scopes_on,
)


async def see_list(visit: Visit) -> Response:
    return _page(visit, "campaigns.html", await _list(visit))


async def see_table(visit: Visit) -> Response:
    """Only what changes, for the page that is open. Likewise below."""
    return _page(visit, "campaigns_table.html", await _list(visit))


async def see_campaign(visit: Visit) -> Response:
    return _page(visit, "campaign.html", await _one(visit))


async def see_progress(visit: Visit) -> Response:
    return _page(visit, "campaign_progress.html", await _one(visit))


async def see_cancel(visit: Visit) -> Response:
    """What cancelling would do, before it does."""
    visit.check_act()
    roster = await visit.desk.roster.fill()
    return page(visit, "campaign_cancel.html", view=cancel_view(await _found(visit), roster.scopes))


def steer(wish: CampaignState) -> Callable[[Visit, Form], Awaitable[Response]]:
    async def take(visit: Visit, form: Form) -> Response:
        visit.check_act()
        campaign = await _found(visit)
        await visit.desk.engine.steer_campaign(campaign.id, wish, visit.by)
        return see(f"{ROOT}/campaigns/{campaign.id}")

    return take


def _page(visit: Visit, template: str, view: CampaignsView | CampaignView) -> Response:
    return page(visit, template, view=view, settings=visit.desk.engine.settings)


async def _list(visit: Visit) -> CampaignsView:
    roster = await visit.desk.roster.fill()
    campaigns = await visit.desk.engine.store.read(_every)
    return campaigns_view(campaigns, roster.scopes, a_number(visit.asked("page")) or 1)


async def _one(visit: Visit) -> CampaignView:
    campaign = await _found(visit)
    roster = await visit.desk.roster.fill()
    diary = await roster.diary.fill()
    here = scopes_on(campaign, a_number(visit.asked("page")) or 1)
    told = await visit.desk.engine.store.read(lambda reader: _told(reader, campaign, here.items))
    return campaign_view(campaign, roster.scopes, roster.members(campaign.scopes), diary.ended, told, visit.now, here)


async def _found(visit: Visit) -> Campaign:
    key = str(visit.request.path_params["campaign"]).upper()
    campaign = await visit.desk.engine.store.read(lambda reader: reader.campaign(key))
    if campaign is None:
        raise NotFound("There is no campaign {campaign}.", key="no_campaign", campaign=key[:100])
    return campaign


def _every(reader: Reader) -> list[Campaign]:
    found: list[Campaign] = []
    while more := reader.list_campaigns(after=found[-1].id if found else ""):
        found += more
    return found


def _told(reader: Reader, campaign: Campaign, scopes: Sequence[str]) -> Mapping[str, Sequence[Entry]]:
    return {scope: reader.history(scope=scope, subject=campaign.id) for scope in scopes}


ROWS: Rows = (
    Row(path="/campaigns", see=see_list),
    Row(path="/campaigns/table", see=see_table),
    Row(path="/campaigns/{campaign}", see=see_campaign),
    Row(path="/campaigns/{campaign}/progress", see=see_progress),
    Row(path="/campaigns/{campaign}/pause", take=steer(CampaignState.PAUSED)),
    Row(path="/campaigns/{campaign}/resume", take=steer(CampaignState.RUNNING)),
    Row(path="/campaigns/{campaign}/cancel", see=see_cancel, take=steer(CampaignState.CANCELED)),
)
