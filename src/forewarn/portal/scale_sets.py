"""Scale sets: the list, and one of them with its terminate notification and its model."""

from dataclasses import replace
from datetime import timedelta

from starlette.responses import Response

from forewarn.domain.durations import format_iso
from forewarn.portal import scale_set_changes, scale_set_create
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.scale_set_reading import ask, every_set, one_set, page_of
from forewarn.portal.views.scale_sets import NoticeForm, SetFacts, a_whole, notice_form, set_view

DONE = ("created", "notification", "updated", "scaled", "deleted")
"""What somebody may just have done, as the page's address tells it."""


async def see_list(visit: Visit) -> Response:
    return page(visit, "scale_sets.html", rows=await every_set(visit))


async def see_table(visit: Visit) -> Response:
    return page(visit, "scale_sets_table.html", rows=await every_set(visit))


async def see_one(visit: Visit) -> Response:
    facts = await one_set(visit)
    return _one(visit, facts, notice_form(facts, visit.desk.engine.settings))


async def see_state(visit: Visit) -> Response:
    return page(visit, "scale_set_state.html", view=set_view(await one_set(visit)))


async def see_instances(visit: Visit) -> Response:
    return page(visit, "scale_set_instances.html", view=set_view(await one_set(visit), _page(visit)))


async def take_notification(visit: Visit, form: Form) -> Response:
    """On or off, and how long: for a set that is there already."""
    visit.check_act()
    facts = await one_set(visit)
    wish = _wish(facts, visit, form)
    if wish.wrong:
        return _one(visit, facts, wish, status=400)
    answer = await ask(visit, facts, "PATCH", "", _notification(wish))
    if not answer.is_ok:
        return _one(visit, facts, replace(wish, refusal=answer.refusal), status=answer.status)
    return see(page_of(facts, "?done=notification"))


async def take_update(visit: Visit, form: Form) -> Response:
    """Brings every instance that follows the set's model to the latest."""
    visit.check_act()
    facts = await one_set(visit)
    answer = await ask(visit, facts, "POST", "/manualUpgrade", {"instanceIds": ["*"]})
    if answer.refusal is not None:
        return page(visit, "refused.html", status=answer.status, message=answer.refusal)
    return see(page_of(facts, "?done=updated"))


def _one(visit: Visit, facts: SetFacts, form: NoticeForm, status: int = 200) -> Response:
    done = visit.asked("done")
    return page(
        visit,
        "scale_set.html",
        status=status,
        view=set_view(facts, _page(visit)),
        form=form,
        done=done if done in DONE else "",
    )


def _page(visit: Visit) -> int:
    return a_whole(visit.asked("page", "1")) or 1


def _wish(facts: SetFacts, visit: Visit, form: Form) -> NoticeForm:
    known = notice_form(facts, visit.desk.engine.settings)
    typed = form.get("minutes", known.minutes)
    minutes = a_whole(typed)
    enabled = form.get("enabled") == "on"
    fits = minutes is not None and known.least <= minutes <= known.most
    return replace(known, enabled=enabled, minutes=typed, wrong=enabled and not fits)


def _notification(wish: NoticeForm) -> dict[str, object]:
    told: dict[str, object] = {"enable": wish.enabled}
    if wish.enabled:
        told["notBeforeTimeout"] = format_iso(timedelta(minutes=a_whole(wish.minutes) or 0))
    profile = {"scheduledEventsProfile": {"terminateNotificationProfile": told}}
    return {"properties": {"virtualMachineProfile": profile}}


ROWS: Rows = (
    Row(path="/scale-sets", see=see_list),
    Row(path="/scale-sets/table", see=see_table),
    *scale_set_create.ROWS,
    Row(path="/scale-sets/{group}/{name}", see=see_one),
    Row(path="/scale-sets/{group}/{name}/state", see=see_state),
    Row(path="/scale-sets/{group}/{name}/instances", see=see_instances),
    Row(path="/scale-sets/{group}/{name}/notification", take=take_notification),
    Row(path="/scale-sets/{group}/{name}/update", take=take_update),
    *scale_set_changes.ROWS,
)
