"""Machines and scopes over the API: found, listed, and acted on."""

import pytest

from tests.control.rig import Rig

MACHINES = "/forewarn/v1/machines"


def test_machines_are_listed_in_pages_by_scope_and_name(rig: Rig) -> None:
    names, after = [], ""
    while True:
        page = rig.get(f"{MACHINES}?limit=50&after={after}")
        names += [f"{machine['scope']}/{machine['name']}" for machine in page["items"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert len(names) == len(set(names)) == 109
    assert names == sorted(names)


def test_a_scope_s_machines_are_listed_in_pages_too(rig: Rig) -> None:
    first = rig.get(f"{MACHINES}?scope=db&limit=2")
    assert ([m["name"] for m in first["items"]], first["next"]) == (["db-0", "db-1"], "db/db-1")
    rest = rig.get(f"{MACHINES}?scope=db&limit=2&after={first['next']}")
    assert ([m["name"] for m in rest["items"]], rest["next"]) == (["db-2"], None)


@pytest.mark.parametrize("name", ["spot", "spot/spot", "spot%2Fspot"])
def test_a_machine_is_found_by_its_name_or_with_its_scope(rig: Rig, name: str) -> None:
    machine = rig.get(f"{MACHINES}/{name}")
    assert (machine["scope"], machine["priority"], machine["metadata_url"]) == (
        "spot",
        "Spot",
        "http://127.0.0.2:8254/",
    )


def test_a_name_that_two_machines_have_needs_its_scope(rig: Rig) -> None:
    assert rig.refused("GET", f"{MACHINES}/solo") == (
        409,
        "2 machines are called solo: say which one, solo/solo or twins/solo.",
    )
    assert rig.get(f"{MACHINES}/twins/solo")["scope"] == "twins"


@pytest.mark.parametrize("name", ["nobody", "db/nobody", "nowhere/db-0", "%00", "%FF", "a" * 500])
def test_a_machine_that_is_not_there_is_not_found(rig: Rig, name: str) -> None:
    assert rig.refused("GET", f"{MACHINES}/{name}")[0] == 404


def test_without_anybody_listening_a_restart_runs_at_once(rig: Rig) -> None:
    operation = rig.post(f"{MACHINES}/db-0/restart")
    assert (operation["event"], operation["state"], operation["impact"]) == (None, "InProgress", "Reboot")
    rig.post("/forewarn/v1/clock/advance", {"by": "5s"})
    assert rig.get(f"/forewarn/v1/operations/{operation['id']}")["state"] == "Succeeded"


@pytest.mark.parametrize(
    ("machine", "verb", "impact", "source", "minutes"),
    [
        pytest.param("db-0", "restart", "Reboot", "User", 15, id="restart"),
        pytest.param("db-0", "redeploy", "Redeploy", "User", 10, id="redeploy"),
        pytest.param("web_0", "delete", "Terminate", "User", 10, id="delete"),
        pytest.param("spot", "evict", "Preempt", "Platform", 0.5, id="evict"),
    ],
)
def test_what_is_asked_of_an_enrolled_machine_is_announced(
    rig: Rig, machine: str, verb: str, impact: str, source: str, minutes: float
) -> None:
    rig.enrol(rig.get(f"{MACHINES}/{machine}")["scope"])
    operation = rig.post(f"{MACHINES}/{machine}/{verb}")
    event = rig.get(f"/forewarn/v1/events/{operation['event']}")
    assert (event["type"], event["source"], event["resources"], event["phase"]) == (
        impact,
        source,
        [machine],
        "Scheduled",
    )
    rig.post("/forewarn/v1/clock/advance", {"by": f"{int(minutes * 60)}s"})
    assert rig.get(f"/forewarn/v1/events/{event['id']}")["phase"] == "Started"


def test_only_spot_machines_are_evicted(rig: Rig) -> None:
    assert rig.refused("POST", f"{MACHINES}/db-0/evict")[0] == 409


def test_the_eleventh_operation_of_a_scope_is_refused(rig: Rig) -> None:
    rig.enrol("web:0")
    for n in range(10):
        rig.post(f"{MACHINES}/web_{n}/restart")
    status, message = rig.refused("POST", f"{MACHINES}/web_10/restart")
    assert status == 429
    assert "no more than 10" in message


@pytest.mark.parametrize(("verb", "power"), [("start", "running"), ("stop", "stopped"), ("deallocate", "deallocated")])
def test_a_machine_s_power_is_noted(rig: Rig, verb: str, power: str) -> None:
    assert rig.post(f"{MACHINES}/db-0/{verb}")["power"] == power
    assert rig.get(f"{MACHINES}/db-0")["power"] == power


def test_an_idempotency_key_makes_a_restart_happen_once(rig: Rig) -> None:
    rig.enrol("db")
    first = rig.post(f"{MACHINES}/db-0/restart", key="k")
    assert rig.post(f"{MACHINES}/db-0/restart", key="k") == first
    assert rig.ask("POST", f"{MACHINES}/db-0/restart")[0] == 409  # without the key it is another one
    assert rig.post(f"{MACHINES}/db-1/restart", key="k")["id"] != first["id"]  # a key is for one path


def test_a_delete_sent_again_when_the_machine_is_gone_is_answered_as_before(rig: Rig) -> None:
    first = rig.post(f"{MACHINES}/db-0/delete", key="k")
    rig.post("/forewarn/v1/clock/advance", {"by": "5s"})
    assert rig.refused("GET", f"{MACHINES}/db-0")[0] == 404
    again = rig.post(f"{MACHINES}/db-0/delete", key="k")
    assert (again["id"], again["state"]) == (first["id"], "Succeeded")


def test_only_the_simulated_driver_can_be_told_to_fail(rig: Rig) -> None:
    status, message = rig.refused("POST", f"{MACHINES}/db-0/fail", {"times": 2})
    assert status == 409
    assert "Only the simulated driver" in message
