"""One cluster for all tests of a process, and a node and a namespace for each.

The agent has no more rights in it than the shipped manifest gives.
"""

import itertools
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kubernetes import playing
from tests.kubernetes.cluster import RBAC, Cluster, running
from tests.kubernetes.playing import Stage
from tests.kubernetes.stepping import Play
from tests.waiting import until

MANIFEST = Path(__file__).parents[2] / "deploy" / "kubernetes" / "agent-rbac.yaml"
PATHS = {
    "Namespace": "/api/v1/namespaces",
    "ServiceAccount": "/api/v1/namespaces/forewarn/serviceaccounts",
    "ClusterRole": f"{RBAC}/clusterroles",
    "ClusterRoleBinding": f"{RBAC}/clusterrolebindings",
}

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as cluster:
        yield cluster


@pytest.fixture
def stage(cluster: Cluster) -> Stage:
    return playing.stage(cluster.admin, f"stage-{next(numbers)}")


@pytest.fixture(scope="session")
def agent_token(cluster: Cluster) -> str:
    """Of the service account that the shipped manifest makes, with the rights that it gives."""
    for document in MANIFEST.read_text().split("\n---\n"):
        kind = re.search(r"^kind: (\w+)$", document, re.MULTILINE)
        assert kind is not None
        cluster.admin.call("POST", PATHS[kind[1]], document.encode(), "application/yaml").expect(201)
    token = cluster.admin.create(f"{PATHS['ServiceAccount']}/forewarn-agent/token", {"spec": {}})["status"]["token"]
    agent = cluster.speaking_as(token)
    until(lambda: agent.call("GET", "/api/v1/pods").status == 200, "the manifest's rights are known")
    return str(token)


@pytest.fixture
def play(cluster: Cluster, stage: Stage, agent_token: str, tmp_path: Path) -> Play:
    token_file = tmp_path / "token"
    token_file.write_text(agent_token + "\n")
    return Play(cluster=cluster, stage=stage, token_file=token_file)
