"""Bringing notices to webhooks: at least once, in time, and without one endpoint holding up another."""

import asyncio
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from forewarn.store.sqlite import open_store
from tests.arm.publication import ALICE, Rig, rigged
from tests.engine.desk import in_a_loop
from tests.grid.receiver import Got, Receiver, Says, agree, receiving


def told(got: Got) -> Any:
    event = got.json[0] if isinstance(got.json, list) else got.json
    return event["data"]["resourceInfo"]["properties"]


def statuses(receiver: Receiver) -> list[str]:
    return [told(got)["EventStatus"] for got in receiver.notifications]


def failing(status: int = 503) -> Any:
    return lambda got: Says(status) if got.headers.get("aeg-event-type") == "Notification" else agree(got)


@in_a_loop
async def test_each_step_of_an_event_is_told(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.subscribe(receiver.url)
        event = await rig.schedule("web:0", "web_0")
        await rig.deliverer.turn()
        await rig.engine.approve_event(event, ALICE)
        await rig.deliverer.turn()
        await rig.player.settle()
        await rig.deliverer.turn()
        canceled = await rig.schedule("db", "db-0")
        await rig.deliverer.turn()
        await rig.engine.cancel_event(canceled, ALICE)
        await rig.deliverer.turn()
        assert statuses(receiver) == ["Scheduled", "Started", "Completed", "Scheduled", "Canceled"]
        assert len({got.json[0]["id"] for got in receiver.notifications}) == 5
        first = receiver.notifications[0]
        assert first.json[0]["subject"] == (
            rig.compute("virtualMachineScaleSets", "web") + f"/providers/microsoft.maintenance/scheduledevents/{event}"
        )
        assert (first.headers["aeg-subscription-name"], first.headers["aeg-delivery-count"]) == ("HOOK", "0")
        assert rig.deliverer.tally.delivered == 5


@in_a_loop
async def test_a_cloud_event_comes_by_itself(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.subscribe(receiver.url, eventDeliverySchema="CloudEventSchemaV1_0")
        await rig.schedule("alone", "alone")
        await rig.deliverer.turn()
        (got,) = receiver.notifications
        assert got.headers["content-type"] == "application/cloudevents+json; charset=utf-8"
        assert (got.json["specversion"], got.json["source"]) == ("1.0", rig.subscription)


@in_a_loop
async def test_what_changes_nothing_visible_is_not_told(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.subscribe(receiver.url)
        event = await rig.schedule("alone", "alone")
        await rig.engine.approve_event(event, ALICE)
        await rig.engine.approve_event(event, ALICE)
        await rig.deliverer.turn()
        assert sorted(statuses(receiver)) == ["Scheduled", "Started"]


@in_a_loop
async def test_what_failed_is_told_again_later_under_the_same_id(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.subscribe(receiver.url)
        receiver.reply = failing()
        await rig.schedule("alone", "alone")
        await rig.deliverer.turn()
        rig.wall += timedelta(seconds=9)
        await rig.deliverer.turn()
        assert len(receiver.notifications) == 1
        rig.wall += timedelta(seconds=1)
        await rig.deliverer.turn()
        receiver.reply = agree
        rig.wall += timedelta(seconds=30)
        await rig.deliverer.turn()
        rig.wall += timedelta(days=1)
        await rig.deliverer.turn()
        assert [got.headers["aeg-delivery-count"] for got in receiver.notifications] == ["0", "1", "2"]
        assert len({got.json[0]["id"] for got in receiver.notifications}) == 1
        assert (rig.deliverer.tally.postponed, rig.deliverer.tally.delivered) == (2, 1)


@pytest.mark.parametrize(
    ("status", "policy"),
    [
        pytest.param(404, {}, id="hopeless"),
        pytest.param(500, {"maxDeliveryAttempts": 1}, id="no-attempts-left"),
    ],
)
@in_a_loop
async def test_what_is_given_up_is_logged_and_counted(
    status: int, policy: dict[str, int], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with rigged(tmp_path) as rig, receiving() as receiver:
        await rig.subscribe(receiver.url, retryPolicy=policy)
        receiver.reply = failing(status)
        with caplog.at_level(logging.WARNING):
            event = await rig.schedule("alone", "alone")
            await rig.deliverer.turn()
        assert rig.deliverer.tally.dropped == 1
        assert (
            f"gave up telling hook of event {event} (Scheduled) after 1 attempts: it answered {status}" in caplog.text
        )
        assert "s3cret" not in caplog.text
        rig.wall += timedelta(days=1)
        await rig.deliverer.turn()
        assert len(receiver.notifications) == 1


@in_a_loop
async def test_an_endpoint_that_hangs_holds_up_nobody_else(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig, receiving() as slow, receiving() as quick:
        await rig.subscribe(slow.url, name="slow")
        await rig.subscribe(quick.url, name="quick")
        slow.held = asyncio.Event()
        running = asyncio.create_task(rig.deliverer.run())
        for _ in range(20):
            event = await rig.schedule("alone", "alone")
            await rig.engine.cancel_event(event, ALICE)
        await quick.hears(40)
        assert len(slow.notifications) <= 8
        slow.held.set()
        await slow.hears(40)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def crashed(rig: Rig, receiver: Receiver) -> None:
    """The process dies while the endpoint thinks about it."""
    receiver.held = asyncio.Event()
    running = asyncio.create_task(rig.deliverer.run())
    await receiver.hears(1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    receiver.held.set()
    receiver.held = None


@in_a_loop
async def test_what_was_on_its_way_when_the_process_died_is_told_by_the_next(tmp_path: Path) -> None:
    async with receiving() as receiver:
        store = open_store(tmp_path / "data")
        async with rigged(tmp_path, store) as rig:
            await rig.subscribe(receiver.url)
            await rig.schedule("alone", "alone")
            await crashed(rig, receiver)
        await store.close()
        store = open_store(tmp_path / "data")
        async with rigged(tmp_path, store, declare=False) as rig:
            await rig.deliverer.turn()
            assert len(receiver.notifications) == 1  # the dead one's lease still holds
            await rig.deliverer.start()
            await rig.deliverer.turn()
            await rig.deliverer.turn()
            assert len(receiver.notifications) == 2
            assert len({got.json[0]["id"] for got in receiver.notifications}) == 1
        await store.close()
