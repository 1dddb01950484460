"""Scopes over the API: their approval policies, and what events wait for under them."""

import urllib.parse
from typing import Any

import pytest

from forewarn.domain.events import Actor
from tests.access.making import bearer
from tests.control.rig import Rig

SCOPES = "/forewarn/v1/scopes"
EVENTS = "/forewarn/v1/events"
NOW = "2030-01-01T12:00:00Z"


def choose(rig: Rig, scope: str, rule: str, count: int | None = None) -> list[dict[str, Any]]:
    body = {"approval_policy": {"rule": rule, "count": count}}
    status, answer = rig.ask("PATCH", f"{SCOPES}/{scope}", body)
    assert status == 200, answer
    found: list[dict[str, Any]] = answer["items"]
    return found


def test_the_approval_policy_is_azure_s_until_somebody_chooses_another(rig: Rig) -> None:
    assert rig.get(f"{SCOPES}/db")["approval_policy"] == {"rule": "first", "count": None}
    (scope,) = choose(rig, "db", "k-of-n", 2)
    assert scope["approval_policy"] == {"rule": "k-of-n", "count": 2}
    assert rig.get(f"{SCOPES}/db") == scope
    (entry,) = rig.get("/forewarn/v1/history?what=policy")["items"]
    assert (entry["who"]["name"], entry["scope"], entry["before"], entry["after"]) == ("local", "db", "first", "2-of-n")


def test_a_scale_set_s_name_stands_for_all_its_scopes(rig: Rig) -> None:
    assert [scope["id"] for scope in choose(rig, "web", "human")] == ["web:0", "web:1"]
    assert rig.get(f"{SCOPES}/web:1")["approval_policy"]["rule"] == "human"
    assert rig.get(f"{SCOPES}/db")["approval_policy"]["rule"] == "first"


@pytest.mark.parametrize(
    ("scope", "body", "status", "told"),
    [
        pytest.param("db", {"approval_policy": {"rule": "k-of-n"}}, 400, "needs the number", id="k-of-n-without-k"),
        pytest.param("db", {"approval_policy": {"rule": "k-of-n", "count": 0}}, 400, "from 1", id="0-of-n"),
        pytest.param("db", {"approval_policy": {"rule": "human", "count": 2}}, 400, "without one", id="two-humans"),
        pytest.param("db", {"approval_policy": {"rule": "most"}}, 400, "Invalid enum value 'most'", id="no-such-rule"),
        pytest.param("db", {"approval_policy": {}}, 400, "rule", id="no-rule"),
        pytest.param("db", {"approval_policy": {"rule": "first", "for": 1}}, 400, "for", id="unknown-member"),
        pytest.param("db", {"kind": "standalone"}, 400, "kind", id="what-cannot-be-changed"),
        pytest.param("db", None, 400, "approval_policy is needed", id="nothing"),
        pytest.param("nowhere", {"approval_policy": {"rule": "first"}}, 404, "nowhere", id="nowhere"),
    ],
)
def test_what_makes_no_sense_is_refused(rig: Rig, scope: str, body: object, status: int, told: str) -> None:
    refused, message = rig.refused("PATCH", f"{SCOPES}/{scope}", body)
    assert (refused, told in message) == (status, True), message
    assert rig.get(f"{SCOPES}/db")["approval_policy"]["rule"] == "first"


def test_an_event_tells_who_is_ready_who_approved_and_whom_it_waits_for(rig: Rig) -> None:
    choose(rig, "twins", "all-named")
    (event,) = rig.post(EVENTS, {"type": "Reboot", "machines": ["other"]})["events"]
    assert (event["ready"], event["waits_for"]["machines"], event["waits_for"]["needed"]) == ([], ["other"], 1)
    choose(rig, "twins", "human")
    rig.run(rig.engine.say_ready("twins", event["id"], "other", True))
    rig.run(rig.engine.approve("twins", [event["id"]], Actor.machine("solo")))
    waits = {"approval_policy": {"rule": "human", "count": None}, "approved": False, "machines": [], "needed": 0}
    for told in (rig.get(f"{EVENTS}/{event['id']}"), rig.get(EVENTS)["items"][0]):
        assert told["ready"] == [{"machine": "other", "at": NOW}]
        assert told["approvals"] == [{"by": {"kind": "machine", "name": "solo"}, "at": NOW}]
        assert told["waits_for"] == waits
    approved = rig.post(f"{EVENTS}/{event['id']}/approve")
    assert (approved["phase"], approved["waits_for"]) == ("Started", None)
    words = [entry["what"] for entry in rig.get(f"/forewarn/v1/history?subject={event['id']}")["items"]]
    assert words == ["scheduled", "ready", "approved", "approved", "started"]


def test_a_policy_that_is_satisfied_lets_what_waited_start(rig: Rig) -> None:
    choose(rig, "db", "human")
    (event,) = rig.post(EVENTS, {"type": "Reboot", "machines": ["db-0"]})["events"]
    rig.run(rig.engine.say_ready("db", event["id"], "db-0", True))
    (scope,) = choose(rig, "db", "all-named")
    assert rig.get(f"{EVENTS}/{event['id']}")["phase"] == "Started"
    assert scope["incarnation"] == rig.get(f"{SCOPES}/db")["incarnation"] == 3


def test_a_scope_with_a_slash_in_its_name_is_found(rig: Rig) -> None:
    for name in ("rg/vm", urllib.parse.quote("rg/vm", safe="")):
        assert rig.refused("GET", f"{SCOPES}/{name}") == (
            404,
            "There is no scope rg/vm. `forewarn fleet --scopes` lists those there are.",
        )


@pytest.mark.parametrize(
    ("role", "status"), [("Reader", 403), ("ScheduledEventContributor", 403), ("Contributor", 200)]
)
def test_who_may_write_may_choose_the_policy(rig: Rig, role: str, status: int) -> None:
    rig.post("/forewarn/v1/clients", {"id": "bob"})
    rig.post("/forewarn/v1/roles", {"principal": "bob", "role": role})
    body = {"approval_policy": {"rule": "human"}}
    answered, _ = rig.ask("PATCH", f"{SCOPES}/db", body, bearer(rig.access, "bob"))
    assert answered == status


def test_policies_are_counted(rig: Rig) -> None:
    choose(rig, "db", "human")
    figures = rig.raw("GET", "/metrics")[1].decode()
    assert 'forewarn_approval_policies{rule="first"} 5' in figures
    assert 'forewarn_approval_policies{rule="human"} 1' in figures
    assert 'forewarn_history_entries_total{what="policy"} 1' in figures
