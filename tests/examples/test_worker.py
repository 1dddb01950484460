"""The sample project's own tests pass, and they can fail."""

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

from tests.testing.clients import ONLY_OURS

PROJECT = Path(__file__).parents[2] / "examples" / "worker"


def run(project: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    """As somebody would, who has installed `forewarn[testing]`."""
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words],
        cwd=project,
        env={**os.environ, **ONLY_OURS, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_its_tests_pass() -> None:
    done = run(PROJECT)
    assert done.returncode == 0, done.stdout
    assert "10 passed" in done.stdout


def test_a_worker_that_approves_before_it_is_drained_is_caught(tmp_path: Path) -> None:
    """And the report tells when it approved."""
    copy = copytree(PROJECT, tmp_path / "worker")
    worker = copy / "worker.py"
    worker.write_text(worker.read_text().replace("if self.worker.is_drained():", "if True:"))
    done = run(copy, "-k", "finishes_its_job")
    assert done.returncode == 1
    assert "AssertionError" in done.stdout
    assert "approved by machine:workers_0" in done.stdout.partition("Forewarn: what happened")[2]
