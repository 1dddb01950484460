"""Every verb but `up`, against a real control plane."""

import pytest

from tests.cli.shell import Shell, words
from tests.control.rig import Rig
from tests.control.test_repairs import a_set


def test_fleet_lists_the_machines_with_their_addresses(forewarn: Shell) -> None:
    said = forewarn.ok("fleet", "--scope", "db")
    assert said.out.splitlines()[0].split() == ["MACHINE", "SCOPE", "UD", "FD", "PRIORITY", "POWER", "METADATA", "URL"]
    assert said.rows[1] == ["db-1", "db", "1", "1", "Regular", "running", "http://127.0.0.4:8254/"]
    assert len(said.rows) == 3


def test_fleet_shows_people_a_part_of_a_large_fleet_and_programs_all_of_it(forewarn: Shell) -> None:
    said = forewarn.ok("fleet", "--limit", "5")
    assert (len(said.rows), "… and more" in said.err) == (5, True)
    assert len(forewarn.ok("fleet", "--limit", "0").rows) == 109
    assert len(forewarn.ok("fleet", "--json").json) == 109


def test_fleet_lists_the_scopes(rig: Rig, forewarn: Shell) -> None:
    rig.enrol("db")
    rows = forewarn.ok("fleet", "--scopes").rows
    assert rows[0] == ["db", "availability-set", "2030-01-01", "12:00:00Z", "1", "first", "0"]
    assert rows[-1] == ["web:1", "placement-group", "web", "not", "enrolled", "1", "first", "0"]
    assert [scope["id"] for scope in forewarn.ok("fleet", "--scopes", "--json").json][-1] == "web:1"


def test_without_events_it_says_so(forewarn: Shell) -> None:
    assert forewarn.ok("events").out == "No events.\n"
    assert forewarn.ok("events", "--json").json == []
    assert forewarn.ok("events", "--until-empty").out == "No events.\n"


def test_an_event_is_scheduled_approved_and_over(forewarn: Shell) -> None:
    (row,) = forewarn.ok("schedule", "reboot", "db-0").rows
    assert row[1:] == [*["Reboot", "Scheduled", "Platform", "db-0", "db", "not", "before", "12:15:00Z,", "in", "15m"]]
    assert forewarn.ok("events").rows == [row]
    said = forewarn.ok("approve", row[0])
    assert said.out == f"{row[0]}  Reboot of db-0:  Started\n"
    assert "started 0s ago user:local" in " ".join(forewarn.ok("events").rows[0])
    forewarn.ok("clock", "advance", "5s")
    assert forewarn.ok("events").out == "No events.\n"
    assert "Completed" in forewarn.ok("events", "--all").out


def test_every_option_of_schedule_reaches_the_event(forewarn: Shell) -> None:
    (event,) = forewarn.ok(
        *["schedule", "Freeze", "db/db-1", "--notice", "20m", "--duration", "0", "--idempotency-key", "k", "--json"],
        "--description",
        "[bold]No markup[/bold]",
    ).json
    assert (event["type"], event["resources"], event["duration"]) == ("Freeze", ["db-1"], 0)
    assert (event["not_before"], event["description"]) == ("2030-01-01T12:20:00Z", "[bold]No markup[/bold]")
    (struck,) = forewarn.ok(*["schedule", "Redeploy", "db-2", "--at-once", "--json"]).json
    assert struck["phase"] == "Started"


def test_the_policy_of_a_scope_is_shown_and_chosen(rig: Rig, forewarn: Shell) -> None:
    assert forewarn.ok("policy", "db").rows == [["db", "first"]]
    assert forewarn.ok("policy", "db", "k-of-n", "2").rows == [["db", "2-of-n"]]
    assert forewarn.ok("policy", "db", "--json").json == [{"scope": "db", "rule": "k-of-n", "count": 2}]
    assert forewarn.ok("policy", "web", "human").rows == [["web:0", "human"], ["web:1", "human"]]
    assert forewarn.ok("policy", "web").rows == [["web:0", "human"], ["web:1", "human"]]
    assert "human" in forewarn.ok("fleet", "--scopes").rows[-1]


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        pytest.param("policy nowhere", 1, "There is no scope nowhere", id="nowhere"),
        pytest.param("policy nowhere human", 1, "There is no scope or scale set nowhere", id="nowhere-to-choose"),
        pytest.param("policy db k-of-n", 1, "needs the number", id="without-k"),
        pytest.param("policy db first 2", 1, "without one", id="with-k"),
        pytest.param("policy db most", 2, "invalid choice", id="no-such-rule"),
        pytest.param("policy db k-of-n two", 2, "is not a number", id="no-number"),
    ],
)
def test_a_wrong_policy_is_refused(forewarn: Shell, line: str, status: int, told: str) -> None:
    said = forewarn(*words(line))
    assert (said.status, told in said.err) == (status, True), said


