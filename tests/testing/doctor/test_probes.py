"""How it is seen that a client has prepared."""

import socket
from dataclasses import dataclass
from pathlib import Path

import pytest

from forewarn.testing.doctor.probes import Command, Ended, FileGone, FileThere, PortClosed, Probe
from forewarn.testing.reach import Place

PLACE = Place(by="url", url="http://127.0.0.1")


@dataclass(frozen=True)
class Client:
    directory: Path
    alive: bool = True
    place: Place = PLACE


PROBES: dict[str, tuple[Probe, bool]] = {
    "file": (FileThere("{directory}/prepared"), True),
    "no-file": (FileGone("{directory}/prepared"), False),
    "command": (Command("test -e '{directory}/prepared'"), True),
}


@pytest.mark.parametrize(("probe", "there"), PROBES.values(), ids=PROBES)
def test_a_file_tells(probe: Probe, there: bool, tmp_path: Path) -> None:
    client = Client(tmp_path)
    assert probe.prepared(client) is not there
    (tmp_path / "prepared").touch()
    assert probe.prepared(client) is there
    assert not probe.shared


def test_a_file_that_was_left_behind_is_taken_away(tmp_path: Path) -> None:
    client, probe = Client(tmp_path), FileThere("{directory}/prepared")
    (tmp_path / "prepared").touch()
    probe.forget(client)
    assert not probe.prepared(client)


def test_a_port_tells_once_nobody_listens(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        probe = PortClosed(listening.getsockname()[1])
        assert not probe.prepared(Client(tmp_path))
    assert probe.prepared(Client(tmp_path))


def test_the_end_tells(tmp_path: Path) -> None:
    assert [Ended().prepared(Client(tmp_path, alive=alive)) for alive in (True, False)] == [False, True]


@pytest.mark.parametrize("probe", [FileThere("/x"), FileGone("/x"), Command("true"), PortClosed(1)], ids=str)
def test_what_is_not_in_the_clients_own_directory_tells_of_one_client_at_a_time(probe: Probe) -> None:
    assert probe.shared
