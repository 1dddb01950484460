"""What a how-to has to copy: its configurations and its scripts, with this machine's paths in place of the page's."""

import re
from collections.abc import Mapping
from pathlib import Path

from tests.agent.e2e.fleet import Rig
from tests.agent.process import Agent
from tests.waiting import until

PAGES = Path(__file__).parents[3] / "docs" / "how-to"


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (PAGES / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)


def here(text: str, instead: Mapping[str, str]) -> str:
    """The same with other paths, addresses and times. Each of them must be there."""
    for shown, real in instead.items():
        assert shown in text, f"the page says nothing of {shown}"
        text = text.replace(shown, real)
    return text


def script(path: Path, text: str) -> Path:
    path.write_text(text)
    path.chmod(0o755)
    return path


def restart(fleet: Rig, agent: Agent, machine: str) -> str:
    """The event by which a user's restart is announced, once the agent listens."""
    until(lambda: agent.status()["incarnation"] is not None, "the agent has a document")
    return str(fleet.control.post(f"/machines/{machine}/restart")["event"])


def schedule(fleet: Rig, agent: Agent, type: str, machine: str) -> str:
    until(lambda: agent.status()["incarnation"] is not None, "the agent has a document")
    (made,) = fleet.control.post("/events", {"type": type, "machines": [machine]})["events"]
    return str(made["id"])


def begins(fleet: Rig, event: str) -> None:
    until(lambda: fleet.phase(event) == "Started", "it is approved and has started")


def is_over(agent: Agent, event: str) -> None:
    until(lambda: [past["event"] for past in agent.status()["past"]].count(event), f"all is restored:\n{agent.said()}")
