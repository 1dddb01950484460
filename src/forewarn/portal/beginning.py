"""Beginning a campaign: a form, what it would do, and only then the campaign."""

from starlette.responses import Response

from forewarn.domain.errors import Refused
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.places import ROOT
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.views.beginning import LISTED, TYPES, Preview, Read, Wanted, choices, preview, read

TICKED = "scope:"
"""What the field of a set that can be ticked off begins with."""


async def see_form(visit: Visit) -> Response:
    visit.check_act()
    return await _form(
        visit, Wanted(names=tuple(visit.asked("scopes").split(",")) if visit.asked("scopes") else ()), Read()
    )


async def take_form(visit: Visit, form: Form) -> Response:
    """Shown again with what is wrong; or what it would do, to be agreed to; or begun."""
    visit.check_act()
    wanted = wanted_of(form)
    roster = await visit.desk.roster.fill()
    engine = visit.desk.engine
    asked = read(
        wanted, roster.scopes, engine.settings, visit.texts, id=visit.desk.new_id(), by=visit.by, now=visit.now
    )
    if form.get("do") == "change" or asked.campaign is None:
        return await _form(visit, wanted, asked)
    if form.get("do") == "begin":
        return await _begun(visit, wanted, asked)
    members = roster.members(asked.campaign.scopes)
    shown = preview(asked.campaign, roster.scopes, members, engine.settings, visit.now)
    if not isinstance(shown, Preview):
        return await _form(visit, wanted, shown)
    return page(visit, "campaign_review.html", view=shown, wanted=wanted)


async def _begun(visit: Visit, wanted: Wanted, asked: Read) -> Response:
    assert asked.campaign is not None
    try:
        campaign = await visit.desk.engine.begin_campaign(asked.campaign)
    except Refused as error:  # it has become impossible since it was looked at
        return await _form(visit, wanted, Read(errors={"scopes": error}))
    return see(f"{ROOT}/campaigns/{campaign.id}")


async def _form(visit: Visit, wanted: Wanted, asked: Read) -> Response:
    roster = await visit.desk.roster.fill()
    return page(
        visit,
        "campaign_form.html",
        status=400 if asked.errors else 200,
        wanted=wanted,
        errors=asked.errors,
        types=TYPES,
        choices=choices(roster.scopes.values(), roster.machines),
        listed=LISTED,
        settings=visit.desk.engine.settings,
    )


def wanted_of(form: Form) -> Wanted:
    ticked = [name.removeprefix(TICKED) for name in form if name.startswith(TICKED)]
    named = [name.strip() for name in form.get("names", "").replace(",", "\n").splitlines()]
    return Wanted(
        type=form.get("type", ""),
        everywhere=form.get("where") == "all",
        names=tuple(dict.fromkeys(name for name in (*ticked, *named) if name)),
        notice=form.get("notice", "").strip(),
        pause=form.get("pause", "").strip(),
        description=form.get("description", "").strip(),
    )


ROWS: Rows = (Row(path="/campaigns/new", see=see_form, take=take_form),)
