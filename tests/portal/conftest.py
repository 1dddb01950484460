"""A portal for each test that asks for one."""

from collections.abc import Iterator

import pytest

from tests.control.rig import Rig, running


@pytest.fixture
def rig() -> Iterator[Rig]:
    with running() as rig:
        yield rig
