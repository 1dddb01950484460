"""What the log looks like, of a real agent that cannot reach anything."""

import json
from pathlib import Path

from tests.agent.process import an_agent
from tests.waiting import until

RULES = '[steps.note]\nuse = "log"\n[[rules]]\nsteps = ["note"]\n'


def test_for_programs_each_line_is_an_object(tmp_path: Path) -> None:
    with an_agent(tmp_path, RULES, "--log", "json", "--name", "x") as agent:
        until(lambda: "serving" in agent.said(), "it says where it serves")
        for line in agent.said().splitlines():
            told = json.loads(line)
            assert set(told) >= {"time", "level", "message"}
            assert told["level"] in ("info", "warning")


def test_under_journald_each_line_has_its_priority_and_no_time(tmp_path: Path) -> None:
    log = tmp_path / "agent.log"
    log.touch()
    status = log.stat()
    environment = {"JOURNAL_STREAM": f"{status.st_dev}:{status.st_ino}"}
    with an_agent(tmp_path, RULES, "--name", "x", environment=environment) as agent:
        until(lambda: "serving" in agent.said(), "it says where it serves")
        assert agent.said().startswith("<6>serving /healthz")


def test_elsewhere_each_line_has_its_time(tmp_path: Path) -> None:
    environment = {"JOURNAL_STREAM": "1:2"}  # inherited, while stderr goes somewhere else
    with an_agent(tmp_path, RULES, "--name", "x", environment=environment) as agent:
        until(lambda: "serving" in agent.said(), "it says where it serves")
        assert agent.said().splitlines()[0][19:].startswith("Z info    serving")
