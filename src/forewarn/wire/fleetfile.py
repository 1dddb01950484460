"""The fleet file: machines, sets, scale sets and cloud services as somebody declares them, in TOML.

A file is understood whole or refused with its name, the line and the reason. The format is in
docs/reference/fleet-file.md.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from msgspec.structs import fields

from forewarn.domain.errors import Invalid
from forewarn.domain.events import EventType
from forewarn.domain.fleet import Fleet
from forewarn.domain.settings import LONGEST_FIRST_ANSWER, Settings
from forewarn.wire.durations import LONGEST
from forewarn.wire.fleetgroups import Groups
from forewarn.wire.tables import Table, Wrong
from forewarn.wire.toml_lines import line_of


class FleetFileError(Invalid):
    """Nothing of the file was taken over. The text begins with `FILE:LINE:`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Simulated:
    """Impacts only take their time. What `durations` does not name takes the driver's own default."""

    durations: Mapping[EventType, timedelta] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Command:
    """Impacts are an operator's program."""

    program: tuple[str, ...]  # the program and its arguments
    time_limit: timedelta


@dataclass(frozen=True, kw_only=True, slots=True)
class Declaration:
    fleet: Fleet
    driver: Simulated | Command


def decode(raw: bytes, name: str) -> str:
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise FleetFileError(f"{name}:{line}: a fleet file is UTF-8 text, and this line is not") from None


def parse(text: str, name: str) -> Declaration:
    try:
        return declaration_of(Table(loaded(text, name)))
    except Wrong as wrong:
        reason = wrong.reason.replace("{line}", f"line {line_of(text, wrong.other)}") if wrong.other else wrong.reason
        where = f"{wrong.label}: " if wrong.label else ""
        raise FleetFileError(f"{name}:{line_of(text, wrong.path)}: {where}{reason}") from None


def loaded(text: str, name: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FleetFileError(_syntax(text, name, str(error))) from None
    except (ValueError, RecursionError):
        raise FleetFileError(f"{name}:1: a value in it is too long or nested too deeply") from None


def _syntax(text: str, name: str, message: str) -> str:
    """The parser's own words, with the place moved to the front."""
    at = re.fullmatch(r"(.*) \(at line ([0-9]+), column ([0-9]+)\)", message, re.DOTALL)
    if at is None:
        return f"{name}:{text.count(chr(10)) + 1}: {message}"
    return f"{name}:{at[2]}: {at[1]} (column {at[3]})"


def declaration_of(root: Table) -> Declaration:
    """What the tables of a fleet file say, wherever they stand; Wrong if they are."""
    settings = _settings(root.table("settings", "settings"))
    driver = _driver(root.table("driver", "driver"))
    groups = Groups(settings, root.table("profile", "profile"))
    for name, table in root.table("machine", "").tables():
        groups.standalone(name, table)
    for name, table in root.table("availability_set", "").tables():
        groups.availability_set(name, table)
    for name, table in root.table("scale_set", "").tables():
        groups.scale_set(name, table)
    for name, table in root.table("cloud_service", "").tables():
        groups.cloud_service(name, table)
    root.close()
    fleet = Fleet(scopes=tuple(groups.scopes), machines=tuple(groups.machines), settings=settings)
    return Declaration(fleet=fleet, driver=driver)


MOMENT = timedelta(milliseconds=1)
DURATION_RANGES: dict[str, tuple[timedelta, timedelta]] = {
    "terminate_min": (MOMENT, LONGEST),
    "terminate_max": (MOMENT, LONGEST),
    "disenrol_after": (timedelta(seconds=1), LONGEST),
    "first_answer_delay": (timedelta(0), LONGEST_FIRST_ANSWER),
    "driver_backoff": (MOMENT, timedelta(hours=1)),
}
COUNT_RANGES: dict[str, tuple[int, int]] = {"user_operations": (1, 100_000), "driver_attempts": (1, 30)}
RISING = (("terminate_min", "notice_terminate", "terminate_max"), ("repair_grace_min", "repair_grace_max"))
"""None of these is less than the one before it."""


def _settings(table: Table) -> Settings:
    chosen: dict[str, timedelta | int | None] = {}
    for setting in fields(Settings):
        if setting.name not in table:
            continue
        if setting.type is int:
            low, high = COUNT_RANGES[setting.name]
            chosen[setting.name] = table.integer(setting.name, 0, low, high)
        else:
            least, most = DURATION_RANGES.get(setting.name, (timedelta(0), LONGEST))
            chosen[setting.name] = table.duration(setting.name, timedelta(0), least, most)
    table.close()
    settings = Settings(**chosen)  # type: ignore[arg-type]
    for names in RISING:
        values = [getattr(settings, name) for name in names]
        if values != sorted(values):
            key = next(name for name in names if name in chosen)
            told = f"{', '.join(names[:-1])} and {names[-1]}"
            raise table.wrong(key, f"{told} must not decrease in this order")
    return settings


def _driver(table: Table) -> Simulated | Command:
    kind = table.text("kind", "simulated")
    if kind not in ("simulated", "command"):
        raise table.unfit("kind", '"simulated" or "command"')
    if kind == "command":
        chosen: Simulated | Command = _command(table)
    else:
        keys = {impact.value.lower(): impact for impact in EventType}
        taken = {impact: table.duration(key) for key, impact in keys.items()}
        chosen = Simulated(durations={impact: length for impact, length in taken.items() if length is not None})
    table.close()
    return chosen


def _command(table: Table) -> Command:
    program = table.text("program")
    if not program:
        raise table.wrong("kind", 'kind = "command" needs program = "…", the program to run')
    limit = table.duration("time_limit", timedelta(minutes=5), timedelta(seconds=1), timedelta(hours=24))
    return Command(program=(program, *table.list_of_texts("args")), time_limit=limit or timedelta(0))
