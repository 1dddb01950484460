"""Acknowledging events through Microsoft.Maintenance, as the real CLI and SDK do."""

from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.domain.access import Role
from tests.arm.publication import Rig, rigged
from tests.engine.desk import in_a_loop

APPROVED = {"value": "Successfully Approved"}
UNKNOWN = {"Error": {"Code": "InvalidScheduledEventId", "Message": "Scheduled event not found"}}
NOBODYS = "8482AE8A-ED76-48E8-A055-8E8B40CF8A57"


async def acknowledge(rig: Rig, kind: str, name: str, event: str, who: str = "local") -> tuple[int, object]:
    path = f"{rig.compute(kind, name)}/providers/Microsoft.Maintenance/scheduledevents/{event}/acknowledge"
    return await rig.ask("POST", path, who=who)


async def acknowledge_all(rig: Rig, kind: str, name: str, body: object) -> tuple[int, object]:
    return await rig.ask("POST", f"{rig.compute(kind, name)}/providers/Microsoft.Maintenance/scheduledevents", body)


@pytest.mark.parametrize(
    ("kind", "name", "scope", "machine"),
    [
        pytest.param("virtualMachines", "alone", "alone", "alone", id="a-machine-alone"),
        pytest.param("virtualMachines", "db-0", "db", "db-0", id="a-machine-of-an-availability-set"),
        pytest.param("availabilitySets", "db", "db", "db-1", id="an-availability-set"),
        pytest.param("virtualMachineScaleSets", "web", "web:0", "web_1", id="a-scale-set"),
        pytest.param("VIRTUALMACHINESCALESETS", "WEB", "web:0", "web_1", id="in-any-letter-case"),
    ],
)
@in_a_loop
async def test_an_acknowledged_event_starts(kind: str, name: str, scope: str, machine: str, tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule(scope, machine)
        assert await acknowledge(rig, kind, name, event.lower()) == (200, APPROVED)
        assert await rig.phase(event) == "Started"
        assert await acknowledge(rig, kind, name, event) == (200, APPROVED)


@in_a_loop
async def test_an_event_that_ended_a_moment_ago_is_still_approved_and_later_unknown(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule("alone", "alone")
        await acknowledge(rig, "virtualMachines", "alone", event)
        await rig.player.settle()
        assert await rig.phase(event) == "Completed"
        assert await acknowledge(rig, "virtualMachines", "alone", event) == (200, APPROVED)
        await rig.player.advance(timedelta(minutes=11))
        assert await acknowledge(rig, "virtualMachines", "alone", event) == (404, UNKNOWN)


@pytest.mark.parametrize(
    ("kind", "name", "scope", "machine"),
    [
        pytest.param("virtualMachines", "alone", "db", "db-0", id="another-scope"),
        pytest.param("virtualMachines", "db-1", "db", "db-0", id="another-machine-of-its-set"),
        pytest.param("availabilitySets", "db", "web:0", "web_0", id="another-set"),
    ],
)
@in_a_loop
async def test_an_event_of_somebody_else_is_not_found(
    kind: str, name: str, scope: str, machine: str, tmp_path: Path
) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule(scope, machine)
        assert await acknowledge(rig, kind, name, event) == (404, UNKNOWN)
        assert await rig.phase(event) == "Scheduled"


@in_a_loop
async def test_an_unknown_event_and_an_unknown_machine_are_told_apart(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        assert await acknowledge(rig, "virtualMachines", "alone", NOBODYS) == (404, UNKNOWN)
        status, answer = await acknowledge(rig, "virtualMachines", "nobody", NOBODYS)
        assert status == 404
        assert "ResourceNotFound" in str(answer)


@in_a_loop
async def test_many_are_acknowledged_at_once(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        events = [await rig.schedule("db", f"db-{i}") for i in range(2)]
        assert await acknowledge_all(rig, "availabilitySets", "db", {"value": events}) == (200, APPROVED)
        assert [await rig.phase(event) for event in events] == ["Started", "Started"]


@in_a_loop
async def test_those_not_found_among_many_are_told_as_azure_does(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule("db", "db-0")
        answer = await acknowledge_all(rig, "availabilitySets", "db", {"value": [NOBODYS, event, NOBODYS]})
        missing = {"Code": "NotFound", "Message": "Scheduled event not found"}
        message = (
            "The operation returned different statuses for the Scheduled Events. "
            "Review each event's result for details."
        )
        assert answer == (
            207,
            {
                "Response": {"Code": "MultiStatusResponse", "Message": message},
                "Details": [missing, {"Code": "OK", "Message": "Successfully Approved"}, missing],
            },
        )
        assert await rig.phase(event) == "Started"


@pytest.mark.parametrize("body", [None, {}, {"value": []}, {"value": "one"}, {"value": [7]}, [1]])
@in_a_loop
async def test_a_list_that_is_none_is_refused(body: object, tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        status, answer = await acknowledge_all(rig, "availabilitySets", "db", body)
        assert status == 400
        assert "InvalidRequestContent" in str(answer)


@in_a_loop
async def test_it_takes_the_right_to_acknowledge(tmp_path: Path) -> None:
    async with rigged(tmp_path) as rig:
        event = await rig.schedule("alone", "alone")
        await rig.give("looker", Role.READER, rig.subscription)
        await rig.give("operator", Role.SCHEDULED_EVENT_CONTRIBUTOR, rig.group())
        await rig.give("stranger", Role.SCHEDULED_EVENT_CONTRIBUTOR, rig.group("Elsewhere"))
        for who in ("nobody", "looker", "stranger"):
            assert (await acknowledge(rig, "virtualMachines", "alone", event, who=who))[0] == 403
        assert await rig.phase(event) == "Scheduled"
        assert (await acknowledge(rig, "virtualMachines", "alone", event, who="operator"))[0] == 200
        entries = await rig.store.read(lambda reader: reader.history(subject=event))
        assert any(str(entry.who) == "user:operator" for entry in entries)
