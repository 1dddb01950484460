"""Microsoft.EventGrid/eventSubscriptions: on the subscription, on a resource group, on a system topic."""

from dataclasses import dataclass

from msgspec.structs import replace

from forewarn.arm import subscribing
from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.confirming import confirm_url
from forewarn.arm.errors import ArmError
from forewarn.arm.groups import find_group
from forewarn.arm.groups import key_of as group_key
from forewarn.arm.paging import listed
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.arm.systemtopics import TOPIC, find_topic, id_of, subscriptions_of
from forewarn.domain.access import Right
from forewarn.domain.resources import Resource, group_id
from forewarn.domain.subscriptions import (
    EVENT_SUBSCRIPTION,
    TIME_TO_VALIDATE,
    TOPIC_SUBSCRIPTION,
    Subscription,
    Validation,
    holding,
    subscription_of,
)
from forewarn.grid.handshake import HandshakeFailed, Question, shake_hands


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where an event subscription is."""

    id: str
    type: str
    source: str = ""  # whose events it hears
    group: str = ""  # key of the resource group it is in

    @property
    def key(self) -> str:
        return self.id.lower()


async def put_subscription(desk: Desk, ask: Ask) -> Reply:
    name = ask.path["name"]
    subscribing.check_name(name)
    place = await _place(desk, ask)
    asked = await _validated(desk, ask, name, subscribing.read(ask.body, place.source))

    def revise(known: Resource | None) -> Resource:
        if known is not None:
            return holding(replace(known, version=known.version + 1), asked)
        new = Resource(id=place.id, type=place.type, name=name, group=place.group, created_at=desk.clock.now())
        return holding(new, asked)

    kept = await desk.estate.put(place.key, revise)
    return Reply(status=201 if kept.version == 1 else 200, body=subscribing.tell(kept, desk.wall()))


async def get_subscription(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=subscribing.tell(await _find(desk, ask), desk.wall()))


async def get_full_url(desk: Desk, ask: Ask) -> Reply:
    return Reply(body={"endpointUrl": subscription_of(await _find(desk, ask)).endpoint})


async def delete_subscription(desk: Desk, ask: Ask) -> Reply:
    """What it has not heard yet, it does not hear any more."""
    return Reply(status=200 if await desk.estate.drop(_id(desk, ask).lower()) else 204)


async def list_subscriptions(desk: Desk, ask: Ask) -> Reply:
    def tell(resource: Resource) -> Json:
        return subscribing.tell(resource, desk.wall())

    if "topic" in ask.path:
        found = await subscriptions_of(desk, (await find_topic(desk, ask)).key, group_key(desk, ask))
        return Reply(body={"value": [tell(resource) for resource in found]})
    group = (await find_group(desk, ask)).key if "group" in ask.path else None
    return await listed(desk, ask, tell, kind=EVENT_SUBSCRIPTION, group=group)


async def _validated(desk: Desk, ask: Ask, name: str, asked: Subscription) -> Subscription:
    """The endpoint is asked whether it wants to hear; it may want to think about it."""
    code = desk.new_id()
    question = Question(
        name=name,
        endpoint=asked.endpoint,
        topic=asked.source,
        id=desk.new_id().lower(),
        code=code,
        url=confirm_url(ask, name, code),
        at=desk.wall(),
    )
    try:
        agreed = await shake_hands(desk.webhooks, question, asked.schema)
    except HandshakeFailed as error:
        message = f"Webhook validation handshake failed for {subscribing.base_url(asked)}. {error}"
        raise ArmError(400, "Url validation", message) from None
    if agreed:
        return asked
    return replace(asked, validation=Validation(code=code, until=desk.wall() + TIME_TO_VALIDATE))


async def _find(desk: Desk, ask: Ask) -> Resource:
    resource = await desk.estate.resource(_id(desk, ask).lower())
    if resource is None:
        message = f"Event subscription doesn't exist: {ask.path['name'][:100]}."
        raise ArmError(404, "ResourceNotFound", message)
    return resource


def _id(desk: Desk, ask: Ask) -> str:
    if "topic" in ask.path:
        return f"{id_of(desk, ask)}/eventSubscriptions/{ask.path['name']}"
    above = group_id(desk.subscription, ask.path["group"]) if "group" in ask.path else desk.access.subscription
    return f"{above}/providers/{EVENT_SUBSCRIPTION}/{ask.path['name']}"


async def _place(desk: Desk, ask: Ask) -> Place:
    if "topic" in ask.path:
        source = str((await find_topic(desk, ask)).body["properties"]["source"])
        desk.access.check(ask.caller, Right.READ, source)  # or the topic would be a way around it
        return Place(id=_id(desk, ask), type=TOPIC_SUBSCRIPTION, source=source, group=group_key(desk, ask))
    if "group" in ask.path:
        group = await find_group(desk, ask)
        return Place(id=_id(desk, ask), type=EVENT_SUBSCRIPTION, source=group.id, group=group.key)
    return Place(id=_id(desk, ask), type=EVENT_SUBSCRIPTION, source=desk.access.subscription)


PLACES = (f"{S}/providers/{EVENT_SUBSCRIPTION}", f"{RG}/providers/{EVENT_SUBSCRIPTION}", f"{TOPIC}/eventSubscriptions")
GRID = "providers/Microsoft.EventGrid"
LISTS = ("topicTypes/{kind}", "locations/{location}", "locations/{location}/topicTypes/{kind}")
"""Where the CLI asks after those of a kind of source; there is only one kind."""

ROWS: Rows = tuple(
    Row(method="GET", path=f"{above}/{GRID}/{those}/eventSubscriptions", handler=list_subscriptions)
    for above in (S, RG)
    for those in LISTS
) + tuple(
    row
    for place in PLACES
    for row in (
        Row(method="GET", path=place, handler=list_subscriptions),
        Row(method="GET", path=f"{place}/{{name}}", handler=get_subscription),
        Row(method="PUT", path=f"{place}/{{name}}", handler=put_subscription),
        Row(method="DELETE", path=f"{place}/{{name}}", handler=delete_subscription),
        Row(method="POST", path=f"{place}/{{name}}/getFullUrl", handler=get_full_url),
    )
)
