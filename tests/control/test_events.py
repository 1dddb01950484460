"""Events over the API: listed, scheduled, approved, called off."""

from typing import Any

import pytest

from tests.control.rig import Rig

EVENTS = "/forewarn/v1/events"


def scheduled(rig: Rig, *machines: str, **more: object) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = rig.post(EVENTS, {"type": "Reboot", "machines": machines, **more})["events"]
    return found


def test_maintenance_is_one_event_for_each_group_that_goes_down_together(rig: Rig) -> None:
    events = scheduled(rig, "db-0", "db-1", "web_0")
    assert [event["resources"] for event in events] == [["db-0"], ["db-1"], ["web_0"]]
    assert {event["phase"] for event in events} == {"Scheduled"}
    assert {event["not_before"] for event in events} == {"2030-01-01T12:15:00Z"}


@pytest.mark.parametrize("notice", ["1h", "PT1H", "60m"])
def test_notice_may_be_longer_than_the_least(rig: Rig, notice: str) -> None:
    (event,) = scheduled(rig, "db-0", notice=notice)
    assert event["not_before"] == "2030-01-01T13:00:00Z"


def test_a_failure_of_hardware_starts_at_once(rig: Rig) -> None:
    (event,) = scheduled(rig, "db-0", at_once=True)
    assert (event["phase"], event["description"]) == ("Started", "Virtual machine has encountered a failure.")


def test_what_the_document_says_can_be_chosen(rig: Rig) -> None:
    (event,) = scheduled(rig, "db-0", description="Moving racks.", duration=30)
    assert (event["description"], event["duration"]) == ("Moving racks.", 30)


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        pytest.param({"type": "Reboot", "machines": ["db-0"], "notice": "1m"}, 400, "at least", id="too-little-notice"),
        pytest.param(
            {"type": "Reboot", "machines": ["db-0"], "notice": "soon"}, 400, "'soon' is not", id="no-duration"
        ),
        pytest.param({"type": "Reboot", "machines": ["db-0"], "notice": "99999d"}, 400, "ten years", id="too-long"),
        pytest.param({"type": "Reboot", "machines": ["db-0"], "notice": "9" * 30 + "d"}, 400, "too long", id="endless"),
        pytest.param(
            {"type": "Reboot", "machines": ["db-0"], "notice": "1h", "at_once": True}, 400, "exclude", id="both"
        ),
        pytest.param({"type": "Preempt", "machines": ["db-0"]}, 409, "not a Spot machine", id="preempt-a-regular"),
        pytest.param({"type": "Terminate", "machines": ["spot"]}, 409, "never Terminate", id="terminate-a-spot"),
        pytest.param({"type": "Reboot", "machines": ["nobody"]}, 404, "no machine nobody", id="nobody"),
        pytest.param({"type": "Reboot", "machines": ["solo"]}, 409, "solo/solo or twins/solo", id="ambiguous"),
        pytest.param({"type": "Reboot", "machines": []}, 400, "length >= 1", id="no-machines"),
        pytest.param({"type": "Quake", "machines": ["db-0"]}, 400, "Invalid enum value 'Quake'", id="no-such-type"),
        pytest.param({"type": "Reboot"}, 400, "machines", id="machines-missing"),
        pytest.param({"type": "Reboot", "machines": "db-0"}, 400, "Expected `array`", id="machines-as-text"),
        pytest.param({"type": "Reboot", "machines": ["db-0"], "speed": 3}, 400, "speed", id="unknown-field"),
        pytest.param({"type": "Reboot", "machines": ["db-0"], "duration": -2}, 400, ">= -1", id="duration"),
        pytest.param([], 400, "Expected `object`", id="a-list"),
        pytest.param(None, 400, "A JSON body with type, machines is needed", id="no-body"),
    ],
)
def test_what_cannot_be_scheduled_is_refused_with_the_reason(rig: Rig, body: object, status: int, told: str) -> None:
    refused, message = rig.refused("POST", EVENTS, body)
    assert (refused, told in message) == (status, True), message
    assert rig.get(f"{EVENTS}?all=true")["items"] == []


def test_an_approved_event_starts_and_goes(rig: Rig) -> None:
    (event,) = scheduled(rig, "db-0")
    approved = rig.post(f"{EVENTS}/{event['id']}/approve")
    assert approved["phase"] == "Started"
    assert approved["approvals"][0]["by"] == {"kind": "user", "name": "local"}
    assert rig.post(f"{EVENTS}/{event['id']}/approve")["phase"] == "Started"  # once more does no harm
    rig.post("/forewarn/v1/clock/advance", {"by": "5s"})
    assert rig.get(f"{EVENTS}/{event['id']}")["phase"] == "Completed"
    assert rig.get(EVENTS)["items"] == []
    assert rig.refused("POST", f"{EVENTS}/{event['id']}/approve")[0] == 409


