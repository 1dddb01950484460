"""A configuration is taken whole or refused with the place and the reason."""

from datetime import timedelta
from pathlib import Path

import pytest

from forewarn.agent.config import Approval, OnFailure, Rule, StepSpec
from forewarn.agent.errors import BadConfig
from forewarn.agent.reading import parse_config, read_config
from forewarn.client.documents import EventType

WHOLE = """
[agent]
endpoint = "http://127.0.0.2:8254"
approve = "leader"
takeover = "1m30s"

[steps.tell]
use = "log"
limit = 5
urgent = "0s"
on_failure = "go-on"
prepare_text = "{type} is coming"

[[rules]]
name = "short freezes"
types = ["Freeze"]
shorter_than = "10s"
ignore = true

[[rules]]
types = ["reboot", "Redeploy"]
steps = ["tell"]
approve = "all-ready"
"""


def test_a_configuration_is_read() -> None:
    config = parse_config(WHOLE)
    assert config.settings.takeover == timedelta(seconds=90)
    assert config.steps["tell"] == StepSpec(
        name="tell",
        use="log",
        limit=timedelta(seconds=5),
        urgent=timedelta(),
        on_failure=OnFailure.GO_ON,
        options={"prepare_text": "{type} is coming"},
    )
    first, second = config.rules
    assert first == Rule(
        name="short freezes", types=(EventType.FREEZE,), shorter_than=timedelta(seconds=10), ignore=True
    )
    assert (second.name, second.types, config.chain(second)) == (
        "rule 2",
        (EventType.REBOOT, EventType.REDEPLOY),
        (config.steps["tell"],),
    )
    assert (config.approval(first), config.approval(second)) == (Approval.LEADER, Approval.ALL_READY)


def test_the_environment_wins_over_the_file_and_flags_over_both() -> None:
    environment = {"FOREWARN_AGENT_APPROVE": "never", "FOREWARN_AGENT_DRY_RUN": "true", "FOREWARN_AGENT_NAME": "vm1"}
    settings = parse_config(WHOLE, environment, {"name": "vm2"}).settings
    assert (settings.approve, settings.dry_run, settings.name) == (Approval.NEVER, True, "vm2")
    assert settings.endpoint == "http://127.0.0.2:8254"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("[agent", "not TOML", id="no TOML"),
        pytest.param("[agnet]", r"there is no table \[agnet\]", id="an unknown table"),
        pytest.param("agent = 3", "agent: a table is wanted", id="no table"),
        pytest.param(
            '[agent]\nendpont = ""', "agent: there is no option 'endpont'; did you mean 'endpoint'", id="typo"
        ),
        pytest.param(
            '[agent]\napprove = "maybe"', "agent.approve: 'maybe' is none of own, leader", id="no such policy"
        ),
        pytest.param('[agent]\npoll = "0.5s"', "agent: 'poll' is at least 1s", id="asks too often"),
        pytest.param("[agent]\ndry_run = 1", "agent.dry_run: true or false is wanted", id="no truth"),
        pytest.param("[steps.a]\nlimit = 3", "steps.a: the option 'use' is missing", id="what kind of step"),
        pytest.param('[steps.a]\nuse = "dance"', "steps.a.use: 'dance' is none of command", id="no such step"),
        pytest.param('[steps.a]\nuse = "log"\nloud = true', "steps.a: there is no option 'loud'", id="not its option"),
        pytest.param(
            '[steps.a]\nuse = "log"\nlimit = "soon"', "steps.a.limit: 'soon' is no duration", id="no duration"
        ),
        pytest.param('[steps.a]\nuse = "log"\nlimit = -1', "steps.a.limit: -1 is out of range", id="below nothing"),
        pytest.param(
            '[steps.a]\nuse = "log"\nleast = "2m"', "steps.a: 'least' is longer than 'limit'", id="least > limit"
        ),
        pytest.param('[[rules]]\nsteps = ["x"]', "rules, number 1: there is no step 'x'", id="an unknown step"),
        pytest.param(
            '[[rules]]\ntypes = ["Explode"]', "rules, number 1.types: 'Explode' is none of", id="no such type"
        ),
        pytest.param('[[rules]]\ntypes = "Freeze"', "rules, number 1.types: a list is wanted", id="no list"),
        pytest.param('[[rules]]\nignore = true\napprove = "own"', "'ignore' leaves nothing", id="ignore and approve"),
        pytest.param('[[rules]]\nsource = "Me"', "'source' is Platform or User", id="no such source"),
        pytest.param('[rules]\nsteps = ["x"]', r"write each as a table \[\[rules\]\]", id="one table of rules"),
        pytest.param("rules = [3]", "rules, number 1: a table is wanted", id="a rule that is none"),
        pytest.param("steps = 3", "steps: a table is wanted", id="steps that are none"),
        pytest.param("steps.a = 3", "a: a table is wanted", id="a step that is none"),
        pytest.param(
            '[steps.a]\nuse = "log"\n[[rules]]\nsteps = ["a", "a"]', "a step is named twice", id="a step named twice"
        ),
    ],
)
def test_a_wrong_configuration_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(BadConfig, match=why):
        parse_config(text)


def test_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"nowhere\.toml: No such file"):
        read_config(tmp_path / "nowhere.toml")
    file = tmp_path / "agent.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(BadConfig, match=r"agent\.toml: not UTF-8"):
        read_config(file)
    file.write_text("[agent]\nname = 3")
    with pytest.raises(BadConfig, match=r"agent\.toml: agent\.name: a text in quotes is wanted"):
        read_config(file)
