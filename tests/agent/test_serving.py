"""What others may ask the agent, of a real one on a real socket."""

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from forewarn.agent.asking import ask
from tests.agent.e2e.fleet import Rig
from tests.agent.process import NOWHERE, Agent, an_agent, get
from tests.waiting import until

ASK = '[steps.note]\nuse = "log"\n[[rules]]\nsteps = ["note"]\napprove = "ask"\n'
OWN = '[agent]\napprove = "own"\n[steps.note]\nuse = "log"\n[[rules]]\nsteps = ["note"]\n'


def schedule(fleet: Rig, agent: Agent, machine: str, type: str = "Reboot") -> str:
    """The id of an event that the agent knows of."""
    until(lambda: agent.status()["incarnation"] is not None, "the agent has a document")
    (made,) = fleet.control.post("/events", {"type": type, "machines": [machine]})["events"]
    event = str(made["id"])
    until(lambda: any(e["event"].upper() == event.upper() for e in agent.status()["events"]), "the event is seen")
    return event


def test_an_event_from_the_outside(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, "--approve", "never", endpoint=fleet.forewarn.machines["ada"]) as agent:
        until(lambda: agent.get("/healthz")[0] == 200, "it is well")
        assert agent.get("/drained") == (200, "in service\n")
        assert agent.get("/ready/E1")[0] == 404

        event = schedule(fleet, agent, "ada")
        until(lambda: agent.sees("ready"), "it is ready")
        assert agent.get("/drained") == (503, f"Reboot {event}: ready\n")
        assert agent.get(f"/ready/{event}") == (409, "approval is never: this machine does not speak for itself\n")

        fleet.advance("15m")
        until(lambda: agent.status()["events"][0]["started"], "it has started")
        assert agent.get("/drained")[0] == 503
        fleet.advance("15m")
        until(lambda: agent.get("/drained")[0] == 200, "it is restored")
        assert agent.status()["past"][0]["stage"] == "over"


def test_a_peer_hears_that_a_machine_is_ready_whatever_the_case_of_the_id(fleet: Rig, tmp_path: Path) -> None:
    slow = OWN.replace('"own"', '"all-ready"').replace('use = "log"', 'use = "command"\nprepare_command = "cat {go}"')
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    with an_agent(tmp_path, slow.format(go=gate), endpoint=fleet.forewarn.machines["bob"]) as agent:
        event = schedule(fleet, agent, "bob")
        until(lambda: agent.sees("preparing"), "its step runs")
        assert agent.get(f"/ready/{event}") == (409, "preparing\n")
        assert agent.status()["events"][0]["waits_for"] in ("note is preparing", "")
        gate.write_text("go")
        until(lambda: agent.get(f"/ready/{event.lower()}") == (200, "ready\n"), "it is ready")
        assert agent.get(f"/ready/{event.upper()}") == (200, "ready\n")


def test_a_person_is_asked_and_answers_once(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, ASK, endpoint=fleet.forewarn.machines["cat"]) as agent:
        event = schedule(fleet, agent, "cat")
        until(lambda: "waits for a person" in agent.status()["events"][0]["waits_for"], "a person is asked")
        refused, why = ask(agent.state, "POST", "/answer", {"event": "nix", "yes": True})
        assert (refused, why) == (404, {"error": "there is no event nix under way"})
        assert ask(agent.state, "POST", "/answer", {"event": event})[0] == 400
        taken, told = ask(agent.state, "POST", "/answer", {"event": event.lower(), "yes": True})
        assert (taken, told["yes"]) == (200, True)
        until(lambda: fleet.phase(event) == "Started", "it is approved")
        until(lambda: agent.status()["events"][0]["started"], "the agent knows")
        assert ask(agent.state, "POST", "/answer", {"event": event, "yes": True})[0] == 409


def test_nobody_answers_for_an_event_that_is_not_left_to_a_person(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, "--approve", "never", endpoint=fleet.forewarn.machines["dan"]) as agent:
        event = schedule(fleet, agent, "dan")
        status, told = ask(agent.state, "POST", "/answer", {"event": event, "yes": True})
        assert (status, told) == (409, {"error": f"nobody is asked about {event}: its approval is never"})


