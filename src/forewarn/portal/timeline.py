"""The timeline's page."""

from collections.abc import Collection

from starlette.responses import Response

from forewarn.domain.campaigns import Campaign
from forewarn.engine.ports import Reader
from forewarn.portal.asked import a_number, one_of
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page
from forewarn.portal.routing import Row, Rows
from forewarn.portal.views.timeline import Shown, Span, TimelineView, Wish, choose, timeline_view


async def see_timeline(visit: Visit) -> Response:
    return page(visit, "timeline.html", view=await _view(visit), spans=Span, shown=Shown)


async def see_lanes(visit: Visit) -> Response:
    """Only what changes, for the page that is open."""
    return page(visit, "timeline_lanes.html", view=await _view(visit))


async def _view(visit: Visit) -> TimelineView:
    roster = await visit.desk.roster.fill()
    ended = list((await roster.diary.fill()).ended)
    chosen = choose(roster.scopes, ended, wish_of(visit), visit.now)
    campaigns = await _campaigns(visit, chosen.campaigns(roster.scopes))
    return timeline_view(chosen, roster.scopes, roster.members(chosen.places), ended, campaigns)


def wish_of(visit: Visit) -> Wish:
    """From the query; what makes no sense is as if it was not there."""
    return Wish(
        span=one_of(Span, visit.asked("span")) or Span.HOUR,
        search=visit.asked("search")[:200],
        shown=one_of(Shown, visit.asked("show")) or Shown.ALL,
        page=a_number(visit.asked("page")) or 1,
    )


async def _campaigns(visit: Visit, keys: Collection[str]) -> dict[str, Campaign]:
    def look(reader: Reader) -> dict[str, Campaign]:
        return {key: campaign for key in keys if (campaign := reader.campaign(key)) is not None}

    return await visit.desk.engine.store.read(look) if keys else {}


ROWS: Rows = (Row(path="/timeline", see=see_timeline), Row(path="/timeline/lanes", see=see_lanes))
