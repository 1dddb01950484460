"""Subscribing webhooks to events through Microsoft.EventGrid."""

import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from forewarn.domain.access import Role
from tests.arm.publication import CLIENT, Rig, rigged
from tests.engine.desk import in_a_loop
from tests.grid.receiver import Says, receiving

GRID = "providers/Microsoft.EventGrid"
CLOUD = {"eventDeliverySchema": "CloudEventSchemaV1_0"}
TOPIC_TYPE = "microsoft.resourcenotifications.MaintenanceResources"


def hook(url: str, **properties: Any) -> dict[str, Any]:
    return {
        "properties": {"destination": {"endpointType": "WebHook", "properties": {"endpointUrl": url}}, **properties}
    }


def state(answer: Any) -> str:
    return str(answer["properties"]["provisioningState"])


@in_a_loop
async def test_an_endpoint_that_repeats_the_code_is_subscribed(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        status, made = await rig.subscribe(
            receiver.url,
            filter={"subjectBeginsWith": "", "subjectEndsWith": "", "advancedFilters": []},
            retryPolicy={"maxDeliveryAttempts": 5, "eventTimeToLiveInMinutes": 60},
            labels=["mine"],
            deadLetterDestination=None,
        )
        assert (status, state(made)) == (201, "Succeeded")
        assert made["id"] == f"{rig.subscription}/{GRID}/eventSubscriptions/hook"
        assert made["properties"]["topic"] == rig.subscription
        assert made["properties"]["retryPolicy"] == {"maxDeliveryAttempts": 5, "eventTimeToLiveInMinutes": 60}
        assert made["properties"]["eventDeliverySchema"] == "EventGridSchema"
        (got,) = receiver.got
        assert got.headers["aeg-event-type"] == "SubscriptionValidation"
        assert got.headers["content-type"] == "application/json; charset=utf-8"
        (event,) = got.json
        assert (event["topic"], event["subject"]) == (rig.subscription, "")
        assert event["data"]["validationUrl"].startswith(f"{rig.url}/")


@in_a_loop
async def test_the_endpoints_secret_is_told_only_when_it_is_asked_for(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        _, made = await rig.subscribe(receiver.url)
        path = made["id"]
        shown = await rig.ask("GET", path)
        listed = await rig.ask("GET", f"{rig.subscription}/{GRID}/eventSubscriptions")
        graph = await rig.ask("POST", "/providers/Microsoft.ResourceGraph/resources", {"query": "resources"})
        assert shown == (200, made)
        assert listed == (200, {"value": [made]})
        of_a_kind = f"{rig.subscription}/{GRID}/topicTypes/Microsoft.Resources.Subscriptions/eventSubscriptions"
        assert await rig.ask("GET", of_a_kind) == listed
        assert "s3cret" not in json.dumps([made, shown, listed, graph])
        assert made["properties"]["destination"]["properties"]["endpointBaseUrl"] == receiver.url.partition("?")[0]
        assert await rig.ask("POST", f"{path}/getFullUrl") == (200, {"endpointUrl": receiver.url})
        await rig.give("looker", Role.READER, rig.subscription)
        assert (await rig.ask("POST", f"{path}/getFullUrl", who="looker"))[0] == 403
        assert (await rig.ask("GET", path, who="looker"))[0] == 200


@in_a_loop
async def test_a_cloud_events_endpoint_is_asked_with_options(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        receiver.reply = lambda got: Says(headers={"WebHook-Allowed-Origin": "eventgrid.azure.net"})
        status, made = await rig.subscribe(receiver.url, eventDeliverySchema="cloudeventschemav1_0")
        assert (status, state(made)) == (201, "Succeeded")
        assert made["properties"]["eventDeliverySchema"] == "CloudEventSchemaV1_0"
        (got,) = receiver.got
        assert (got.method, got.headers["webhook-request-origin"]) == ("OPTIONS", "eventgrid.azure.net")


@pytest.mark.parametrize(
    ("says", "properties", "told"),
    [
        pytest.param(Says(500), {}, "with 500", id="an-error"),
        pytest.param(Says(302, {"Location": "/yes"}), {}, "with 302", id="a-redirect"),
        pytest.param(Says(), CLOUD, "said nothing", id="no-allowed-origin"),
        pytest.param(Says(headers={"WebHook-Allowed-Origin": "me.example"}), CLOUD, "said 'me.example'", id="another"),
        pytest.param(Says(405), CLOUD, "with 405", id="no-options"),
    ],
)
@in_a_loop
async def test_an_endpoint_that_does_not_agree_is_not_subscribed(
    says: Says, properties: dict[str, str], told: str, tmp_path: Path
) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        receiver.reply = lambda got: says
        status, answer = await rig.subscribe(receiver.url, **properties)
        assert (status, answer["error"]["code"]) == (400, "Url validation")
        assert told in answer["error"]["message"]
        assert "s3cret" not in answer["error"]["message"]
        assert await rig.ask("GET", f"{rig.subscription}/{GRID}/eventSubscriptions") == (200, {"value": []})


@in_a_loop
async def test_an_endpoint_that_is_not_there_is_not_subscribed(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        pass
    async with rigged(tmp_path) as rig:
        status, answer = await rig.subscribe(receiver.url)
        assert status == 400
        assert "could not be called" in answer["error"]["message"]


async def waiting(rig: Rig, url: str) -> str:
    """A subscription whose endpoint has taken the question and said nothing."""
    status, made = await rig.subscribe(url)
    assert (status, state(made)) == (201, "AwaitingManualAction")
    return str(made["id"])


@in_a_loop
async def test_a_silent_endpoint_can_be_confirmed_by_hand_within_five_minutes(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        receiver.reply = lambda got: Says(body=b"<html>welcome</html>")
        path = await waiting(rig, receiver.url)
        await rig.schedule("db", "db-0")
        await rig.deliverer.turn()
        assert receiver.notifications == []
        rig.wall += timedelta(minutes=4)
        url = receiver.got[0].json[0]["data"]["validationUrl"]
        assert (await CLIENT.call("GET", url.replace("&id=", "&id=x"), {})).status == 404
        answer = await CLIENT.call("GET", url, {})
        assert (answer.status, b"successfully validated" in answer.body) == (200, True)
        assert state((await rig.ask("GET", path))[1]) == "Succeeded"
        assert (await CLIENT.call("GET", url, {})).status == 404
        await rig.schedule("db", "db-1")
        await rig.deliverer.turn()
        assert len(receiver.notifications) == 1


@in_a_loop
async def test_who_confirms_too_late_has_to_begin_again(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        receiver.reply = lambda got: Says()
        path = await waiting(rig, receiver.url)
        rig.wall += timedelta(minutes=5)
        assert state((await rig.ask("GET", path))[1]) == "Failed"
        url = receiver.got[0].json[0]["data"]["validationUrl"]
        assert (await CLIENT.call("GET", url, {})).status == 404
        assert (await CLIENT.call("POST", url, {})).status == 405


def destination(**properties: Any) -> dict[str, Any]:
    return {"destination": {"endpointType": "WebHook", "properties": {"endpointUrl": "http://x.example", **properties}}}


@pytest.mark.parametrize(
    ("properties", "told"),
    [
        pytest.param({"destination": None}, "WebHook", id="no-destination"),
        pytest.param({"destination": {"endpointType": "EventHub"}}, "WebHook", id="another-destination"),
        pytest.param(destination(endpointUrl="ftp://x"), "https://", id="no-url"),
        pytest.param(destination(endpointUrl="http://169.254.169.254/"), "metadata services", id="metadata"),
        pytest.param(destination(azureActiveDirectoryTenantId="t"), "Entra", id="entra"),
        pytest.param({"deadLetterDestination": {"endpointType": "x"}}, "Dead-lettering is not", id="dead-letter"),
        pytest.param({"filter": {"advancedFilters": [{}]}}, "Advanced filters are not", id="advanced-filters"),
        pytest.param({"filter": {"includedEventTypes": ["Other"]}}, "ScheduledEventEmitted", id="another-type"),
        pytest.param({"filter": []}, "filter must be", id="a-filter-that-is-none"),
        pytest.param({"eventDeliverySchema": "CustomInputSchema"}, "CloudEventSchemaV1_0", id="another-schema"),
        pytest.param({"retryPolicy": {"maxDeliveryAttempts": 31}}, "from 1 to 30", id="too-many-attempts"),
        pytest.param({"retryPolicy": {"eventTimeToLiveInMinutes": 0}}, "from 1 to 1440", id="no-lifetime"),
        pytest.param({"expirationTimeUtc": "2030-01-01"}, "expiration time is not", id="expiration"),
    ],
)
@in_a_loop
async def test_what_is_not_understood_is_refused(properties: dict[str, Any], told: str, tmp_path: Path) -> None:
    async with rigged(tmp_path, declare=False) as rig:
        path = f"{rig.subscription}/{GRID}/eventSubscriptions/hook"
        status, answer = await rig.ask("PUT", path, {"properties": {**destination(), **properties}})
        assert status == 400
        assert told in answer["error"]["message"]


@in_a_loop
async def test_forewarns_own_port_is_no_endpoint(tmp_path: Path) -> None:
    async with rigged(tmp_path, declare=False) as rig:
        for host in ("127.0.0.1", "localhost", "127.1.2.3", "0.0.0.0"):
            status, answer = await rig.subscribe(f"http://{host}:{urlsplit(rig.url).port}/")
            assert status == 400
            assert "Forewarn itself" in answer["error"]["message"]


@in_a_loop
async def test_a_name_has_its_rules(tmp_path: Path) -> None:
    async with rigged(tmp_path, declare=False) as rig:
        assert (await rig.subscribe("http://127.0.0.1:1/", name="a_b"))[0] == 400


@in_a_loop
async def test_a_deleted_subscription_is_gone_and_hears_nothing(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        _, made = await rig.subscribe(receiver.url)
        await rig.schedule("db", "db-0")
        assert (await rig.ask("DELETE", made["id"]))[0] == 200
        assert (await rig.ask("DELETE", made["id"]))[0] == 204
        assert (await rig.ask("GET", made["id"]))[0] == 404
        await rig.deliverer.turn()
        assert receiver.notifications == []
        assert rig.deliverer.tally.dropped == 1


@in_a_loop
async def test_a_group_hears_of_its_own_events_only(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        path = f"{rig.group('Elsewhere')}/{GRID}/eventSubscriptions/hook"
        assert (await rig.ask("PUT", path, hook(receiver.url)))[0] == 201
        await rig.schedule("db", "db-0")
        event = await rig.schedule("other", "other")
        await rig.deliverer.turn()
        assert [got.json[0]["data"]["resourceInfo"]["name"] for got in receiver.notifications] == [event]
        assert (await rig.ask("PUT", path.replace("Elsewhere", "nowhere"), hook(receiver.url)))[0] == 404


# System topics


async def a_topic(rig: Rig, who: str = "local", **changes: Any) -> tuple[int, Any]:
    body = {"location": "global", "properties": {"topicType": TOPIC_TYPE, "source": rig.subscription, **changes}}
    return await rig.ask("PUT", f"{rig.group()}/{GRID}/systemTopics/topic", body, who)


@in_a_loop
async def test_a_system_topic_has_subscriptions_of_its_own(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        status, topic = await a_topic(rig)
        assert (status, state(topic), topic["location"]) == (201, "Succeeded", "global")
        assert topic["properties"]["source"] == rig.subscription
        assert await rig.ask("GET", topic["id"]) == (200, topic)
        assert await rig.ask("GET", f"{rig.subscription}/{GRID}/systemTopics") == (200, {"value": [topic]})
        path = f"{topic['id']}/eventSubscriptions/hook"
        status, made = await rig.ask("PUT", path, hook(receiver.url))
        assert (status, made["type"]) == (201, "Microsoft.EventGrid/systemTopics/eventSubscriptions")
        assert await rig.ask("GET", f"{topic['id']}/eventSubscriptions") == (200, {"value": [made]})
        await rig.schedule("other", "other")
        await rig.deliverer.turn()
        assert len(receiver.notifications) == 1
        assert (await rig.ask("DELETE", topic["id"]))[0] == 200
        assert (await rig.ask("GET", path))[0] == 404


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"topicType": "Microsoft.Storage.StorageAccounts"}, id="another-type"),
        pytest.param({"source": "/subscriptions/11111111-1111-1111-1111-111111111111"}, id="another-subscription"),
        pytest.param({"source": "here"}, id="no-source"),
    ],
)
@in_a_loop
async def test_a_topic_of_something_else_is_refused(changes: dict[str, str], tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        assert (await a_topic(rig, **changes))[0] == 400


@in_a_loop
async def test_a_topic_is_no_way_around_the_right_to_read(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.give("half", Role.CONTRIBUTOR, rig.group())
        assert (await a_topic(rig, who="half"))[0] == 403
        _, topic = await a_topic(rig)
        path = f"{topic['id']}/eventSubscriptions/hook"
        assert (await rig.ask("PUT", path, hook(receiver.url), who="half"))[0] == 403
        assert receiver.got == []
        assert (await a_topic(rig, who="half", source=rig.group()))[0] == 200
        assert (await rig.ask("PUT", path, hook(receiver.url), who="half"))[0] == 201