def test_an_event_is_cancelled_until_it_starts(rig: Rig) -> None:
    first, second = scheduled(rig, "db-0", "db-1")
    assert rig.post(f"{EVENTS}/{first['id']}/cancel", {"why": "not today"})["phase"] == "Canceled"
    assert rig.refused("POST", f"{EVENTS}/{first['id']}/cancel")[0] == 409
    rig.post(f"{EVENTS}/{second['id']}/approve")
    assert rig.refused("POST", f"{EVENTS}/{second['id']}/cancel")[0] == 409
    entries = rig.get(f"/forewarn/v1/history?subject={first['id']}")["items"]
    assert (entries[-1]["what"], entries[-1]["detail"]) == ("canceled", "not today")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        pytest.param("", ["db-1", "db-2", "web_0"], id="live"),
        pytest.param("all=true", ["db-0", "db-1", "db-2", "web_0"], id="all"),
        pytest.param("scope=db", ["db-1", "db-2"], id="scope"),
        pytest.param("machine=web_0", ["web_0"], id="machine"),
        pytest.param("machine=db%2Fdb-2", ["db-2"], id="machine-and-scope"),
        pytest.param("machine=twins/db-2", [], id="machine-of-another-scope"),
        pytest.param("type=Redeploy", ["web_0"], id="type"),
        pytest.param("phase=Started", ["db-1"], id="phase"),
        pytest.param("phase=Canceled", ["db-0"], id="phase-that-is-over"),
        pytest.param("campaign=X", [], id="campaign"),
        pytest.param("limit=1&machine=db-2", ["db-2"], id="filter-and-limit"),
    ],
)
def test_events_are_filtered(rig: Rig, query: str, expected: list[str]) -> None:
    first, second, _ = scheduled(rig, "db-0", "db-1", "db-2")
    rig.post(EVENTS, {"type": "Redeploy", "machines": ["web_0"]})
    rig.post(f"{EVENTS}/{first['id']}/cancel")
    rig.post(f"{EVENTS}/{second['id']}/approve")
    assert sorted(event["resources"][0] for event in rig.get(f"{EVENTS}?{query}")["items"]) == expected


def test_events_come_in_pages(rig: Rig) -> None:
    ids = {event["id"] for event in scheduled(rig, *(f"web_{n}" for n in range(25)))}
    seen, after = [], ""
    while after is not None:
        page = rig.get(f"{EVENTS}?limit=10&after={after}")
        seen += [event["id"] for event in page["items"]]
        after = page["next"]
    assert seen == sorted(ids)


def test_an_event_is_named_by_an_unambiguous_beginning(rig: Rig) -> None:
    first, second = scheduled(rig, "db-0", "db-1")
    assert rig.get(f"{EVENTS}/{first['id'][:8].lower()}")["id"] == first["id"]
    status, message = rig.refused("GET", f"{EVENTS}/0000")
    assert (status, first["id"] in message, second["id"] in message) == (409, True, True)
    assert rig.refused("GET", f"{EVENTS}/000")[0] == 400
    assert rig.refused("GET", f"{EVENTS}/FFFF")[0] == 404


def test_a_live_event_goes_before_those_that_are_over(rig: Rig) -> None:
    first, second = scheduled(rig, "db-0", "db-1")
    rig.post(f"{EVENTS}/{first['id']}/cancel")
    assert rig.get(f"{EVENTS}/0000")["id"] == second["id"]


def test_an_idempotency_key_stands_for_one_command(rig: Rig) -> None:
    body = {"type": "Reboot", "machines": ["db-0"]}
    first = rig.post(EVENTS, body, key="once")
    assert rig.post(EVENTS, body, key="once") == first
    assert len(rig.get(EVENTS)["items"]) == 1
    status, value = rig.ask("POST", EVENTS, {**body, "machines": ["db-1"]}, {"Idempotency-Key": "once"})
    assert (status, "another body" in value["error"]["message"]) == (409, True)


@pytest.mark.parametrize("key", ["x" * 201, "caf\xe9", "a\tb"])
def test_an_idempotency_key_is_short_and_plain(rig: Rig, key: str) -> None:
    body = {"type": "Reboot", "machines": ["db-0"]}
    assert rig.ask("POST", EVENTS, body, {"Idempotency-Key": key})[0] == 400


def test_what_is_made_tells_where_it_is(rig: Rig) -> None:
    body = b'{"type": "Reboot", "machines": ["db-0"]}'
    status, _, headers = rig.raw("POST", EVENTS, body, {"Content-Type": "application/json; charset=utf-8"})
    assert status == 201
    assert rig.get(headers["location"])["resources"] == ["db-0"]
