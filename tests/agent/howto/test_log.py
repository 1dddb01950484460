"""What happens is in the log, and nothing else is done."""

import json
import re
from pathlib import Path

from tests.agent.e2e.fleet import Rig
from tests.agent.howto.pages import begins, blocks, is_over, restart
from tests.agent.process import an_agent
from tests.waiting import until

PAGE = "log-what-happens"
(CONFIG,), (SHOWN,) = blocks(PAGE, "toml"), blocks(PAGE, "text")
DATE = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
NOTE = re.compile(r"note: (?!prepar|restor)")


def notes(text: str) -> list[tuple[str, str]]:
    """The step's own lines, without what is another one each time."""
    told = (json.loads(line) for line in text.splitlines())
    return [(line["level"], DATE.sub("<time>", line["message"])) for line in told if NOTE.match(line["message"])]


def test_a_reboot_is_in_the_log_and_starts_at_its_time(fleet: Rig, tmp_path: Path) -> None:
    with an_agent(tmp_path, CONFIG, endpoint=fleet.endpoint("vm")) as agent:
        event = restart(fleet, agent, "vm")
        until(lambda: agent.sees("ready"), "it is noted")
        fleet.advance("15m")
        begins(fleet, event)
        until(lambda: agent.status()["events"][0]["started"], "the agent knows")
        fleet.advance("1m")
        is_over(agent, event)
        assert notes(agent.said()) == notes(SHOWN)
        assert fleet.approvers(event) == []
