"""The page about provoking faults is typed into a terminal, and shows what it says it shows."""

from pathlib import Path

from tests.e2e.pages import steps, terminal
from tests.e2e.running import needs_curl, up


@needs_curl
def test_faults_are_provoked_as_the_page_says(tmp_path: Path) -> None:
    page = steps("docs/how-to/provoke-faults.md")
    assert len(page) > 15
    with up(tmp_path / "data", "--clock", "manual") as forewarn, terminal(forewarn, tmp_path / "home") as shell:
        shell.play(page)
