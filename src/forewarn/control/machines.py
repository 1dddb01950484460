"""Machines: look at them, and do to them what their owner may."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints, Made
from forewarn.control.naming import find_machine
from forewarn.control.paging import PageQuery, page_of
from forewarn.control.views import MachineView, OperationView, View, tell
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.events import Actor, EventType, Operation
from forewarn.domain.machines import Machine, Power
from forewarn.engine.behind import Target
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader
from forewarn.wire.compute.reading import spec_of


class MachineQuery(PageQuery, frozen=True):
    scope: str | None = None


class Machines(View, frozen=True):
    items: list[MachineView]
    next: str | None


def _tell(desk: Desk, machine: Machine) -> MachineView:
    return msgspec.structs.replace(tell(MachineView, machine), metadata_url=desk.metadata_url(machine))


async def list_machines(desk: Desk, ask: Ask[MachineQuery, Nothing]) -> Machines:
    scope, after = ask.query.scope, _key(ask.query.after)

    def look(reader: Reader, after: tuple[str, str], limit: int) -> Sequence[Machine]:
        if scope is None:
            return reader.list_machines(after=after, limit=limit)
        return [m for m in reader.machines(scope) if (m.scope, m.name) > after][:limit]

    page = await page_of(desk.engine.store, look, lambda m: (m.scope, m.name), after=after, limit=ask.query.limit)
    return Machines(items=[_tell(desk, m) for m in page.items], next="/".join(page.next) if page.next else None)


async def get_machine(desk: Desk, ask: Ask[Nothing, Nothing]) -> MachineView:
    return _tell(desk, await find_machine(desk.engine, ask.path["machine"]))


Do = Callable[[Engine, Target, Actor, str | None], Awaitable[Operation]]
"""Something to do to a machine, for somebody, once per idempotency key."""


def _asked(impact: EventType) -> Do:
    return lambda engine, target, by, key: engine.request(target, impact, by, key)


def _reported(engine: Engine, target: Target, by: Actor, key: str | None) -> Awaitable[Operation]:
    return engine.repair(target, spec_of, by, key)


def _operation(do: Do, verb: str, does: str) -> Endpoint[Nothing, Nothing]:
    async def handler(desk: Desk, ask: Ask[Nothing, Nothing]) -> Made:
        made = await desk.engine.made_by(ask.key)  # by now the machine may be gone
        if made is None:
            machine = await find_machine(desk.engine, ask.path["machine"])
            made = [await do(desk.engine, (machine.scope, machine.name), ask.by, ask.key)]
        (operation,) = made
        return Made(body=tell(OperationView, operation), location=f"/forewarn/v1/operations/{operation.id}")

    path = f"/forewarn/v1/machines/{{machine:path}}/{verb}"
    return Endpoint(method="POST", path=path, does=does, handler=handler, answer=OperationView, status=202, keyed=True)


def _power(power: Power, verb: str, does: str) -> Endpoint[Nothing, Nothing]:
    async def handler(desk: Desk, ask: Ask[Nothing, Nothing]) -> MachineView:
        machine = await find_machine(desk.engine, ask.path["machine"])
        await desk.engine.set_power((machine.scope, machine.name), power, ask.by)
        return _tell(desk, await find_machine(desk.engine, f"{machine.scope}/{machine.name}"))

    path = f"/forewarn/v1/machines/{{machine:path}}/{verb}"
    return Endpoint(method="POST", path=path, does=does, handler=handler, answer=MachineView)


class FailBody(Struct, frozen=True, forbid_unknown_fields=True):
    times: Annotated[int, Meta(ge=0, le=1000)] = 1


async def fail_next(desk: Desk, ask: Ask[Nothing, FailBody]) -> MachineView:
    machine = await find_machine(desk.engine, ask.path["machine"])
    if desk.fail_next is None:
        raise Conflict("Only the simulated driver fails when told to; this fleet has another (fleet file, [driver]).")
    desk.fail_next(machine.scope, machine.name, ask.body.times)
    return _tell(desk, machine)


def _key(after: str) -> tuple[str, str]:
    scope, slash, name = after.rpartition("/")
    if after and not slash:
        raise Invalid("after: a page of machines goes on from SCOPE/NAME.")
    return scope, name


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/machines",
        does="The machines of the fleet, by scope and name.",
        handler=list_machines,
        query=MachineQuery,
        answer=Machines,
    ),
    _operation(_asked(EventType.REBOOT), "restart", "Restart it. Its scope is warned first, if it is enrolled."),
    _operation(
        _asked(EventType.REDEPLOY), "redeploy", "Move it to another host. Its scope is warned first, if it is enrolled."
    ),
    _operation(
        _asked(EventType.TERMINATE), "delete", "Delete it. It is warned first if it has a terminate notification."
    ),
    _operation(
        _asked(EventType.PREEMPT), "evict", "Take a Spot machine away, as Azure does when it needs the capacity."
    ),
    _operation(
        _reported, "unhealthy", "Report it unhealthy: its scale set repairs it, if automatic repairs are enabled."
    ),
    _power(Power.RUNNING, "start", "Note that it runs."),
    _power(Power.STOPPED, "stop", "Note that it is stopped. With all of a scope stopped, nothing there has to wait."),
    _power(Power.DEALLOCATED, "deallocate", "Note that it is stopped and its host is given back."),
    Endpoint(
        method="POST",
        path="/forewarn/v1/machines/{machine:path}/fail",
        does="Make the simulated driver's next attempts on it fail, to see what becomes of that.",
        handler=fail_next,
        body=FailBody,
        answer=MachineView,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/machines/{machine:path}",
        does="One machine, by its name if no other has it, or by SCOPE/NAME.",
        handler=get_machine,
        answer=MachineView,
    ),
)
