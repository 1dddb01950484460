"""Asking Resource Graph."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from forewarn.domain.access import Role
from forewarn.domain.scopes import EventsPolicy
from tests.arm.publication import ALICE, Rig, rigged
from tests.engine.desk import in_a_loop

PATH = "/providers/Microsoft.ResourceGraph/resources"
EVENTS = "maintenanceresources | where type == 'microsoft.maintenance/scheduledevents'"


async def ask(rig: Rig, query: str, who: str = "local", **body: Any) -> Any:
    status, answer = await rig.ask("POST", PATH, {"query": query, **body}, who)
    assert status == 200, answer
    return answer


async def rows(rig: Rig, query: str, who: str = "local", **body: Any) -> list[Any]:
    data: list[Any] = (await ask(rig, query, who, **body))["data"]
    return data


@in_a_loop
async def test_an_event_is_found_and_follows_its_life(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule("db", "db-0")
        (row,) = await rows(rig, EVENTS)
        assert row["name"] == event
        assert row["id"].startswith(rig.compute("availabilitySets", "db"))
        assert (row["resourceGroup"], row["location"]) == ("forewarn", "westus2")
        assert row["tenantId"] == rig.access.tenant
        assert row["properties"]["EventStatus"] == "Scheduled"
        assert row["properties"]["NotBefore"] == "Tue, 01 Jan 2030 12:15:00 GMT"
        assert row["properties"]["TargetResourceId"] == rig.compute("availabilitySets", "db")
        await rig.engine.approve_event(event, ALICE)
        (row,) = await rows(rig, EVENTS)
        assert (row["properties"]["EventStatus"], row["properties"]["NotBefore"]) == ("Started", "")
        await rig.player.settle()
        assert await rows(rig, f"{EVENTS} | project status = properties.EventStatus") == [{"status": "Completed"}]


@in_a_loop
async def test_an_event_that_is_over_is_found_for_a_day(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        await rig.schedule("db", "db-0")
        await rig.player.advance(timedelta(minutes=15, hours=24))
        assert len(await rows(rig, EVENTS)) == 1
        await rig.player.advance(timedelta(minutes=1))
        assert await rows(rig, EVENTS) == []


@in_a_loop
async def test_only_scopes_that_publish_are_found_and_from_when_they_do(tmp_path: Path) -> None:
    async with rigged(tmp_path, policy=EventsPolicy()) as rig:
        event = await rig.schedule("db", "db-0")
        assert await rows(rig, EVENTS) == []
        await rig.declare(EventsPolicy(publish=True), "second")
        assert [row["name"] for row in await rows(rig, EVENTS)] == [event]
        await rig.declare(EventsPolicy(), "third")
        assert await rows(rig, EVENTS) == []


@in_a_loop
async def test_resources_are_found_and_projected(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        query = (
            "Resources | where type =~ 'Microsoft.Compute/virtualMachines' and resourceGroup == 'forewarn' "
            "| project name, size = properties.hardwareProfile.vmSize | order by name asc"
        )
        found = await rows(rig, query)
        assert [row["name"] for row in found] == ["alone", "db-0", "db-1"]
        assert found[0] == {"name": "alone", "size": "Standard_D2s_v5"}
        assert await rows(rig, "resources | where type contains 'resourcegroups'") == []


@in_a_loop
async def test_a_caller_sees_only_what_they_may_read(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        here, there = await rig.schedule("alone", "alone"), await rig.schedule("other", "other")
        await rig.give("half", Role.READER, rig.group("elsewhere"))
        await rig.give("all", Role.READER, rig.subscription)
        assert [row["name"] for row in await rows(rig, EVENTS, who="half")] == [there]
        assert [row["name"] for row in await rows(rig, "resources | project name", who="half")] == ["other"]
        assert {row["name"] for row in await rows(rig, EVENTS, who="all")} == {here, there}
        assert await rows(rig, "resources", who="nobody") == []
        assert await rows(rig, "resources | count", who="nobody") == [{"Count": 0}]


@in_a_loop
async def test_pages_and_tables(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        query = "resources | project name, zones | order by name asc"
        first = await ask(rig, query, options={"$top": 3})
        assert (first["totalRecords"], first["count"], first["resultTruncated"]) == (6, 3, "false")
        second = await ask(rig, query, options={"$top": 3, "$skipToken": first["$skipToken"]})
        assert "$skipToken" not in second
        names = [row["name"] for row in (*first["data"], *second["data"])]
        assert names == ["alone", "db", "db-0", "db-1", "other", "web"]
        table = await ask(rig, query, options={"resultFormat": "table", "$skip": 5})
        assert table["data"] == {
            "columns": [{"name": "name", "type": "string"}, {"name": "zones", "type": "string"}],
            "rows": [["web", None]],
        }


@in_a_loop
async def test_another_subscription_has_nothing(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        assert await rows(rig, "resources", subscriptions=["11111111-1111-1111-1111-111111111111"]) == []
        assert await rows(rig, "resources", subscriptions=[rig.access.local.subscription.upper()]) != []


@pytest.mark.parametrize(
    ("body", "told"),
    [
        pytest.param({}, "Say what is asked", id="nothing"),
        pytest.param({"query": "resources | summarize count()"}, "'summarize' is not supported", id="operator"),
        pytest.param({"query": "securityresources"}, "use maintenanceresources or resources", id="table"),
        pytest.param({"query": "resources", "options": {"$top": 0}}, "$top", id="top"),
        pytest.param({"query": "resources", "options": {"$skipToken": "%%"}}, "$skipToken", id="token"),
        pytest.param({"query": "resources", "options": {"resultFormat": "csv"}}, "resultFormat", id="format"),
    ],
)
@in_a_loop
async def test_what_is_not_understood_is_refused(body: object, told: str, tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        status, answer = await rig.ask("POST", PATH, body)
        assert status == 400
        assert told in answer["error"]["message"]
