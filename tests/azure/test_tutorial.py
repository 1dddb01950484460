"""What the README and the tutorial do with az is typed into a terminal, and shows what they say it shows."""

from pathlib import Path

import pytest

from tests.azure.driving import needed_az
from tests.e2e.pages import steps, terminal
from tests.e2e.running import up

pytestmark = pytest.mark.azure


@pytest.mark.parametrize(
    ("page", "heading", "commands"),
    [
        pytest.param("README.md", "With Azure's own tools", 10, id="readme"),
        pytest.param("docs/tutorial/terminate-notifications.md", "", 44, id="tutorial"),
    ],
)
def test_the_page_is_what_happens(page: str, heading: str, commands: int, tmp_path: Path) -> None:
    typed = steps(page, heading)
    assert len(typed) == commands
    home = tmp_path / "home"
    with up(tmp_path / "data") as forewarn, terminal(forewarn, home, needed_az().parent) as shell:
        shell.play(typed)
    assert not (home / ".azure").exists(), "the user's own settings are never touched"
