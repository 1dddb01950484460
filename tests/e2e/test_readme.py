"""The README's session is run, and shows what the README says it shows."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.e2e.running import FOREWARN, Up, up

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
VOLATILE = [
    (r"[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}", "<id>"),
    (r"\b[0-9A-F]{8}\b", "<short>"),
    (r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT", "<date>"),
    (r"(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\dZ", "<time>"),
    (r"in \d+m\d\ds", "in <time>"),
]


def session() -> list[tuple[str, str]]:
    """Every command of the README's console blocks, with what it prints."""
    text = "".join(BLOCK.findall((ROOT / "README.md").read_text()))
    commands = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [(command.partition("\n")[0], command.partition("\n")[2]) for command in commands]


def steady(text: str) -> str:
    for volatile, name in VOLATILE:
        text = re.sub(volatile, name, text)
    return "\n".join(line.rstrip() for line in text.strip().splitlines())


@pytest.mark.skipif(shutil.which("curl") is None and not os.environ.get("CI"), reason="curl is not installed")
def test_the_session_of_the_readme_is_what_happens(tmp_path: Path) -> None:
    commands = session()
    assert len(commands) == 5
    with up(tmp_path / "data") as forewarn:
        for command, shown in commands:
            assert steady(run(command, forewarn)) == steady(shown), command


def run(command: str, forewarn: Up) -> str:
    here = command.replace(".venv/bin/forewarn", f"{FOREWARN} --server {forewarn.control}")
    here = here.replace(":8254/", f":{forewarn.metadata_port}/")
    done = subprocess.run(
        here, shell=True, capture_output=True, text=True, timeout=60, env=forewarn.environment, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_link_of_the_docs_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
