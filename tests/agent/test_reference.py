"""Everything that can be configured, asked or counted is in the reference, with its default."""

import re
from collections.abc import Iterator
from dataclasses import Field, fields
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from forewarn.agent.config import Approval, Rule, Settings, StepSpec
from forewarn.agent.counting import PATHS
from forewarn.agent.durations import write_duration
from forewarn.agent.main import build_parser
from forewarn.agent.reading import COMMON, parse_config
from forewarn.agent.recording import KEPT_FIELDS, SECRET
from forewarn.agent.records import Stage
from forewarn.agent.running import AT_START
from forewarn.agent.steps import STEPS, shape
from tests.agent.process import an_agent

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "agent.md").read_text()


def section(title: str) -> str:
    return PAGE.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> dict[str, str]:
    """The first column of its tables, and the second."""
    return dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", text, re.MULTILINE))


def written(field: Field[Any]) -> str | None:
    """The default as the configuration would say it; None if there is none, or it depends."""
    match field.default:
        case timedelta() as length:
            return f'`"{write_duration(length)}"`'
        case Enum() as member:
            return f'`"{member.value}"`'
        case bool() as truth:
            return f"`{str(truth).lower()}`"
        case str() | Path() as text:
            return f'`"{text}"`'
        case _:
            return None


def undocumented(shape: type, table: dict[str, str], but: tuple[str, ...] = ()) -> Iterator[str]:
    for field in fields(shape):
        default = written(field)
        if field.name in but:
            continue
        if field.name not in table or (default not in (None, '`""`') and table[field.name] != default):
            yield field.name


def test_every_setting_is_in_the_reference_with_its_default() -> None:
    assert list(undocumented(Settings, rows(section("Settings")))) == []
    assert list(rows(section("Settings"))) == [field.name for field in fields(Settings)]


def test_every_field_of_a_rule_is_in_the_reference_with_its_default() -> None:
    assert list(undocumented(Rule, rows(section("Rules")))) == []


def test_every_common_option_of_steps_is_in_the_reference_with_its_default() -> None:
    table = rows(section("Steps"))
    assert list(undocumented(StepSpec, table, but=("name", "options"))) == []
    assert set(table) >= COMMON


@pytest.mark.parametrize("use", STEPS)
def test_every_option_of_a_built_in_is_on_its_page(use: str) -> None:
    text = (REFERENCE / "agent-steps" / f"{use}.md").read_text()
    assert f"[`{use}`](agent-steps/{use}.md)" in PAGE
    for field in fields(shape(use)):  # type: ignore[arg-type]
        assert f"`{field.name}`" in text, f"{use}: {field.name}"


def test_what_counts_at_once_after_a_reload_is_said() -> None:
    at_once = [field.name for field in fields(Settings) if field.name not in AT_START]
    told = re.search(r"After SIGHUP, (.*?) count at once", PAGE, re.DOTALL)
    assert told is not None
    assert re.findall(r"`(\w+)`", told[1]) == at_once


def test_every_stage_and_every_policy_is_in_the_reference() -> None:
    for word in (*Stage, *Approval):
        assert f"| `{word.value}` |" in PAGE


def test_every_verb_and_option_is_in_the_reference() -> None:
    (verbs,) = (action for action in build_parser()._actions if action.choices)
    assert verbs.choices is not None
    settings = {field.name for field in fields(Settings)}
    for name, verb in dict(verbs.choices).items():
        assert f"### `forewarn agent {name}" in PAGE
        text = PAGE.partition(f"### `forewarn agent {name}")[2].partition("\n### ")[0].partition("\n## ")[0]
        for action in verb._actions:
            assert action.help
            if action.option_strings and action.dest not in {"help"} | settings:
                assert f"`{action.option_strings[0]}" in text, action.option_strings


def test_every_metric_is_in_the_reference_and_nothing_else(tmp_path: Path) -> None:
    with an_agent(tmp_path, "[[rules]]\n", "--name", "x") as agent:
        served = dict(re.findall(r"^# TYPE (\w+) (\w+)$", agent.get("/metrics")[1], re.MULTILINE))
        assert rows(section("Metrics")) == served


def test_every_path_is_in_the_reference() -> None:
    for path in ("/healthz", "/drained", "/ready/EVENT", "/metrics"):
        assert f"| `{path}` |" in section("Endpoints")


def test_what_is_recorded_and_what_is_left_out_is_said() -> None:
    text = section("Recording")
    assert {word.lower() for word in re.findall(r"`(\w+)`", text)} >= SECRET
    for word in (*KEPT_FIELDS, *PATHS.values(), "approval"):
        assert f"`{word}`" in text


def test_every_example_can_be_loaded() -> None:
    examples = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert examples
    for example in examples:
        assert parse_config(example).rules
