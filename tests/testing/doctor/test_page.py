"""The how-to is played: its worker is wrong as the page says, and then right."""

import re
from pathlib import Path

from tests.e2e.pages import ROOT, Step, steps, terminal
from tests.e2e.running import up

PAGE = "docs/how-to/check-a-client.md"


def test_what_the_page_shows_is_what_happens(tmp_path: Path) -> None:
    wrong, mended = re.findall(r"```python\n(.*?)```", (ROOT / PAGE).read_text(), re.DOTALL)
    right = wrong.partition("while True:")[0] + mended
    home = tmp_path / "home"
    with up(tmp_path / "data") as forewarn, terminal(forewarn, home) as shell:
        for worker, step in zip((wrong, right), steps(PAGE), strict=True):
            (home / "worker.py").write_text(worker)
            shell.play([Step(command=step.command, shown=step.shown)])
