"""What the agent's Kubernetes step leans on, seen at the real server: the harness itself is under test here."""

from typing import Any

import pytest

from tests.kubernetes.api import MERGE_PATCH
from tests.kubernetes.cluster import RBAC, Cluster
from tests.kubernetes.installing import KUBERNETES
from tests.kubernetes.playing import Stage
from tests.waiting import until

pytestmark = pytest.mark.kubernetes


def names(stage: Stage) -> list[str]:
    return [pod["metadata"]["name"] for pod in stage.pods()]


def causes(answer: Any) -> list[str]:
    return [cause["reason"] for cause in answer["details"]["causes"]]


def test_the_server_is_the_release_it_says(cluster: Cluster) -> None:
    assert cluster.admin.get("/version")["gitVersion"] == f"v{KUBERNETES}"


def test_a_node_is_cordoned_and_uncordoned(stage: Stage) -> None:
    assert "unschedulable" not in stage.api.get(stage.node_path)["spec"]
    stage.api.merge(stage.node_path, {"spec": {"unschedulable": True}})
    cordoned = stage.api.get(stage.node_path)["spec"]
    assert cordoned["unschedulable"] is True
    stage.api.merge(stage.node_path, {"spec": {"unschedulable": None}})
    assert "unschedulable" not in stage.api.get(stage.node_path)["spec"]


def test_an_evicted_pod_is_on_its_way_until_the_kubelet_says_it_ended(stage: Stage) -> None:
    assert stage.pod("web")["spec"]["nodeName"] == stage.node
    assert stage.evict("web").status == 201
    (going,) = stage.pods()
    assert "deletionTimestamp" in going["metadata"]
    assert going["metadata"]["deletionGracePeriodSeconds"] == 30
    assert stage.end_pods() == ["web"]
    assert names(stage) == []
    assert stage.evict("web").status == 404


def test_a_kubelet_in_the_background_ends_what_is_told_to_go_and_nothing_else(stage: Stage) -> None:
    stage.pod("going")
    stage.pod("staying")
    with stage.kubelet():
        stage.evict("going").expect(201)
        until(lambda: "going" not in names(stage), "the pod is gone")
    assert names(stage) == ["staying"]


def test_a_budget_that_allows_nothing_refuses_with_429(stage: Stage) -> None:
    stage.pod("db")
    stage.budget("db", {"app": "db"}, allowed=0)
    refused = stage.evict("db")
    status = refused.expect(429)
    assert "Retry-After" not in refused.headers
    assert status["reason"] == "TooManyRequests"
    assert causes(status) == ["DisruptionBudget"]
    assert "deletionTimestamp" not in stage.pods()[0]["metadata"]
    stage.allow("db", 1)
    assert stage.evict("db").status == 201


def test_an_eviction_is_counted_against_the_budget_at_once(stage: Stage) -> None:
    for name in ("one", "two"):
        stage.pod(name, labels={"app": "pair"})
    stage.budget("pair", {"app": "pair"}, allowed=1)
    assert stage.evict("one").status == 201
    assert stage.api.get(f"{stage.budgets_path}/pair")["status"]["disruptionsAllowed"] == 0
    assert stage.evict("two").status == 429


def test_a_budget_that_nobody_has_counted_yet_refuses_and_says_when_to_come_back(stage: Stage) -> None:
    stage.pod("new")
    spec = {"maxUnavailable": 1, "selector": {"matchLabels": {"app": "new"}}}
    stage.api.create(stage.budgets_path, {"metadata": {"name": "new"}, "spec": spec})
    refused = stage.evict("new")
    refused.expect(429)
    assert refused.headers["Retry-After"] == "10"


def test_two_budgets_for_one_pod_are_an_error_of_the_server(stage: Stage) -> None:
    stage.pod("both")
    for name in ("first", "second"):
        stage.budget(name, {"app": "both"}, allowed=1)
    assert stage.evict("both").status == 500


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
def test_a_change_to_what_has_changed_meanwhile_is_a_conflict(method: str, stage: Stage) -> None:
    seen = stage.api.get(stage.node_path)
    stage.api.merge(stage.node_path, {"metadata": {"labels": {"somebody": "else"}}})
    version = {"metadata": {"resourceVersion": seen["metadata"]["resourceVersion"]}, "spec": {"unschedulable": True}}
    stale = {"PUT": seen, "PATCH": version}[method]
    kind = {"PUT": "application/json", "PATCH": MERGE_PATCH}[method]
    status = stage.api.call(method, stage.node_path, stale, kind).expect(409)
    assert status["reason"] == "Conflict"
    assert "unschedulable" not in stage.api.get(stage.node_path)["spec"]


def test_a_service_account_may_do_what_its_role_says_and_nothing_else(cluster: Cluster, stage: Stage) -> None:
    manifest = f"""
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {{name: {stage.namespace}}}
        rules:
          - {{apiGroups: [""], resources: [nodes], verbs: [get]}}
          - {{apiGroups: [""], resources: [pods/eviction], verbs: [create]}}
    """
    cluster.admin.call("POST", f"{RBAC}/clusterroles", manifest.encode(), "application/yaml").expect(201)
    restricted = cluster.speaking_as(cluster.service_account(stage.namespace, "agent", stage.namespace))
    stage.pod("web")
    assert restricted.get(stage.node_path)["metadata"]["name"] == stage.node
    assert restricted.call("PATCH", stage.node_path, {"spec": {"unschedulable": True}}, MERGE_PATCH).status == 403
    assert restricted.call("GET", stage.pods_path).status == 403
    assert stage.evict("web", restricted).status == 201


def test_a_token_that_nobody_gave_out_is_refused(cluster: Cluster) -> None:
    assert cluster.speaking_as("made-up").call("GET", "/api/v1/nodes").status == 401
