"""What must not happen when things go wrong around an agent. Each is a process, beside a host like Azure's."""

import resource
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.azure_host import Host, azure_host, reboot
from tests.agent.e2e.fleet import HOOK
from tests.agent.process import an_agent
from tests.waiting import until

RULE = '[[rules]]\nsteps = ["work"]\n'


@pytest.fixture
def host() -> Iterator[Host]:
    with azure_host() as host:
        yield host


def config(log: Path, rule: str = RULE) -> str:
    return HOOK.format(name="work", log=log) + rule


def did(log: Path) -> list[str]:
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def some_polls(host: Host) -> None:
    before = host.polls
    until(lambda: host.polls > before + 3, "it was asked a few times")


def test_an_old_copy_of_the_document_restores_nothing(host: Host, tmp_path: Path) -> None:
    log = tmp_path / "hooks"
    with an_agent(tmp_path, config(log), endpoint=host.url) as agent:
        host.tell(reboot(), incarnation=10)
        until(lambda: host.approved, "it is prepared and approved")
        host.tell(incarnation=9)
        some_polls(host)
        assert (did(log), agent.sees("ready")) == (["prepare"], True)
        host.tell(reboot(started=True), incarnation=11)
        until(lambda: agent.status()["events"][0]["started"], "the event goes on")
        host.tell(incarnation=12)
        until(lambda: did(log) == ["prepare", "restore"], "it is over")
    assert "perhaps an old copy" in agent.said()


def test_while_the_host_is_away_nothing_is_restored(host: Host, tmp_path: Path) -> None:
    log = tmp_path / "hooks"
    with an_agent(tmp_path, config(log), endpoint=host.url) as agent:
        host.tell(reboot())
        until(lambda: host.approved, "it is prepared and approved")
        host.refusal = 503
        until(lambda: host.refused > 1, "it was asked, and asked again")
        assert (did(log), agent.sees("ready")) == (["prepare"], True)
        host.refusal = 0
        host.tell()
        until(lambda: did(log) == ["prepare", "restore"], "it is over")


def test_what_starts_too_early_is_told_and_what_was_begun_is_undone(host: Host, tmp_path: Path) -> None:
    log = tmp_path / "hooks"
    Path(f"{log}.hold-work").touch()
    with an_agent(tmp_path, config(log), endpoint=host.url) as agent:
        host.tell(reboot())
        until(lambda: "work: preparing" in agent.said(), "the step is under way")
        host.tell(reboot(started=True))
        until(lambda: "started, and this machine is not prepared" in agent.said(), "it says so")
        host.tell()
        until(lambda: did(log) == ["restore"], "it is undone")
    assert host.approved == []


def test_without_room_for_the_journal_it_ends_with_the_reason_and_approves_nothing(host: Host, tmp_path: Path) -> None:
    log = tmp_path / "hooks"
    hold = Path(f"{log}.hold-work")
    hold.touch()
    with an_agent(tmp_path, config(log), endpoint=host.url) as agent:
        host.tell(reboot())
        until(lambda: "work: preparing" in agent.said(), "the step is under way")
        room = 16 * 1024  # less than the journal has already, and enough for the log
        resource.prlimit(agent.process.pid, resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
        hold.unlink()
        assert agent.process.wait(20) == 1
        assert "journal.db cannot be written" in agent.said().splitlines()[-1]
        assert "Traceback" not in agent.said()
        assert host.approved == []
    with an_agent(tmp_path, config(log), endpoint=host.url):
        until(lambda: host.approved, "with room again, it goes on where it was")


def test_an_approval_that_is_refused_is_told_and_tried_again(host: Host, tmp_path: Path) -> None:
    host.refuses_approvals = 400
    with an_agent(tmp_path, config(tmp_path / "hooks"), endpoint=host.url) as agent:
        host.tell(reboot())
        until(lambda: "with 400" in "".join(e["waits_for"] for e in agent.status()["events"]), "the status says why")
        host.refuses_approvals = 0
        until(lambda: host.approved, "it is approved after all")
