"""A kit for a Forewarn that somebody else started."""

from pathlib import Path

import pytest

from forewarn.remote import Refusal, Unreachable
from forewarn.testing import Forewarn
from tests.e2e.running import up


def test_a_running_one_is_found_by_its_data_directory(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--empty", "--clock", "manual") as running:
        forewarn = Forewarn.at(running.control, data=running.data)
        vm = forewarn.vm()
        event = vm.restart()
        forewarn.advance("15m")
        assert event.started
        forewarn.close()
        again = Forewarn.at(running.control, data=str(running.data))
        assert again.events(all=True) == [event]
        assert again.vm("another").name == "another"
        assert not vm.gone


def test_or_by_the_environment(forewarn: Forewarn, monkeypatch: pytest.MonkeyPatch) -> None:
    vm = forewarn.vm()
    monkeypatch.setenv("FOREWARN_SERVER", forewarn.url)
    monkeypatch.setenv("FOREWARN_TOKEN", forewarn.client.token())
    attached = Forewarn.at()
    assert attached.machine_called("vm", "vm") == vm
    attached.close()
    assert vm.poll()["Events"] == []


def test_a_token_is_for_one_server(forewarn: Forewarn, monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the environment is not sent to another one."""
    assert Forewarn.at(forewarn.url, token=forewarn.client.token()).now == forewarn.now
    monkeypatch.setenv("FOREWARN_SERVER", "http://127.0.0.1:9")
    monkeypatch.setenv("FOREWARN_TOKEN", forewarn.client.token())
    with pytest.raises(Refusal, match="wants to know who asks"):
        Forewarn.at(forewarn.url)


def test_one_that_lives_by_the_real_clock_is_not_for_tests(tmp_path: Path) -> None:
    with up(tmp_path / "data") as running, pytest.raises(Refusal, match="virtual clock"):
        Forewarn.at(running.control, data=running.data)


def test_nobody_there_is_told() -> None:
    with pytest.raises(Unreachable, match="does not answer at http"):
        Forewarn.at("http://127.0.0.1:9", token="any")
