"""The tutorial by REST is typed into a terminal, and shows what it says it shows. The one with az: tests/azure."""

import re
import socket
from itertools import pairwise
from pathlib import Path

from tests.e2e.pages import ROOT, is_as_shown, steps, terminal
from tests.e2e.running import needs_curl, up

AGENT = "docs/tutorial/agent.md"
REST = "docs/tutorial/terminate-notifications-rest.md"


@needs_curl
def test_the_tutorial_by_rest_is_what_happens(tmp_path: Path) -> None:
    page = steps(REST)
    assert len(page) > 25
    with up(tmp_path / "data") as forewarn, terminal(forewarn, tmp_path / "home") as shell:
        shell.play(page)


def test_every_cmdlet_is_followed_by_what_it_sends() -> None:
    blocks = re.findall(r"```(powershell|console)\n(.*?)```", (ROOT / REST).read_text(), re.DOTALL)
    kinds = [kind for kind, _ in blocks]
    assert kinds.count("powershell") == 5
    assert all(after == "console" for before, after in pairwise(kinds) if before == "powershell")


def test_a_cut_stands_for_any_lines_or_any_characters_and_for_nothing_else() -> None:
    assert is_as_shown("a\nb\nc\n", "a\n…\n")
    assert is_as_shown("a\n", "a\n…\n")
    assert is_as_shown("the id is 0815", "the … is …")
    assert is_as_shown("in 9m58s", "in 9m59s")
    assert not is_as_shown("in 4m58s", "in 9m59s")
    assert not is_as_shown("a\nb\n", "a\n")
    assert not is_as_shown("", "a\n")
    assert is_as_shown("\n", "")


@needs_curl
def test_the_tutorial_of_the_agent_is_what_happens(tmp_path: Path) -> None:
    page = steps(AGENT)
    assert len(page) > 10
    (log,) = re.findall(r"```text\n(.*?)```", (ROOT / AGENT).read_text(), re.DOTALL)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    with up(tmp_path / "data") as forewarn, terminal(forewarn, tmp_path / "home", more_ports={"9255": port}) as shell:
        shell.play(page)
        assert is_as_shown(shell.type("cat waiting-0"), f"…\n{log}…")
