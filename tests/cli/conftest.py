"""A server for each test that asks for one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from forewarn.access.files import write_local
from tests.access.making import LOCAL
from tests.cli.shell import Shell
from tests.control.rig import Rig, running


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    write_local(tmp_path, LOCAL)
    monkeypatch.setenv("FOREWARN_DATA", str(tmp_path))
    with running() as rig:
        yield rig


@pytest.fixture
def forewarn(rig: Rig) -> Shell:
    return Shell(rig.url)
