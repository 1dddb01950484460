"""A handler and its test in other languages: each test moves the fleet's time over HTTP, and passes."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from forewarn.testing import Forewarn
from tests.clients.mono import NEWTONSOFT

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
PATH = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
WITH = ["forewarn", "with", "--fleet", "../fleet.toml", "--"]


def need(program: str) -> None:
    if shutil.which(program, path=PATH) is None:
        if os.environ.get("CI"):
            pytest.fail(f"CI must have {program}")
        pytest.skip(f"{program} is not installed")


def run(language: str, command: Sequence[str | Path], **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=RECIPES / language,
        env={**os.environ, "PATH": PATH, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def given(forewarn: Forewarn) -> dict[str, str]:
    """What `forewarn with` gives to a command. To start one more process for that would take longer than the test."""
    forewarn.availability_set("db", machines=2, enrolled=False)
    return {"FOREWARN_SERVER": forewarn.url, "FOREWARN_TOKEN": forewarn.client.token()}


def test_shell() -> None:
    need("curl")
    assert run("shell", [*WITH, "./test.sh"]).endswith("it drains and approves its own events only: ok\n")


def test_go(forewarn: Forewarn) -> None:
    need("go")
    told = run("go", ["go", "test", "-count=1", "-v", "-vet=off"], CGO_ENABLED="0", **given(forewarn))
    assert "--- PASS: TestItDrainsAndApprovesItsOwnEventsOnly" in told


def test_node(forewarn: Forewarn) -> None:
    need("node")
    assert "# pass 1" in run("node", ["node", "--test", "--test-reporter=tap"], **given(forewarn))


def test_dotnet(forewarn: Forewarn, tmp_path: Path) -> None:
    need("mcs")
    program = tmp_path / "HandlerTest.exe"
    run("dotnet", ["mcs", "-warnaserror", f"-r:{NEWTONSOFT}", f"-out:{program}", "Handler.cs", "HandlerTest.cs"])
    told = run("dotnet", ["mono", program], MONO_PATH=str(NEWTONSOFT.parent), **given(forewarn))
    assert told == "it drains and approves its own events only: ok\n"