def test_events_tell_who_is_ready_and_whom_they_wait_for(rig: Rig, forewarn: Shell) -> None:
    (event,) = forewarn.ok("schedule", "Reboot", "db-0", "--json").json
    assert "WAITS FOR" not in forewarn.ok("events").out, "it is as in Azure"
    forewarn.ok("policy", "db", "human")
    assert forewarn.ok("events").rows[0][-2:] == ["a", "user"]
    rig.run(rig.engine.say_ready("db", event["id"], "db-0", True))
    assert forewarn.ok("events").rows[0][-3:] == ["db-0", "a", "user"]
    rig.run(rig.engine.say_ready("db", event["id"], "db-0", False))
    forewarn.ok("policy", "db", "all-named")
    assert forewarn.ok("events").rows[0][-1] == "db-0"
    forewarn.ok("approve", event["id"])
    assert "WAITS FOR" not in forewarn.ok("events").out


def test_several_events_are_cancelled_and_one_refusal_does_not_keep_the_others_from_it(forewarn: Shell) -> None:
    ids = [row[0] for row in forewarn.ok("schedule", "Reboot", "db-0", "db-1").rows]
    said = forewarn("cancel", ids[0], "FFFFFFFF", ids[1], "--why", "rain")
    assert (said.status, said.out.count("Canceled")) == (1, 2)
    assert said.err.startswith("forewarn: There is no event FFFFFFFF.")
    assert "rain" in forewarn.ok("history").out


def test_an_approval_that_must_wait_for_others_says_so(rig: Rig, forewarn: Shell) -> None:
    rig.enrol("web:0")
    forewarn.ok("delete", "web_0")
    forewarn.ok("delete", "web_1")
    first = forewarn.ok("events", "--machine", "web_0", "--json").json[0]["id"]
    assert "approved; it waits for others, at most until 12:10:00Z" in forewarn.ok("approve", first).out


@pytest.mark.parametrize(
    ("verb", "machine", "told"),
    [
        ("restart", "db-0", "Reboot of db-0: announced as event "),
        ("redeploy", "db-0", "Redeploy of db-0: announced as event "),
        ("delete", "db-0", "Terminate of db-0: under way, without an event"),
        ("evict", "spot", "Preempt of spot: under way, without an event"),
    ],
)
def test_a_machine_s_owner_asks_for_something(rig: Rig, forewarn: Shell, verb: str, machine: str, told: str) -> None:
    rig.enrol("db")
    assert forewarn.ok(verb, machine).out.startswith(told)
    assert len(forewarn.ok("operations").rows) == 1
    operation = forewarn.ok("operations", "--all", "--json").json[0]
    assert forewarn.ok("operations", operation["id"][:8], "--json").json == operation


def test_an_unhealthy_instance_is_reported(rig: Rig, forewarn: Shell) -> None:
    a_set(rig, policy={"enabled": True})
    said = forewarn.ok("unhealthy", "app_1").out.splitlines()
    assert said[0].startswith("Terminate of app_1: announced as event ")
    assert said[0].endswith(", not before 12:18:00Z unless approved.")
    assert said[1] == "rg/app:0/app_3 takes its place."
    assert forewarn.ok("unhealthy", "app_1", "--json").json["replacement"] == "rg/app:0/app_3"
    refused = forewarn("unhealthy", "db-0")
    assert (refused.status, refused.out) == (1, "")
    assert refused.err == "forewarn: db-0 is not an instance of a scale set: there is nobody to repair it.\n"


def test_without_operations_it_says_so(forewarn: Shell) -> None:
    assert forewarn.ok("operations").out == "No operations.\n"


def test_a_wait_ends_with_the_operation(rig: Rig, forewarn: Shell) -> None:
    forewarn.ok("restart", "db-0", "--idempotency-key", "one")
    forewarn.ok("clock", "advance", "1m")
    assert forewarn.ok("restart", "db-0", "--idempotency-key", "one", "--wait").out == "Reboot of db-0: Succeeded.\n"


