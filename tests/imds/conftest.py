from collections.abc import Iterator

import pytest

from tests.imds.world import World, serving


@pytest.fixture
def world() -> Iterator[World]:
    """One machine, vm1, with one scheduled reboot at incarnation 2."""
    with serving() as world:
        yield world
