"""The configuration file (TOML): read, checked whole, and refused with file, place and reason if anything is wrong."""

import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from forewarn.agent.config import Config, Rule, Settings, StepSpec
from forewarn.agent.errors import BadConfig
from forewarn.agent.options import read_options
from forewarn.agent.steps import build

COMMON = {f.name for f in fields(StepSpec)} - {"name", "options"}
"""What every step may say; all else in its table is for the built-in it uses."""
VARIABLE = "FOREWARN_AGENT_"
TABLES = ("agent", "steps", "rules")


def read_config(
    path: Path, environment: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Config:
    """Environment variables win over the file, and flags over both."""
    try:
        return parse_config(path.read_text(encoding="utf-8"), environment, flags)
    except BadConfig as error:
        raise BadConfig(f"{path}: {error}") from None
    except UnicodeDecodeError as error:
        raise BadConfig(f"{path}: not UTF-8: {error}") from None
    except OSError as error:
        raise BadConfig(f"{path}: {error.strerror}. `forewarn agent check FILE` checks a configuration.") from None


def parse_config(
    text: str, environment: Mapping[str, str] | None = None, flags: Mapping[str, object] | None = None
) -> Config:
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfig(f"not TOML: {error}") from None
    for table in tables:
        if table not in TABLES:
            raise BadConfig(f"there is no table [{table}]; there are [agent], [steps.NAME] and [[rules]]")
    settings = _settings(_table(tables, "agent"), environment or {}, flags or {})
    steps = {name: read_step(name, _table(tables["steps"], name)) for name in _table(tables, "steps")}
    return Config(settings=settings, steps=steps, rules=tuple(_rules(tables.get("rules", []), steps)))


def read_step(name: str, table: Mapping[str, object]) -> StepSpec:
    where = f"steps.{name}"
    common = {key: value for key, value in table.items() if key in COMMON}
    own = {key: value for key, value in table.items() if key not in COMMON}
    spec = replace(read_options(StepSpec, {"name": name, **common}, where), options=own)
    build(spec)  # the built-in's own options are checked by being read
    return spec


def _rules(given: object, steps: Mapping[str, StepSpec]) -> list[Rule]:
    if not isinstance(given, list):
        raise BadConfig("rules: write each as a table [[rules]]")
    rules = []
    for number, table in enumerate(given, 1):
        where = f"rules, number {number}"
        rule = read_options(Rule, table, where)
        for step in rule.steps:
            if step not in steps:
                raise BadConfig(f"{where}: there is no step {step!r}; [steps.{step}] would make it")
        if len(set(rule.steps)) < len(rule.steps):
            raise BadConfig(f"{where}: a step is named twice")
        rules.append(rule if rule.name else replace(rule, name=f"rule {number}"))
    return rules


def _settings(table: Mapping[str, object], environment: Mapping[str, str], flags: Mapping[str, object]) -> Settings:
    known = {f.name: f for f in fields(Settings)}
    variables = {
        name: _from_text(known[name].type, environment[VARIABLE + name.upper()])
        for name in known
        if environment.get(VARIABLE + name.upper())
    }
    return read_options(Settings, {**table, **variables, **flags}, "agent")


def _from_text(kind: Any, text: str) -> object:
    """Environment variables are texts; only truth needs another form."""
    return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text) if kind is bool else text


def _table(tables: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    table = tables.get(name, {})
    if not isinstance(table, dict):
        raise BadConfig(f"{name}: a table is wanted")
    return table
