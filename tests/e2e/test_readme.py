"""The README's session is run, and shows what the README says it shows."""

import re
from pathlib import Path

from tests.e2e.pages import ROOT, steps, terminal
from tests.e2e.running import needs_curl, up


@needs_curl
def test_the_session_of_the_readme_is_what_happens(tmp_path: Path) -> None:
    session = steps("README.md", "A session")
    assert len(session) == 5
    with up(tmp_path / "data") as forewarn, terminal(forewarn, tmp_path / "home") as shell:
        shell.play(session)


def test_every_link_of_the_docs_leads_somewhere() -> None:
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    for page in pages:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
