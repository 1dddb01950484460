"""One Forewarn under a virtual clock for all how-tos: a machine, a Spot machine, and two that share a document."""

from collections.abc import Iterator

import pytest

from tests.agent.e2e.fleet import Rig, rig

FLEET = """
[driver]
kind = "simulated"

[machine.vm]

[machine.spot]
priority = "Spot"
eviction_policy = "Deallocate"

[availability_set.db]
machines = 2
"""


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    with rig(tmp_path_factory.mktemp("fleet"), FLEET) as built:
        yield built
