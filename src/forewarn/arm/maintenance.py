"""Microsoft.Maintenance: letting events start from outside the machines.

Azure answers these two calls in words of its own, with capital letters where ARM has none.
"""

from collections import defaultdict
from collections.abc import Sequence

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.routing import COMPUTE, Row, Rows
from forewarn.domain.access import Right
from forewarn.domain.events import Event
from forewarn.domain.resources import AVAILABILITY_SET, SCALE_SET, VIRTUAL_MACHINE, Resource, resource_id
from forewarn.engine.ports import Reader

MOST = 1000
APPROVED: Json = {"value": "Successfully Approved"}
UNKNOWN: Json = {"Error": {"Code": "InvalidScheduledEventId", "Message": "Scheduled event not found"}}
DIFFERENT: Json = {
    "Code": "MultiStatusResponse",
    "Message": "The operation returned different statuses for the Scheduled Events. "
    "Review each event's result for details.",
}
DETAILS: dict[bool, Json] = {
    True: {"Code": "OK", "Message": "Successfully Approved"},
    False: {"Code": "NotFound", "Message": "Scheduled event not found"},
}


async def acknowledge(desk: Desk, ask: Ask) -> Reply:
    (approved,) = await _approve(desk, ask, [ask.path["event"]])
    return Reply(body=APPROVED) if approved else Reply(status=404, body=UNKNOWN)


async def acknowledge_all(desk: Desk, ask: Ask) -> Reply:
    results = await _approve(desk, ask, _asked(ask))
    if all(results):
        return Reply(body=APPROVED)
    return Reply(status=207, body={"Response": DIFFERENT, "Details": [DETAILS[approved] for approved in results]})


def _asked(ask: Ask) -> list[str]:
    ids = ask.body.get("value")
    if not isinstance(ids, list) or not 1 <= len(ids) <= MOST or not all(isinstance(one, str) for one in ids):
        message = f'Say which events are acknowledged, at most {MOST} of them: {{"value": ["<event id>", …]}}.'
        raise ArmError(400, "InvalidRequestContent", message)
    return ids


async def _approve(desk: Desk, ask: Ask, ids: Sequence[str]) -> list[bool]:
    """Whether each is an event of the resource that may start now, or has already, or was so until a moment ago."""
    events = await desk.engine.store.read(lambda reader: _events(reader, _find(desk, ask, reader), ids))
    by_scope: dict[str, list[str]] = defaultdict(list)
    for event in events:
        if event is not None:
            by_scope[event.scope].append(event.id)
    refused: set[str] = set()
    for scope, known in sorted(by_scope.items()):
        refused |= set(await desk.engine.acknowledge(scope, known, ask.by))
    return [event is not None and event.id not in refused for event in events]


def _events(reader: Reader, resource: Resource, ids: Sequence[str]) -> list[Event | None]:
    events = [reader.event(one.upper()) for one in ids]
    return [event if event is not None and _belongs(reader, event, resource) else None for event in events]


def _belongs(reader: Reader, event: Event, resource: Resource) -> bool:
    """To a machine: the events that name it. To a set: those of all its machines."""
    if resource.machine:
        return event.scope == resource.scope and resource.machine in event.resources
    scope = reader.scope(event.scope)
    return scope is not None and scope.owner == resource.key


def _find(desk: Desk, ask: Ask, reader: Reader) -> Resource:
    group, kind, name = ask.path["group"], _kind(ask), ask.path["name"]
    resource = reader.resource(resource_id(desk.subscription, group, kind, name).lower())
    if resource is None:
        message = f"The Resource '{kind}/{name[:100]}' under resource group '{group[:100]}' was not found."
        raise ArmError(404, "ResourceNotFound", message)
    return resource


def _kind(ask: Ask) -> str:
    path = ask.url.lower()
    return next(kind for kind in KINDS if f"/providers/{kind.lower()}/" in path)


KINDS = (VIRTUAL_MACHINE, SCALE_SET, AVAILABILITY_SET)
EVENTS = "{name}/providers/Microsoft.Maintenance/scheduledevents"
ROWS: Rows = tuple(
    row
    for place in (f"{COMPUTE}/{kind.rpartition('/')[2]}/{EVENTS}" for kind in KINDS)
    for row in (
        Row(method="POST", path=place, handler=acknowledge_all, right=Right.ACKNOWLEDGE),
        Row(method="POST", path=f"{place}/{{event}}/acknowledge", handler=acknowledge, right=Right.ACKNOWLEDGE),
    )
)
