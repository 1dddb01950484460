from collections.abc import Iterator

import pytest

from tests.cli.shell import Shell
from tests.control.rig import Rig, running


@pytest.fixture
def rig() -> Iterator[Rig]:
    with running() as rig:
        yield rig


@pytest.fixture
def forewarn(rig: Rig) -> Shell:
    return Shell(rig.url)
