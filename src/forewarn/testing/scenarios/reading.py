"""Reads a scenario: understood whole, or refused with the file, the line and the reason, before anything is played."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from forewarn.domain.errors import Invalid
from forewarn.domain.rates import read_rate
from forewarn.testing.scenarios import parts
from forewarn.testing.scenarios.checking import check_names
from forewarn.testing.scenarios.errors import ScenarioError
from forewarn.testing.scenarios.model import Do, Scenario
from forewarn.testing.scenarios.writing import to_toml
from forewarn.wire import fleetfile
from forewarn.wire.fleetfile import Declaration, FleetFileError
from forewarn.wire.tables import Table, Wrong
from forewarn.wire.toml_lines import line_of


def load(path: Path) -> Scenario:
    """OSError if the file cannot be read."""
    name = str(path)
    try:
        text = fleetfile.decode(path.read_bytes(), name)
    except FleetFileError as error:
        raise ScenarioError(str(error).replace("a fleet file", "a scenario")) from None
    return parse(text, name, path.parent)


def parse(text: str, name: str, folder: Path | None = None) -> Scenario:
    """`name`: of the file. `folder`: where a fleet file that it names is looked for."""
    try:
        values = fleetfile.loaded(text, name)
    except FleetFileError as error:
        raise ScenarioError(str(error)) from None
    return _read(values, name, folder, text)


def scenario_of(values: Mapping[str, Any], name: str = "scenario", folder: Path | None = None) -> Scenario:
    """The same tables as Python values."""
    return _read(dict(values), name, folder, None)


def _read(values: dict[str, Any], name: str, folder: Path | None, text: str | None) -> Scenario:
    try:
        root = Table(values)
        fleet, declared = _fleet(root, folder or Path())
        return _scenario(root, Path(name).stem, fleet, declared, lambda path: _place(name, text, path))
    except Wrong as wrong:
        reason = wrong.reason
        if wrong.other and text is not None:
            reason = reason.replace("{line}", f"line {line_of(text, wrong.other)}")
        label = f"{wrong.label}: " if wrong.label else ""
        raise ScenarioError(f"{_place(name, text, wrong.path)}: {label}{reason}") from None
    except FleetFileError as error:
        raise ScenarioError(str(error)) from None


def _place(name: str, text: str | None, path: tuple[str, ...]) -> str:
    return name if text is None else f"{name}:{line_of(text, path)}"


def _fleet(root: Table, folder: Path) -> tuple[dict[str, Any] | None, Declaration | None]:
    """Its tables as they stand, and what they say."""
    match root.raw("fleet"):
        case None:
            return None, None
        case str(name):
            file = folder / name
            try:
                text = fleetfile.decode(file.read_bytes(), str(file))
            except OSError as error:
                raise root.wrong("fleet", f"{file} cannot be read: {error.strerror}") from None
            declared = fleetfile.parse(text, str(file))
            return tomllib.loads(text), declared
        case dict(values):
            return values, fleetfile.declaration_of(root.table("fleet", ""))
        case _:
            raise root.unfit("fleet", 'the tables of a fleet, or the name of a fleet file such as "fleet.toml"')


def _scenario(
    root: Table, stem: str, fleet: dict[str, Any] | None, declared: Declaration | None, place: parts.Place
) -> Scenario:
    scenario = Scenario(
        name=root.text("name") or stem,
        about=_prose(root, "about"),
        seed=root.integer("seed", 0, 0, 2**63 - 1),
        speed=_speed(root),
        lasts=parts.moment(root, "lasts"),
        fleet=fleet,
        steps=parts.steps(root, place),
        clients=tuple(parts.client(table, place) for table in root.array("client", "client")),
        faults=tuple(parts.fault(table, place) for table in root.array("fault", "fault")),
        expectations=tuple(parts.expectation(table, place) for table in root.array("expect", "expect")),
    )
    root.close()
    check_names(scenario, declared)
    _check_settings(scenario)
    return replace(scenario, faults=tuple(parts.seeded(fault, scenario.seed) for fault in scenario.faults))


def _check_settings(scenario: Scenario) -> None:
    for step in scenario.steps:
        if step.do is Do.SETTINGS:
            if scenario.fleet is None:
                raise ScenarioError(f"{step.where}: settings are those of a fleet, and the scenario declares none")
            try:
                fleetfile.parse(to_toml({"settings": step.settings}), "settings")
            except FleetFileError as error:
                raise ScenarioError(f"{step.where}: {str(error).partition(': ')[2]}") from None


def _prose(root: Table, key: str) -> str:
    """A text that may have several lines."""
    value = root.raw(key)
    if value is not None and not isinstance(value, str):
        raise root.unfit(key, "a text")
    return (value or "").strip()


def _speed(root: Table) -> float:
    text = root.text("speed")
    try:
        speed = read_rate(text) if text else Scenario(name="").speed
    except Invalid as error:
        raise root.wrong("speed", str(error).rstrip(".")) from None
    if speed == 0:
        raise root.unfit("speed", 'more than nothing, such as "60x"')
    return speed
