"""One Forewarn per module, standing still in time, and the real CLI logged in to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.azure.driving import Shell, evaluated, needed_az
from tests.e2e.running import up


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shell]:
    program = needed_az()
    home = tmp_path_factory.mktemp("home")
    data = tmp_path_factory.mktemp("forewarn") / "data"
    with up(data, "--empty", "--clock", "manual") as forewarn:
        shell = Shell(az=program, forewarn=forewarn, environment=evaluated(forewarn, Path(home)))
        yield shell
        assert not Path(home, ".azure").exists(), "the user's own settings are never touched"
