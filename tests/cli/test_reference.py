"""Every verb, option, setting, key and path is documented, and the documented examples work."""

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import fields

from forewarn.cli.parser import build_parser
from forewarn.control.app import endpoints
from forewarn.control.errors import STATUSES
from forewarn.control.openapi import template
from forewarn.domain.events import EventType
from forewarn.domain.settings import Settings
from forewarn.drivers.simulated import DURATIONS
from forewarn.wire.durations import format_duration
from forewarn.wire.fleetfile import FleetFileError, parse

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"


def page(name: str) -> str:
    return (REFERENCE / name).read_text()


def verbs(parser: argparse.ArgumentParser, name: str = "") -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, below in action.choices.items():
                yield f"{name} {verb}".strip(), below
                yield from verbs(below, f"{name} {verb}".strip())


VERBS = dict(verbs(build_parser()))


@pytest.mark.parametrize("name", VERBS)
def test_every_verb_and_option_has_help_and_is_in_the_reference(name: str) -> None:
    text = page("cli.md")
    assert re.search(rf"`(forewarn )?({name}|{name.split()[-1]})\b", text)
    assert VERBS[name].description
    for action in VERBS[name]._actions:
        assert action.help or isinstance(action, argparse._SubParsersAction), action
        for option in action.option_strings:
            assert option in ("-h", "--help") or f"`{option}" in text or f" {option} " in text, option


def test_every_setting_is_in_the_reference_with_its_default() -> None:
    text = page("settings.md")
    usual = Settings()
    for setting in fields(Settings):
        value = getattr(usual, setting.name)
        shown = str(value) if isinstance(value, int) else format_duration(value)
        assert f"| `{setting.name}` | `{shown}` |" in text


def test_how_long_simulated_impacts_take_is_in_the_reference() -> None:
    usual = ", ".join(f"`{format_duration(DURATIONS[impact])}`" for impact in EventType)
    assert f"Defaults {usual} |" in page("fleet-file.md")


TABLES = {
    "the-whole-file": "zzzzzzzzzz = 1",
    "profile": "[profile]\nzzzzzzzzzz = 1",
    "driver": "[driver]\nzzzzzzzzzz = 1",
    "command": "[driver]\nkind = 'command'\nprogram = 'x'\nzzzzzzzzzz = 1",
    "machine": "[machine.a]\nzzzzzzzzzz = 1",
    "policy": "[machine.a.events_policy]\nzzzzzzzzzz = 1",
    "availability-set": "[availability_set.a]\nmachines = 1\nzzzzzzzzzz = 1",
    "scale-set": "[scale_set.a]\ninstances = 1\nzzzzzzzzzz = 1",
    "instance": "[scale_set.a]\ninstances = 1\ninstance.0.zzzzzzzzzz = 1",
    "cloud-service": "[cloud_service.a]\nzzzzzzzzzz = 1\n[cloud_service.a.role.b]\ninstances = 1",
    "role": "[cloud_service.a.role.b]\ninstances = 1\nzzzzzzzzzz = 1",
}


@pytest.mark.parametrize("text", TABLES.values(), ids=TABLES.keys())
def test_every_key_of_the_fleet_file_is_in_the_reference(text: str) -> None:
    with pytest.raises(FleetFileError) as refused:
        parse(text, "fleet.toml")
    known = str(refused.value).partition("known here: ")[2].split(", ")
    assert len(known) > 1
    for key in known:
        assert re.search(rf"[`\[.]{key}[`\].]", page("fleet-file.md")), key


@pytest.mark.parametrize("name", ["fleet-file.md", "settings.md"])
def test_the_examples_are_fleets(name: str) -> None:
    examples = re.findall(r"```toml\n(.*?)```", page(name), re.DOTALL)
    assert examples
    for example in examples:
        parse(example, name)


@pytest.mark.parametrize("row", endpoints("1"), ids=lambda row: f"{row.method} {row.path}")
def test_every_path_of_the_api_is_in_the_reference(row: object) -> None:
    text = page("api.md")
    path = template(row.path)  # type: ignore[attr-defined]
    assert f"`{path}`" in text or f"`/{path.rpartition('/')[2]}`" in text


def test_every_error_of_the_api_is_in_the_reference() -> None:
    for error, status in STATUSES.items():
        assert f"| {status} | `{error.__name__}` |" in page("api.md")
