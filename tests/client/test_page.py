"""The page about the SDK: its example is run, and its tables are those of the code."""

import re
import subprocess
import sys
from pathlib import Path

from forewarn import client
from forewarn.client.patience import PATIENCE, STATUSES
from tests.e2e.pages import ROOT, is_as_shown
from tests.e2e.running import up

PAGE = (ROOT / "docs/reference/client.md").read_text()


def block(language: str) -> str:
    found = re.search(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)
    assert found is not None
    return found[1]


def test_the_example_is_what_happens(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--clock", "60x") as forewarn:
        assert forewarn.cli("schedule", "Reboot", "solo").returncode == 0
        environment = {**forewarn.environment, "FOREWARN_ENDPOINT": forewarn.machines["solo"]}
        done = subprocess.run(
            [sys.executable, "-c", block("python")],
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert is_as_shown(done.stdout, block("text")), done.stdout + done.stderr


def test_everything_of_the_surface_is_on_the_page() -> None:
    public = [name for name in vars(client.ScheduledEvents) if not name.startswith("_")]
    errors = [name for name in client.__all__ if issubclass(type(getattr(client, name)), type)]
    errors = [name for name in errors if issubclass(getattr(client, name), Exception)]
    for name in [*public, *errors, "clock", "is_about", "judge"]:
        assert f"`{name}" in PAGE or f".{name}(" in PAGE, name


def test_the_table_of_retries_is_the_code_s() -> None:
    for status, retry in STATUSES.items():
        told = "5xx" if status == 500 else str(status)
        assert re.search(rf"^\| [^|]*\b{told}\b[^|]*\| {retry.total:.0f} seconds", PAGE, re.MULTILINE), status
    assert f"within {PATIENCE.answer:.0f} seconds | {PATIENCE.broken.total:.0f} seconds" in PAGE
    assert f"waited for up to {PATIENCE.first:.0f} seconds" in PAGE
