"""What all of Compute's resources do alike: be described, be deleted, and pass on what machines are asked to do."""

from collections.abc import Sequence

from forewarn.arm.applying import APPLY, Applied, Order
from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.finding import id_at, look_for
from forewarn.arm.jobs import accepted, waiting_headers
from forewarn.arm.showing import show
from forewarn.domain.machines import Machine, Power
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import Job
from forewarn.wire.compute.states import Provisioning

VERBS = {
    "restart": Verb.RESTART,
    "redeploy": Verb.REDEPLOY,
    "performMaintenance": Verb.MAINTAIN,
    "reimage": Verb.REIMAGE,
    "reimageAll": Verb.REIMAGE,
    "rebuild": Verb.REIMAGE,
    "delete": Verb.DELETE,
    "simulateEviction": Verb.EVICT,
}
POWERS = {"start": Power.RUNNING, "powerOff": Power.STOPPED, "deallocate": Power.DEALLOCATED}


async def act(desk: Desk, ask: Ask, word: str, target: str, machines: Sequence[Machine]) -> Job:
    """`target` is the id of the resource that the caller spoke to. What is neither asked nor power changes nothing."""
    named = [(machine.scope, machine.name) for machine in machines]
    if word in VERBS:
        return await desk.estate.ask(target, named, VERBS[word], ask.by)
    if word in POWERS:
        return await desk.estate.set_power(target, named, POWERS[word], ask.by)
    return await desk.estate.note(target)


async def put(desk: Desk, ask: Ask, kind: str) -> Reply:
    applied = await APPLY[kind](desk, order(desk, ask, kind))
    return _answer(desk, ask, applied, await show(desk, applied.resource))


async def delete(desk: Desk, ask: Ask, kind: str) -> Reply:
    resource = await look_for(desk, ask, kind)
    if resource is None:
        return Reply(status=204)
    return accepted(desk, ask, await desk.estate.delete([resource.key], ask.by), resource.location)


def order(desk: Desk, ask: Ask, kind: str) -> Order:
    return Order(
        id=id_at(desk, ask, kind),
        body=ask.body,
        raw=ask.raw,
        version=ask.version,
        by=ask.by,
        partial=ask.method == "PATCH",
        conditions=ask.headers,
    )


def _answer(desk: Desk, ask: Ask, applied: Applied, body: Json) -> Reply:
    """To a PUT or PATCH: 201 or 200, and where to ask how far it is if something waits.

    If nothing does, it has succeeded, whatever else is under way: a client that reads otherwise would wait for that.
    """
    headers = {"ETag": f'"{applied.resource.version}"'}
    if applied.job is None:
        body["properties"]["provisioningState"] = Provisioning.SUCCEEDED.value
    else:
        waiting = waiting_headers(desk, ask, applied.job, applied.resource.location)
        headers |= {name: value for name, value in waiting.items() if name != "Location"}
    return Reply(status=201 if applied.created else 200, body=body, headers=headers)