def test_a_wait_for_something_that_fails_ends_with_status_1(rig: Rig, forewarn: Shell) -> None:
    rig.driver.failing.add("db-0")
    forewarn.ok("restart", "db-0", "--idempotency-key", "one")
    forewarn.ok("clock", "advance", "10m")
    said = forewarn("restart", "db-0", "--idempotency-key", "one", "--wait")
    assert (said.status, said.out) == (1, "Reboot of db-0: Failed. db-0: told to fail\n")


@pytest.mark.parametrize(("verb", "power"), [("start", "running"), ("stop", "stopped"), ("deallocate", "deallocated")])
def test_power_is_noted(forewarn: Shell, verb: str, power: str) -> None:
    assert forewarn.ok(verb, "db-0").out == f"db-0 is {power}.\n"
    assert forewarn.ok(verb, "db-0", "--json").json["power"] == power


def test_a_campaign_from_start_to_end(forewarn: Shell) -> None:
    assert forewarn.ok("campaign", "list").out == "No campaigns.\n"
    said = forewarn.ok(*words("campaign start Reboot db --notice 20m --pause 5m --description Rolling."))
    campaign = said.out.split()[2].rstrip(":")
    forewarn.ok("clock", "advance", "1m")
    shown = forewarn.ok("campaign", "show", campaign).out
    assert "0 of 1 scopes are through." in shown
    assert shown.splitlines()[-1].split() == ["db", *["update", "domain", "0", "1,", "2", "update", "domain", "0"]]
    assert "Paused" in forewarn.ok("campaign", "pause", campaign).out
    assert "Running" in forewarn.ok("campaign", "resume", campaign).out
    assert "Canceled" in forewarn.ok("campaign", "cancel", campaign).out
    forewarn.ok("clock", "advance", "1m")
    assert "1 of 1 scopes are through." in forewarn.ok("campaign", "show", campaign).out
    assert forewarn.ok("campaign", "list").rows[0][1:4] == ["Reboot", "Canceled", "1"]
    assert len(forewarn.ok("campaign", "show", campaign, "--json").json["items"]) == 1


def test_a_campaign_over_everything(forewarn: Shell) -> None:
    assert forewarn.ok("campaign", "start", "Freeze", "--all", "--json").json["scope_count"] == 6
    assert forewarn("campaign", "start", "Freeze", "db").status == 1


def test_history_shows_the_last_entries(rig: Rig, forewarn: Shell) -> None:
    for scope in ("db", "solo", "web:0"):
        rig.enrol(scope)
    assert [row[0] for row in forewarn.ok("history").rows] == ["1", "2", "3"]
    assert [row[0] for row in forewarn.ok("history", "-n", "2").rows] == ["2", "3"]
    assert [row[0] for row in forewarn.ok("history", "--scope", "solo", "--last", "0").rows] == ["2"]
    assert [entry["seq"] for entry in forewarn.ok("history", "--subject", "db", "--json").json] == [1]


def test_history_is_verified(rig: Rig, forewarn: Shell) -> None:
    rig.enrol("db")
    assert forewarn.ok("history", "--verify").out == "The history holds: 1 entries in 1 scopes.\n"
    assert forewarn.ok("history", "--verify", "--json").json["holds"] is True


def test_the_clock_is_read_and_moved(forewarn: Shell) -> None:
    assert forewarn.ok("clock").out == "2030-01-01 12:00:00Z (standing still)\nNothing is going to happen by itself.\n"
    forewarn.ok("schedule", "Reboot", "db-0")
    assert "Something happens at 2030-01-01 12:15:00Z, in 15m." in forewarn.ok("clock").out
    assert forewarn.ok("clock", "next").out.startswith("2030-01-01 12:15:00Z")
    assert forewarn.ok("clock", "advance", "1d1h").out.startswith("2030-01-02 13:15:00Z")
    assert "60 times as fast" in forewarn.ok("clock", "rate", "60x").out
    assert forewarn.ok("clock", "rate", "0", "--json").json["rate"] == 0


def test_what_a_stranger_wrote_does_not_steer_the_terminal(forewarn: Shell) -> None:
    event = forewarn.ok("schedule", "Reboot", "db-0", "--json").json[0]["id"]
    forewarn.ok("cancel", event, "--why", "\x1b[31mred\x07")
    assert "\ufffd[31mred\ufffd" in forewarn.ok("history").out
