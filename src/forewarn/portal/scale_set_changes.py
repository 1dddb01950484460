"""More or fewer instances of a scale set, each change told before it is made."""

from http import HTTPStatus

from starlette.responses import Response

from forewarn.domain.errors import ForewarnError, Invalid, Refused
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.scale_set_reading import ask, named, one_set, page_of
from forewarn.portal.views.scale_set_fates import fates, rescaled
from forewarn.portal.views.scale_sets import SetFacts, a_whole, set_row


async def see_scale(visit: Visit) -> Response:
    """What the capacity in the query would do."""
    visit.check_act()
    return _scale(visit, await one_set(visit), visit.asked("capacity"))


async def take_scale(visit: Visit, form: Form) -> Response:
    visit.check_act()
    facts = await one_set(visit)
    typed = form.get("capacity", "")
    capacity = a_whole(typed)
    if capacity is None:
        return _scale(visit, facts, typed)
    answer = await ask(visit, facts, "PATCH", "", {"sku": {"capacity": capacity}})
    if not answer.is_ok:
        return _scale(visit, facts, typed, answer.refusal)
    return see(page_of(facts, "?done=scaled"))


async def see_delete(visit: Visit) -> Response:
    """What would become of the instances in the query."""
    visit.check_act()
    return _delete(visit, await one_set(visit), visit.request.query_params.getlist("instance"))


async def take_delete(visit: Visit, form: Form) -> Response:
    visit.check_act()
    facts = await one_set(visit)
    instances = form.get("instances", "").split()
    if not instances:
        return _delete(visit, facts, instances)
    answer = await ask(visit, facts, "POST", "/delete", {"instanceIds": instances})
    if not answer.is_ok:
        return _delete(visit, facts, instances, answer.refusal)
    return see(page_of(facts, "?done=deleted"))


def _scale(visit: Visit, facts: SetFacts, typed: str, refusal: ForewarnError | None = None) -> Response:
    capacity, preview, wrong = a_whole(typed), None, refusal
    if capacity is not None and refusal is None:
        try:
            preview = rescaled(facts, capacity, visit.desk.engine.settings, visit.now)
        except Refused as error:
            wrong = error
    status = HTTPStatus.OK if preview is not None else HTTPStatus.BAD_REQUEST
    return page(
        visit, "scale_set_scale.html", status=status, row=set_row(facts), typed=typed, rescale=preview, refusal=wrong
    )


def _delete(visit: Visit, facts: SetFacts, instances: list[str], refusal: ForewarnError | None = None) -> Response:
    chosen = named(facts, instances)
    if not chosen and not refusal:
        raise Invalid("No instance was chosen, or those that were are gone by now.", key="nothing_chosen")
    told = fates(facts, chosen, visit.desk.engine.settings, visit.now)
    return page(
        visit,
        "scale_set_delete.html",
        status=HTTPStatus.BAD_REQUEST if refusal else HTTPStatus.OK,
        row=set_row(facts),
        instances=" ".join(machine.instance for machine in chosen),
        fates=told,
        refusal=refusal,
    )


ROWS: Rows = (
    Row(path="/scale-sets/{group}/{name}/scale", see=see_scale, take=take_scale),
    Row(path="/scale-sets/{group}/{name}/delete", see=see_delete, take=take_delete),
)
