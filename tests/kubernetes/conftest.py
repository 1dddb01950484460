"""One cluster for all tests of a process, and a node and a namespace for each."""

import itertools
from collections.abc import Iterator

import pytest

from tests.kubernetes import playing
from tests.kubernetes.cluster import Cluster, running
from tests.kubernetes.playing import Stage

numbers = itertools.count(1)


@pytest.fixture(scope="session")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running(tmp_path_factory.mktemp("kubernetes")) as cluster:
        yield cluster


@pytest.fixture
def stage(cluster: Cluster) -> Stage:
    return playing.stage(cluster.admin, f"stage-{next(numbers)}")
