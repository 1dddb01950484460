"""Scheduling the platform's maintenance of chosen machines."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from starlette.responses import Response

from forewarn.domain.errors import Invalid, NotFound, Refused
from forewarn.domain.events import EventType
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.engine.naming import machines_called
from forewarn.engine.ports import Reader
from forewarn.portal.asked import one_of
from forewarn.portal.desk import Visit
from forewarn.portal.events import EVENTS, event_place
from forewarn.portal.pages import page, see
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.sharing import sharing
from forewarn.portal.views.maintenance import MaintenanceView, Order, maintenance_view, work_of
from forewarn.portal.views.rehearsing import Stage

MOST = 1000
"""Machines that are chosen at a time: more are a campaign's work."""


async def see_maintenance(visit: Visit) -> Response:
    """The form; and once it is filled in, what would come of it. Whoever changes it is shown that anew."""
    visit.check_act()
    query = visit.request.query_params
    view = await _view(visit, query.getlist("machine"), _order(query))
    if "type" in query and "change" not in query and view.is_possible:
        return page(visit, "maintenance_review.html", view=view, query=str(query), key=visit.desk.new_id())
    return _form(visit, view)


async def take_maintenance(visit: Visit, form: Form) -> Response:
    """Once per form: who presses twice asks once. What is refused is shown again, with the reason."""
    visit.check_act()
    view = await _view(visit, form.get("machines", "").split("\n"), _order(form))
    if not view.machines:
        return _form(visit, view, status=400)
    key = form.get("key", "")[:64]
    targets = [(machine.scope, machine.name) for machine in view.machines]
    try:
        work = work_of(view.order)
        made = await visit.desk.engine.schedule(targets, work, visit.by, f"portal:{key}" if key else None)
    except Refused as error:
        return _form(visit, replace(view, refusal=error), status=400)
    ids = [operation.event for operation in made if operation.event is not None]
    return see(event_place(ids[0]) if len(ids) == 1 else EVENTS)


def _form(visit: Visit, view: MaintenanceView, status: int = 200) -> Response:
    return page(visit, "maintenance.html", status=status, view=view, types=[each.value for each in EventType])


async def _view(visit: Visit, names: Sequence[str], order: Order) -> MaintenanceView:
    wanted = list(dict.fromkeys(name.strip() for name in names if name.strip()))
    if len(wanted) > MOST:
        raise Invalid(
            "No more than {most} machines are chosen at a time: a campaign takes more.",
            key="too_many_chosen",
            most=MOST,
        )
    machines, scopes = await visit.desk.engine.store.read(lambda r: _chosen(r, wanted))
    stage = Stage(scopes=scopes, settings=visit.desk.engine.settings, now=visit.now)
    return maintenance_view(order, machines, stage, visit.by)


def _chosen(reader: Reader, names: Sequence[str]) -> tuple[list[Machine], list[Scope]]:
    """By SCOPE/NAME."""
    machines: list[Machine] = []
    for name in names:
        found = machines_called(reader, name) if "/" in name else ()
        if not found:
            raise NotFound("There is no machine {machine}.", key="no_such_machine", machine=name[:200])
        machines += found
    return machines, sharing(reader, (machine.scope for machine in machines))


def _order(told: Mapping[str, str]) -> Order:
    return Order(
        type=one_of(EventType, told.get("type", "")) or EventType.FREEZE,
        notice=told.get("notice", "").strip()[:40],
        at_once=told.get("at_once", "") == "yes",
        description=told.get("description", "").strip(),
    )


ROWS: Rows = (Row(path="/maintenance", see=see_maintenance, take=take_maintenance),)
