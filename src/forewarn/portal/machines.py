"""One machine: its page, and what people have done to it, told before it is done."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from starlette.responses import Response

from forewarn.domain.errors import NotFound
from forewarn.domain.events import Actor, EventType, Operation
from forewarn.domain.machines import Machine
from forewarn.domain.resources import SCALE_SET
from forewarn.domain.scopes import Scope
from forewarn.engine import behind
from forewarn.engine.behind import Target
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader
from forewarn.portal.asked import one_of
from forewarn.portal.desk import Visit
from forewarn.portal.events import event_place
from forewarn.portal.pages import page, see
from forewarn.portal.recent import newest_entries
from forewarn.portal.routing import Form, Row, Rows
from forewarn.portal.sharing import sharing
from forewarn.portal.views.lately import BIRTHS, Late, lately_of
from forewarn.portal.views.machines import Deed, MachineView, Offer, machine_view, offers_for
from forewarn.portal.views.rehearsing import Owner, Stage
from forewarn.wire.compute.reading import spec_of

LOOKED_BACK = 1000
"""Entries of its scope among which those about a machine are looked for."""

Do = Callable[[Engine, Target, Actor, str | None], Awaitable[Operation]]


def _asked(impact: EventType) -> Do:
    return lambda engine, target, by, key: engine.request(target, impact, by, key)


DEEDS: dict[Deed, Do] = {
    Deed.RESTART: _asked(EventType.REBOOT),
    Deed.REDEPLOY: _asked(EventType.REDEPLOY),
    Deed.EVICT: _asked(EventType.PREEMPT),
    Deed.DELETE: _asked(EventType.TERMINATE),
    Deed.UNHEALTHY: lambda engine, target, by, key: engine.repair(target, spec_of, by, key),
}


def machine_place(target: Target) -> str:
    """In the query, since the id of a scope may contain slashes and colons."""
    scope, name = target
    return f"/portal/machines?{urlencode({'scope': scope, 'name': name})}"


# Its page


async def see_machine(visit: Visit) -> Response:
    """Once it is gone, what happened to it is still told."""
    view, lately = await _look(visit)
    if view is None and not lately:
        raise _unknown(visit)
    status = 200 if view is not None else 404
    return page(visit, "machine.html", status=status, view=view, lately=lately, name=_target(visit)[1])


async def see_state(visit: Visit) -> Response:
    view, lately = await _look(visit)
    return page(visit, "machine_state.html", view=view, lately=lately, name=_target(visit)[1])


async def _look(visit: Visit) -> tuple[MachineView | None, Sequence[Late]]:
    target = _target(visit)
    found, lately = await visit.desk.engine.store.read(lambda r: (_find(r, target), _lately(r, target)))
    if found is None:
        return None, lately
    view = machine_view(
        found.machine,
        found.home,
        metadata_url=visit.desk.metadata_url(found.machine),
        heard=visit.desk.engine.heard(found.home.id),
        offers=_offers(visit, found),
    )
    return view, lately


# What can be done to it


async def see_deed(visit: Visit) -> Response:
    """What would come of it, before it is done."""
    visit.check_act()
    found = await visit.desk.engine.store.read(lambda r: _find(r, _target(visit)))
    if found is None:
        raise _unknown(visit)
    deed = _deed(visit)
    offer = next((offer for offer in _offers(visit, found) if offer.deed is deed), None)
    if offer is None:
        raise NotFound(
            "That cannot be done to {machine}: {deed}.", key="not_offered", machine=found.machine.name, deed=deed.value
        )
    return page(
        visit,
        "machine_deed.html",
        machine=found.machine,
        offer=offer,
        key=visit.desk.new_id(),
    )


async def take_deed(visit: Visit, form: Form) -> Response:
    """Once per form: who presses twice asks once."""
    visit.check_act()
    key, target = form.get("key", "")[:64], _target(visit)
    done = await DEEDS[_deed(visit)](visit.desk.engine, target, visit.by, f"portal:{key}" if key else None)
    return see(event_place(done.event) if done.event is not None else machine_place(target))


# Parts


@dataclass(frozen=True, kw_only=True, slots=True)
class _Found:
    machine: Machine
    scopes: Sequence[Scope]
    owner: Owner | None

    @property
    def home(self) -> Scope:
        return next(scope for scope in self.scopes if scope.id == self.machine.scope)


def _find(reader: Reader, target: Target) -> _Found | None:
    scope, name = target
    machine = next(iter(reader.machines(scope, [name])), None)
    scopes = sharing(reader, [scope])
    if machine is None or not scopes:
        return None
    home = next(each for each in scopes if each.id == scope)
    return _Found(machine=machine, scopes=scopes, owner=_owner(reader, home))


def _owner(reader: Reader, scope: Scope) -> Owner | None:
    resource = reader.resource(scope.owner) if scope.owner else None
    if resource is None or resource.type != SCALE_SET:
        return None
    spec = spec_of(resource)
    members = behind.machines(reader, resource) if spec.repairs.enabled else ()
    return Owner(resource=resource, spec=spec, members=members)


def _lately(reader: Reader, target: Target) -> tuple[Late, ...]:
    scope, name = target
    entries = newest_entries(reader, scope, LOOKED_BACK)
    ids = {entry.subject for entry in entries if entry.what in BIRTHS}
    events = {each: event for each in ids if (event := reader.event(each)) is not None}
    operations = {
        each: operation for each in ids if each not in events and (operation := reader.operation(each)) is not None
    }
    return lately_of(name, entries, events, operations)


def _offers(visit: Visit, found: _Found) -> tuple[Offer, ...]:
    stage = Stage(scopes=found.scopes, settings=visit.desk.engine.settings, now=visit.now)
    return offers_for(found.machine, stage, found.owner, visit.by) if visit.may_act else ()


def _target(visit: Visit) -> Target:
    return visit.asked("scope"), visit.asked("name")


def _deed(visit: Visit) -> Deed:
    deed = one_of(Deed, str(visit.request.path_params["deed"]))
    if deed is None:
        raise NotFound("There is no such action.", key="no_action")
    return deed


def _unknown(visit: Visit) -> NotFound:
    scope, name = _target(visit)
    return NotFound(
        "There is no machine {machine} in {scope}.", key="no_machine", machine=name[:200], scope=scope[:200]
    )


ROWS: Rows = (
    Row(path="/machines", see=see_machine),
    Row(path="/machines/state", see=see_state),
    Row(path="/machines/{deed}", see=see_deed, take=take_deed),
)
