"""The settings page: what this browser shows, who is logged in, and the numbers that the fleet's rules use."""

from starlette.responses import Response

from forewarn.access.entrance import DOOR
from forewarn.portal.choices import THEMES, choose
from forewarn.portal.desk import Visit
from forewarn.portal.login import cookie_of, leave
from forewarn.portal.pages import page, see
from forewarn.portal.places import ROOT
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.views.settings import settings_view

PLACE = f"{ROOT}/settings"


async def see_settings(visit: Visit) -> Response:
    view = settings_view(
        visit.caller,
        visit.desk.access.assignments.list(),
        visit.desk.engine.settings if visit.may_look else None,
    )
    return page(visit, "settings.html", view=view, themes=THEMES, saved=visit.asked("saved") == "yes")


async def choose_settings(visit: Visit, form: Form) -> Response:
    answer = see(f"{PLACE}?saved=yes")
    return choose(answer, language=form.get("language", ""), theme=form.get("theme", ""))


async def log_out(visit: Visit, form: Form) -> Response:
    await visit.desk.entrance.leave(cookie_of(visit.request))
    return leave(visit, see(DOOR))


ROWS: Rows = (
    Row(path="/settings", see=see_settings, take=choose_settings, anybody=True),
    Row(path="/logout", take=log_out, anybody=True),
)
