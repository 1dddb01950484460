"""A Forewarn under a virtual clock that the tests of one module share; each takes a machine of its own."""

from collections.abc import Iterator

import pytest

from tests.agent.e2e.fleet import Rig, rig

MACHINES = ("ada", "bob", "cat", "dan", "eve", "fay", "gus")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rig]:
    machines = "".join(f"[machine.{name}]\n" for name in MACHINES)
    with rig(tmp_path_factory.mktemp("fleet"), f'[driver]\nkind = "simulated"\n{machines}') as built:
        yield built
