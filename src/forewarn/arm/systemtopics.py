"""Microsoft.EventGrid/systemTopics: where Azure has people say that they want to hear of scheduled events at all."""

from msgspec.structs import replace

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.groups import key_of as group_key
from forewarn.arm.paging import listed
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.domain.access import Right
from forewarn.domain.resources import Resource, resource_id
from forewarn.domain.subscriptions import SYSTEM_TOPIC, TOPIC_SUBSCRIPTION
from forewarn.wire.arm_ids import BadId, parse_id
from forewarn.wire.eventgrid import TOPIC_TYPE

TOPICS = f"{RG}/providers/{SYSTEM_TOPIC}"
TOPIC = f"{TOPICS}/{{topic}}"


def tell(topic: Resource) -> Json:
    return {
        "id": topic.id,
        "name": topic.name,
        "type": SYSTEM_TOPIC,
        "location": topic.location,
        **topic.body,
        "properties": {"provisioningState": "Succeeded", **topic.body["properties"]},
    }


def id_of(desk: Desk, ask: Ask) -> str:
    return resource_id(desk.subscription, ask.path["group"], SYSTEM_TOPIC, ask.path["topic"])


async def find_topic(desk: Desk, ask: Ask) -> Resource:
    topic = await desk.estate.resource(id_of(desk, ask).lower())
    if topic is None:
        name, group = ask.path["topic"], ask.path["group"]
        message = f"The Resource '{SYSTEM_TOPIC}/{name[:100]}' under resource group '{group[:100]}' was not found."
        raise ArmError(404, "ResourceNotFound", message)
    return topic


async def get_topic(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=tell(await find_topic(desk, ask)))


async def put_topic(desk: Desk, ask: Ask) -> Reply:
    body = {"properties": _properties(desk, ask), "tags": _tags(ask)}

    def revise(known: Resource | None) -> Resource:
        if known is not None:
            return replace(known, body=body, version=known.version + 1)
        return Resource(
            id=id_of(desk, ask),
            type=SYSTEM_TOPIC,
            name=ask.path["topic"],
            group=group_key(desk, ask),
            location=str(ask.body.get("location") or "global"),
            body=body,
            created_at=desk.clock.now(),
        )

    topic = await desk.estate.put(id_of(desk, ask).lower(), revise)
    return Reply(status=201 if topic.version == 1 else 200, body=tell(topic))


async def delete_topic(desk: Desk, ask: Ask) -> Reply:
    """Its subscriptions go with it."""
    key = id_of(desk, ask).lower()
    for subscription in await subscriptions_of(desk, key, group_key(desk, ask)):
        await desk.estate.drop(subscription.key)
    return Reply(status=200 if await desk.estate.drop(key) else 204)


async def list_topics(desk: Desk, ask: Ask) -> Reply:
    return await listed(desk, ask, tell, kind=SYSTEM_TOPIC, group=group_key(desk, ask) if "group" in ask.path else None)


async def subscriptions_of(desk: Desk, topic: str, group: str) -> list[Resource]:
    inside = await desk.engine.store.read(lambda r: r.list_resources(kind=TOPIC_SUBSCRIPTION, group=group))
    return [resource for resource in inside if resource.key.startswith(f"{topic}/")]


def _properties(desk: Desk, ask: Ask) -> Json:
    given = ask.body.get("properties")
    given = given if isinstance(given, dict) else {}
    kind, source = str(given.get("topicType") or ""), str(given.get("source") or "")
    if kind.lower() != TOPIC_TYPE.lower():
        raise ArmError(
            400, "InvalidRequest", f"Forewarn has events of the topic type {TOPIC_TYPE}, not '{kind[:100]}'."
        )
    try:
        place = parse_id(source)
    except BadId as error:
        raise ArmError(400, "InvalidRequest", f"The topic's source: {error}") from None
    if place.names or place.subscription.lower() != desk.subscription.lower():
        message = f"The topic's source is the subscription, {desk.access.subscription}, or one of its resource groups."
        raise ArmError(400, "InvalidRequest", message)
    desk.access.check(ask.caller, Right.READ, place.text)  # or the topic would be a way around it
    return {"source": place.text, "topicType": TOPIC_TYPE}


def _tags(ask: Ask) -> Json:
    tags = ask.body.get("tags")
    return tags if isinstance(tags, dict) else {}


ROWS: Rows = (
    Row(method="GET", path=f"{S}/providers/{SYSTEM_TOPIC}", handler=list_topics),
    Row(method="GET", path=TOPICS, handler=list_topics),
    Row(method="GET", path=TOPIC, handler=get_topic),
    Row(method="PUT", path=TOPIC, handler=put_topic),
    Row(method="DELETE", path=TOPIC, handler=delete_topic),
)
