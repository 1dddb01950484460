"""A worker in a process of its own, on a machine of the test's fleet."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from forewarn.testing import Machine

WORKER = Path(__file__).parents[1] / "worker.py"
Start = Callable[[Machine], "Running"]


@dataclass(frozen=True)
class Running:
    process: "subprocess.Popen[bytes]"
    inbox: Path
    done: Path

    def give(self, job: str, seconds: float = 0) -> None:
        written = self.inbox.parent / job
        written.write_text(str(seconds))
        written.rename(self.inbox / job)  # so that it is there all at once

    def is_at(self, job: str) -> bool:
        return (self.done / f"{job}.part").exists()

    def has_done(self, job: str) -> bool:
        return (self.done / job).exists()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    with ExitStack() as ending:

        def start(machine: Machine) -> Running:
            inbox, done = tmp_path / machine.name / "inbox", tmp_path / machine.name / "done"
            inbox.mkdir(parents=True)
            done.mkdir()
            where = ["--metadata", machine.metadata_url, "--pause", "0.02"]
            process = ending.enter_context(subprocess.Popen([sys.executable, WORKER, inbox, done, *where]))
            ending.callback(process.kill)
            return Running(process, inbox, done)

        yield start