def test_an_event_that_has_started_when_it_is_seen_gets_the_short_path(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, endpoint=fleet.forewarn.machines["gus"]) as agent:
        until(lambda: agent.status()["incarnation"] is not None, "it has a document")
        fleet.control.post("/events", {"type": "Reboot", "machines": ["gus"], "at_once": True})
        until(lambda: agent.sees("ready"), "it is prepared all the same")
        (event,) = agent.status()["events"]
        assert (event["short_path"], event["started"], event["approved"]) == (True, True, False)
        assert agent.get("/drained")[0] == 503


def test_metrics_count_what_was_done(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, endpoint=fleet.forewarn.machines["eve"]) as agent:
        schedule(fleet, agent, "eve")
        until(lambda: 'events{stage="ready"} 1' in agent.get("/metrics")[1], "it is ready")
        until(lambda: 'approvals_total{outcome="taken"} 1' in agent.get("/metrics")[1], "it is approved")
        found = samples(agent.get("/metrics")[1])
        assert found['forewarn_agent_steps_total{step="note",direction="prepare",outcome="done"}'] == 1
        assert found['forewarn_agent_requests_total{what="approval",status="200"}'] == 1
        assert found["forewarn_agent_contact_age_seconds"] < 30
        assert found["forewarn_agent_notices_waiting"] == 0


def samples(text: str) -> dict[str, float]:
    lines = [line.rpartition(" ") for line in text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, _, value in lines}


def test_a_dry_run_leaves_the_machine_in_its_pool(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, "--dry-run", endpoint=fleet.forewarn.machines["fay"]) as agent:
        state = tmp_path / "state" / "dry-run"

        def told() -> dict[str, Any]:
            return dict(ask(state, "GET", "/status")[1])

        until(lambda: told()["incarnation"] is not None, "it has a document")
        (made,) = fleet.control.post("/events", {"type": "Reboot", "machines": ["fay"]})["events"]
        until(lambda: told()["events"] and told()["events"][0]["stage"] == "ready", "it would be ready")
        until(lambda: "would be approved" in told()["events"][0]["waits_for"], "it would be approved")
        address = told()["listen"]
        assert get(f"http://{address}/drained")[0] == 200
        assert get(f"http://{address}/ready/{made['id']}")[0] == 409
        assert fleet.phase(made["id"]) == "Scheduled"
        assert "dry run: would log" in agent.said()


def test_an_agent_that_hears_nothing_says_so_and_why(tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, "--name", "x", endpoint=NOWHERE) as agent:
        status, why = agent.get("/healthz")
        assert (status, why.startswith("the metadata service was not heard yet")) == (503, True)
        assert agent.get("/drained")[0] == 200
        assert "forewarn_agent_contact_age_seconds" not in samples(agent.get("/metrics")[1])


def test_only_the_agents_own_user_gets_to_its_socket(tmp_path: Path) -> None:
    with an_agent(tmp_path, OWN, "--name", "x", "--listen", "") as agent:
        assert stat.S_IMODE((agent.state / "agent.sock").stat().st_mode) == 0o600
        assert stat.S_IMODE(agent.state.stat().st_mode) == 0o700
        assert agent.status()["listen"] == ""


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        pytest.param("GET", "/nix", 404, id="another-path"),
        pytest.param("POST", "/drained", 405, id="a-post"),
        pytest.param("HEAD", "/drained", 200, id="only-the-head"),
        pytest.param("DELETE", "/drained", 501, id="another-method"),
    ],
)
def test_the_tcp_side_only_tells(idle: Agent, method: str, path: str, status: int) -> None:
    assert get(f"http://{idle.status()['listen']}{path}", method)[0] == status


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with an_agent(tmp_path_factory.mktemp("idle"), OWN, "--name", "x") as agent:
        yield agent


def test_an_address_in_use_is_told_at_once(idle: Agent, tmp_path: Path) -> None:
    address = idle.status()["listen"]
    with (
        pytest.raises(AssertionError, match="listen chooses another address"),
        an_agent(tmp_path, OWN, "--listen", address),
    ):
        pass
