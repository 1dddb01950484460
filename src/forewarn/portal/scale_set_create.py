"""Creating a scale set, step by step. What was typed travels with the form: the server remembers nothing of it."""

from dataclasses import replace
from http import HTTPStatus

from starlette.responses import Response

from forewarn.domain.errors import ForewarnError
from forewarn.domain.resources import GROUP
from forewarn.engine.ports import Reader
from forewarn.portal.desk import Visit
from forewarn.portal.pages import page, see
from forewarn.portal.places import ROOT
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.scale_set_reading import VERSION, every_resource
from forewarn.portal.views.scale_set_order import keys_of, orders
from forewarn.portal.views.scale_set_wish import EXISTING, NEW, STEPS, Known, Step, Wish, faults_of, wish_of
from forewarn.portal.views.scale_set_wizard import wizard_view
from forewarn.portal.views.scale_sets import place_of


async def see_create(visit: Visit) -> Response:
    """The first step; a resource group is chosen where there is one."""
    visit.check_act()
    known = await _known(visit, Wish())
    first = min(known.groups.values(), key=str.lower, default="")
    return _shown(visit, Step.BASICS, Wish(group=first, group_is=EXISTING if first else NEW), known)


async def take_create(visit: Visit, form: Form) -> Response:
    """`step` is the page that the form was on, `go` where to: next, previous, a step's name, or create."""
    visit.check_act()
    wish = wish_of(form)
    known = await _known(visit, wish)
    here = _step(form.get("step", ""))
    match form.get("go", "next"):
        case "create":
            return await _create(visit, wish, known)
        case "previous":
            return _shown(visit, STEPS[max(STEPS.index(here) - 1, 0)], wish, known)
        case "next" if faults_of(here, wish, known, visit.desk.engine.settings):
            return _shown(visit, here, wish, known, checked=True)
        case "next":
            return _shown(visit, STEPS[min(STEPS.index(here) + 1, len(STEPS) - 1)], wish, known)
        case other:
            return _shown(visit, _step(other), wish, known)


async def _create(visit: Visit, wish: Wish, known: Known) -> Response:
    """One request after the other, as far as they go; the first that is refused is told of on the review."""
    if faults_of(Step.REVIEW, wish, known, visit.desk.engine.settings):
        return _shown(visit, Step.REVIEW, wish, known)
    for put in orders(wish, known):
        path = f"{put.path}?api-version={VERSION}"
        answer = await visit.desk.resources.send(visit.caller, "PUT", path, put.body, headers=put.headers)
        if not answer.is_ok:
            known = await _known(visit, wish)
            if known.has_group(wish.in_group):  # it may have been made just now: it is not new any more
                wish = replace(wish, group_is=EXISTING, group=wish.in_group)
            return _shown(visit, Step.REVIEW, wish, known, refusal=answer.refusal)
    return see(f"{ROOT}{place_of(wish.in_group, wish.name)}?done=created")


def _shown(
    visit: Visit, step: Step, wish: Wish, known: Known, *, checked: bool = False, refusal: ForewarnError | None = None
) -> Response:
    view = wizard_view(step, wish, known, visit.desk.engine.settings, checked=checked, refusal=refusal)
    status = HTTPStatus.BAD_REQUEST if view.faults or refusal else HTTPStatus.OK
    return page(visit, "scale_set_create.html", status=status, view=view)


def _step(name: str) -> Step:
    return next((step for step in STEPS if step.value == name), Step.BASICS)


async def _known(visit: Visit, wish: Wish) -> Known:
    subscription = visit.desk.access.local.subscription

    def read(reader: Reader) -> Known:
        groups = {each.key: each.name for each in every_resource(reader, GROUP)}
        taken = frozenset(key for key in keys_of(wish, subscription) if reader.resource(key) is not None)
        return Known(subscription=subscription, groups=groups, taken=taken)

    return await visit.desk.engine.store.read(read)


ROWS: Rows = (Row(path="/scale-sets/create", see=see_create, take=take_create),)
