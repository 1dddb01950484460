"""The agent's `kubernetes` step empties a node, at the real server: which pods go, when, and what is waited for."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from forewarn.agent.errors import StepFailed, Stopped, TimeIsUp
from forewarn.agent.steps.kube_drain import PAGE
from tests.agent.turn import REBOOT
from tests.kubernetes import playing
from tests.kubernetes.stepping import Play, managed

pytestmark = pytest.mark.kubernetes

EMPTYDIR = {"volumes": [{"name": "scratch", "emptyDir": {}}]}
TOLERANT = {"tolerations": [{"operator": "Exists"}]}


def test_a_node_is_cordoned_and_emptied_and_afterwards_uncordoned(play: Play) -> None:
    for name in ("web", "db"):
        play.stage.pod(name, **managed())
    turn = play.turn()
    with play.stage.kubelet():
        play.step().prepare(turn)
    assert play.pods == []
    assert play.is_cordoned
    assert play.mark == REBOOT.id
    assert turn.said[-1] == f"node {play.stage.node} is drained"
    play.step().restore(play.turn())
    assert not play.is_cordoned
    assert play.mark is None


def test_preparing_and_restoring_again_changes_nothing(play: Play) -> None:
    play.step().prepare(play.turn())
    play.step().prepare(play.turn())
    assert play.mark == REBOOT.id
    play.step().restore(play.turn())
    play.cordon()
    play.step().restore(play.turn())
    assert play.is_cordoned  # the second restore has nothing of its own to take off


@pytest.mark.parametrize(
    ("metadata", "phase"),
    [
        pytest.param(managed("DaemonSet"), "Running", id="of-a-daemonset"),
        pytest.param({"annotations": {"kubernetes.io/config.mirror": "x"}}, "Running", id="a-mirror-of-a-static-pod"),
        pytest.param({}, "Succeeded", id="done"),
        pytest.param({}, "Failed", id="failed"),
        pytest.param({"labels": {"tier": "cache"}}, "Running", id="not-selected"),
    ],
)
def test_a_pod_that_need_not_go_is_left(metadata: dict[str, Any], phase: str, play: Play) -> None:
    play.stage.pod("stays", **metadata)
    play.stage.api.merge(f"{play.stage.pods_path}/stays/status", {"status": {"phase": phase}})
    play.stage.pod("goes", **managed())
    with play.stage.kubelet():
        play.step(pod_selector="tier!=cache").prepare(play.turn())
    assert play.pods == ["stays"]
    assert "deletionTimestamp" not in play.stage.pods()[0]["metadata"]


@pytest.mark.parametrize(
    ("metadata", "spec", "option"),
    [
        pytest.param({}, {}, "force", id="it-would-not-come-back"),
        pytest.param(managed(), EMPTYDIR, "delete_emptydir", id="it-would-lose-data"),
    ],
)
def test_a_pod_that_would_be_harmed_stops_the_drain_unless_told(
    metadata: dict[str, Any], spec: dict[str, Any], option: str, play: Play
) -> None:
    play.stage.pod("precious", spec=spec, **metadata)
    play.stage.pod("web", **managed())
    with play.stage.kubelet():
        with pytest.raises(StepFailed, match=f"{play.stage.namespace}/precious .*'{option}'"):
            play.step().prepare(play.turn())
        assert play.pods == ["precious", "web"]
        play.step(**{option: True}).prepare(play.turn())
    assert play.pods == []


def test_a_pod_goes_as_soon_as_its_budget_allows(play: Play) -> None:
    play.stage.pod("db", **managed())
    play.stage.budget("db", {"app": "db"}, allowed=0)
    turn = play.turn(held_back=lambda: play.stage.allow("db", 1))
    with play.stage.kubelet():
        play.step().prepare(turn)
    assert play.pods == []
    assert f"{play.stage.namespace}/db is held back: The disruption budget db needs 1 healthy pods" in turn.said[2]


def test_a_budget_that_allows_nothing_holds_until_the_limit_and_the_node_can_still_be_restored(play: Play) -> None:
    play.stage.pod("db", **managed())
    play.stage.budget("db", {"app": "db"}, allowed=0)
    with pytest.raises(TimeIsUp, match=f"still there: {play.stage.namespace}/db .*disruption budget db"):
        play.step().prepare(play.turn(limit=1.5))
    assert play.pods == ["db"]
    assert play.is_cordoned
    play.step().restore(play.turn())
    assert not play.is_cordoned


def test_the_server_says_when_to_come_back(play: Play) -> None:
    """A budget that nobody has counted yet: in 10 s. It would be granted long before."""
    play.stage.pod("new", **managed())
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "new"}}}
    play.stage.api.create(play.stage.budgets_path, {"metadata": {"name": "new"}, "spec": spec})
    turn = play.turn(limit=2.5, held_back=lambda: play.stage.allow("new", 1))
    with pytest.raises(TimeIsUp):
        play.step().prepare(turn)
    assert "deletionTimestamp" not in play.stage.pods()[0]["metadata"]


def test_a_pod_with_two_budgets_is_explained(play: Play) -> None:
    play.stage.pod("both", **managed())
    for name in ("first", "second"):
        play.stage.budget(name, {"app": "both"}, allowed=1)
    with pytest.raises(StepFailed, match=f"{play.stage.namespace}/both .*more than one PodDisruptionBudget"):
        play.step().prepare(play.turn())


def test_a_drain_can_be_called_off(play: Play) -> None:
    play.stage.pod("db", **managed())
    play.stage.budget("db", {"app": "db"}, allowed=0)
    turn = play.turn()
    turn.when["held back"] = turn.stop
    with pytest.raises(Stopped):
        play.step().prepare(turn)
    play.step().restore(play.turn())
    assert not play.is_cordoned


def test_a_pod_that_was_told_to_go_is_waited_for(play: Play) -> None:
    play.stage.pod("slow", **managed())
    with pytest.raises(TimeIsUp, match="slow \\(ending\\)"):
        play.step(grace=timedelta(seconds=6.5)).prepare(play.turn(limit=1.0))
    assert play.stage.pods()[0]["metadata"]["deletionGracePeriodSeconds"] == 7


def test_a_pod_in_a_namespace_that_is_being_deleted_is_waited_for(play: Play) -> None:
    play.stage.pod("old", **managed())
    play.stage.api.call("DELETE", f"/api/v1/namespaces/{play.stage.namespace}").expect(200)
    turn = play.turn(held_back=lambda: play.stage.api.call("DELETE", f"{play.stage.pods_path}/old").expect(200))
    with play.stage.kubelet():
        play.step().prepare(turn)
    assert play.pods == []


def test_a_namesake_elsewhere_is_not_evicted(play: Play) -> None:
    elsewhere = playing.stage(play.stage.api, f"{play.stage.node}-elsewhere")
    play.stage.pod("db-0", **managed("StatefulSet"))

    def move() -> None:
        path = f"{play.stage.pods_path}/db-0"
        play.stage.api.call("DELETE", path, {"gracePeriodSeconds": 0}).expect(200)
        replace(play.stage, node=elsewhere.node).pod("db-0", **managed("StatefulSet"))

    play.step().prepare(play.turn(have_to_go=move))
    assert "deletionTimestamp" not in elsewhere.pods()[0]["metadata"]


def test_a_pod_that_comes_late_goes_too_unless_it_would_always_come_back(play: Play) -> None:
    def arrive() -> None:
        play.stage.pod("late", **managed())
        play.stage.pod("tolerant", spec=TOLERANT, **managed())

    play.stage.pod("web", spec=TOLERANT, **managed())
    with play.stage.kubelet():
        play.step().prepare(play.turn(have_to_go=arrive))
    assert play.pods == ["tolerant"]


def test_more_pods_than_one_answer_holds_all_go(play: Play) -> None:
    for number in range(PAGE + 1):
        play.stage.pod(f"web-{number}", **managed())
    with play.stage.kubelet():
        play.step().prepare(play.turn())
    assert play.pods == []
