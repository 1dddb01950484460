"""The commands find their login by themselves, and say what to do where they cannot."""

import os
import signal
import socket
import stat
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from forewarn.access.files import write_local
from forewarn.domain.errors import Invalid
from forewarn.remote import Client
from forewarn.remote.instances import Instance, forget, instance_at, instances, note, state_directory
from forewarn.remote.listeners import listening_users
from forewarn.remote.login import check_listeners, find_login
from tests.access.making import LOCAL
from tests.cli.shell import Said, Shell, start
from tests.cli.test_up import ready, up
from tests.control.rig import Rig

HERE = "http://127.0.0.1:4711"


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No notes, no data directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("FOREWARN_DATA", raising=False)
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")


def instance(data: Path, control: str = HERE) -> Instance:
    return Instance(control=control, arm="https://localhost:4712", data=str(data), pid=1)


def a_login(data: Path) -> Path:
    write_local(data, LOCAL)
    return data


def test_the_places_of_a_login_in_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_login(HERE) is None
    for place in ("forewarn-data", "noted", "variable", "option"):
        a_login(Path(place).absolute() if place == "forewarn-data" else tmp_path / place)
    assert _found() == "forewarn-data"
    note(instance(tmp_path / "noted"))
    assert _found() == "noted"
    monkeypatch.setenv("FOREWARN_DATA", str(tmp_path / "variable"))
    assert _found() == "variable"
    assert _found(tmp_path / "option") == "option"


def _found(data: Path | None = None) -> str:
    login = find_login(HERE, data)
    assert login is not None
    return login.data.name


def test_another_port_s_note_does_not_count(tmp_path: Path) -> None:
    note(instance(a_login(tmp_path / "noted"), "http://127.0.0.1:4799"))
    assert find_login(HERE) is None


def test_the_secret_is_not_for_another_user_of_this_host() -> None:
    check_listeners(set(), {0, 1000}, HERE)
    check_listeners({0, 1000}, {0, 1000}, HERE)
    with pytest.raises(Invalid, match=r"another user .id 1001. listens at"):
        check_listeners({1000, 1001}, {0, 1000}, HERE)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the system does not tell")
@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0", "::1", "::"])
def test_linux_tells_whose_program_listens(host: str) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as listening:
        try:
            listening.bind((host, 0))
        except OSError:
            pytest.skip("no IPv6 here")
        port = listening.getsockname()[1]
        assert listening_users(port) == set()
        listening.listen()
        assert listening_users(port) == {os.getuid()}


@pytest.mark.parametrize("server", ["http://10.0.0.4:4711", "http://example.com:4711", "http://localhost.example:4711"])
def test_the_secret_is_not_for_the_open_network(tmp_path: Path, server: str) -> None:
    note(instance(a_login(tmp_path / "noted")))
    assert find_login(server, tmp_path / "noted") is None


@pytest.mark.parametrize("server", ["http://localhost:4711", "http://[::1]:4711", "http://127.9.9.9:4711"])
def test_loopback_has_many_names(tmp_path: Path, server: str) -> None:
    note(instance(a_login(tmp_path / "noted")))
    assert find_login(server) is not None


def test_a_note_is_private_and_goes_with_its_forewarn(tmp_path: Path) -> None:
    mine = instance(tmp_path)
    note(mine)
    (path,) = state_directory().iterdir()
    assert path.name == "4711.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    forget(mine)
    assert list(instances()) == []
    forget(mine)


def test_a_note_that_another_one_wrote_stays(tmp_path: Path) -> None:
    mine, other = instance(tmp_path / "mine"), instance(tmp_path / "other")
    note(mine)
    note(other)
    forget(mine)
    assert instance_at(4711) == other


def test_a_damaged_note_is_none(tmp_path: Path) -> None:
    note(instance(tmp_path))
    (state_directory() / "4711.json").write_text("{")
    assert instance_at(4711) is None
    assert list(instances()) == []


def test_a_state_home_that_is_no_absolute_path_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "state")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert state_directory() == Path("/home/somebody/.local/state/forewarn")


# With somebody who answers


def said(forewarn: Shell, *words: str) -> Said:
    answer = forewarn(*words)
    assert answer.out == ""
    return answer


def test_without_a_login_it_says_where_that_is(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOREWARN_DATA")
    answer = said(Shell(rig.url), "events")
    assert (answer.status, "no login for it was found" in answer.err, "--data DIR" in answer.err) == (1, True, True)


def test_another_forewarn_s_login_is_told_from_none(rig: Rig, tmp_path: Path) -> None:
    write_local(tmp_path / "other", replace(LOCAL, client_secret="another"))
    answer = said(Shell(rig.url), "events", "--data", str(tmp_path / "other"))
    assert (answer.status, "running with another data directory" in answer.err) == (1, True), answer.err


def test_a_data_directory_without_a_login_is_named(rig: Rig, tmp_path: Path) -> None:
    answer = said(Shell(rig.url), "events", "--data", str(tmp_path / "empty"))
    assert (answer.status, "empty holds no login" in answer.err) == (1, True)


def test_the_data_directory_may_be_named_before_the_verb_too(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    data = os.environ["FOREWARN_DATA"]
    monkeypatch.delenv("FOREWARN_DATA")
    for words in (["--data", data, "events"], ["events", "--data", data]):
        assert Shell(rig.url)(*words).status == 0


def test_an_expired_token_is_renewed_on_the_way(rig: Rig) -> None:
    client = Client(rig.url, lambda: find_login(rig.url))
    client.get("/clock")
    client._bearer = {"Authorization": "Bearer an.old.one"}
    assert client.get("/clock")["rate"] == 0


def test_up_notes_where_it_is_for_as_long_as_it_runs(tmp_path: Path) -> None:
    with up(tmp_path, "--json") as process:
        forewarn, _ = ready(process)
        (noted,) = instances()
        assert (noted.control, noted.data, noted.pid) == (
            forewarn.server,
            str(tmp_path / "forewarn-data"),
            process.pid,
        )
        assert forewarn("events").status == 0
    assert list(instances()) == []


def test_the_variable_names_the_data_directory_of_up_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWARN_DATA", str(tmp_path / "kept"))
    with up(tmp_path, "--json") as process:
        forewarn, _ = ready(process)
        assert forewarn("events").status == 0
    assert (tmp_path / "kept" / "access").is_dir()


def test_a_note_left_behind_by_a_kill_leads_nobody_astray(tmp_path: Path) -> None:
    process = start(
        "up", "--json", "--metadata", "127.0.0.1:0", "--control", "127.0.0.1:0", "--arm", "127.0.0.1:0", cwd=tmp_path
    )
    forewarn, _ = ready(process)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert len(list(instances())) == 1
    for words in (["events"], ["env"]):
        answer = said(forewarn, *words)
        assert (answer.status, "Start it with `forewarn up`" in answer.err) == (3, True), answer.err


def test_up_runs_where_it_cannot_leave_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    with up(tmp_path, "--json") as process:
        forewarn, _ = ready(process)
        assert forewarn("events", "--data", str(tmp_path / "forewarn-data")).status == 0
        assert process.stderr is not None
        assert "will need --data" in process.stderr.readline()
