"""Work that is under way is finished before a reboot, and given back before an eviction."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.agent.e2e.fleet import Rig
from tests.agent.howto.pages import begins, blocks, here, is_over, restart, schedule, script
from tests.agent.process import an_agent
from tests.waiting import until

PAGE = "finish-in-flight-work"


@pytest.fixture
def spool(tmp_path: Path) -> Iterator[Path]:
    spool = tmp_path / "worker"
    for name in ("new", "doing", "done"):
        (spool / name).mkdir(parents=True)
    process = subprocess.Popen([sys.executable, "-I", str(Path(__file__).with_name("worker.py")), str(spool)])
    try:
        yield spool
    finally:
        process.kill()
        process.wait()


def config(spool: Path) -> str:
    (toml,), (sh,) = blocks(PAGE, "toml"), blocks(PAGE, "sh")
    ctl = script(spool / "worker-ctl", here(sh, {"/var/spool/worker": str(spool), "sleep 1": "sleep 0.05"}))
    return here(toml, {"/usr/local/bin/worker-ctl": str(ctl)})


def jobs(spool: Path, where: str) -> list[str]:
    return sorted(job.name for job in (spool / where).iterdir())


def test_the_job_in_hand_is_finished_and_no_other_is_begun(fleet: Rig, spool: Path, tmp_path: Path) -> None:
    (spool / "new" / "first").touch()
    until(lambda: jobs(spool, "doing"), "the worker has taken it")
    with an_agent(tmp_path, config(spool), endpoint=fleet.endpoint("vm")) as agent:
        event = restart(fleet, agent, "vm")
        until(lambda: (spool / "pause").exists(), "the step has begun")
        (spool / "new" / "second").touch()
        assert (fleet.phase(event), agent.sees("preparing")) == ("Scheduled", True)

        (spool / "go").touch()
        begins(fleet, event)
        assert (jobs(spool, "done"), jobs(spool, "doing")) == (["first"], [])
        until(lambda: jobs(spool, "new"), "the second is back, if the worker has just had a look at it")

        fleet.advance("1m")
        is_over(agent, event)
        until(lambda: jobs(spool, "done") == ["first", "second"], "it takes jobs again")


def test_with_half_a_minute_of_notice_it_is_given_back(fleet: Rig, spool: Path, tmp_path: Path) -> None:
    (spool / "new" / "long").touch()
    until(lambda: jobs(spool, "doing"), "the worker has taken it")
    with an_agent(tmp_path, config(spool), endpoint=fleet.endpoint("spot")) as agent:
        event = schedule(fleet, agent, "Preempt", "spot")
        begins(fleet, event)
        until(lambda: jobs(spool, "new") == ["long"], "somebody else can take it")
        assert jobs(spool, "done") == []
