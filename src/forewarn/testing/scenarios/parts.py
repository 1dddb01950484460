"""Reads the parts of a scenario: steps, clients, faults, expectations."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.errors import Invalid
from forewarn.domain.events import EventType, OperationState, Phase, Source
from forewarn.domain.faults import Asked, Fault, FaultKind, check
from forewarn.domain.machines import Power
from forewarn.testing.scenarios.model import (
    CHECKS,
    KEYS,
    NOW,
    SECOND,
    Approves,
    Do,
    Expectation,
    Kind,
    ScriptedClient,
    ScriptedFault,
    Start,
    Step,
    Subject,
    When,
)
from forewarn.testing.scenarios.titles import title_of
from forewarn.wire.durations import LONGEST, parse_duration
from forewarn.wire.tables import Table

Place = Callable[[tuple[str, ...]], str]
"""FILE:LINE of a path."""

CHOICES: Mapping[tuple[Subject, str], type[Enum]] = {
    **{(subject, "type"): EventType for subject in (Subject.EVENT, Subject.EVENT_OF)},
    **{(subject, "source"): Source for subject in (Subject.EVENT, Subject.EVENT_OF)},
    **{(subject, "status"): Phase for subject in (Subject.EVENT, Subject.EVENT_OF)},
    (Subject.MACHINE, "power"): Power,
    (Subject.OPERATION, "state"): OperationState,
    (Subject.CAMPAIGN, "state"): CampaignState,
}
MOST = 1_000_000


def moment(table: Table, key: str, default: timedelta = NOW) -> timedelta:
    return table.duration(key, default, NOW, LONGEST) or NOW


def steps(root: Table, place: Place) -> tuple[Step, ...]:
    found: list[Step] = []
    for table in root.array("at", "step"):
        before = found[-1].at if found else NOW
        found.append(_step(table, _time(table, before), place))
    return tuple(found)


def _time(table: Table, before: timedelta) -> timedelta:
    if "at" in table and "after" in table:
        raise table.wrong("after", "a step is at a time, or after the step before it: not both")
    at = moment(table, "at") if "at" in table else before + moment(table, "after")
    if at < before:
        raise table.wrong("at", "steps are in the order of their times, and the one before it is later")
    return at


def _step(table: Table, at: timedelta, place: Place) -> Step:
    if "do" not in table:
        raise table.wrong("", f"it does nothing: say do = {_either(Do)}")
    do = table.choice("do", Do.WAIT, Do)
    needed, allowed = KEYS[do]
    values = {key: _step_value(table, do, key) for key in (*needed, *allowed) if _is_there(table, key)}
    for key in needed:
        if key not in values:
            raise table.wrong("do", f'do = "{do.value}" needs {key}')
    table.close()
    named = {"as": "name", "event": "target", "campaign": "target"}
    return Step(at=at, do=do, where=place(table.path), **{named.get(key, key): value for key, value in values.items()})


def _is_there(table: Table, key: str) -> bool:
    return key in table or (key == "machines" and "machine" in table)


def _step_value(table: Table, do: Do, key: str) -> Any:
    match key:
        case "type":
            return table.choice(key, EventType.REBOOT, EventType)
        case "machines" | "scopes":
            return _names(table, key)
        case "notice" | "pause":
            return table.duration(key)
        case "duration":
            return table.integer(key, -1, -1, 86_400)
        case "times":
            return table.integer(key, 1, 1, 1000)
        case "settings":
            inner = table.table(key, "settings")
            return {name: inner.raw(name) for name in inner.keys}
        case _:
            return table.text(key)


def _names(table: Table, key: str) -> tuple[str, ...]:
    single = key.removesuffix("s")
    if single in table and key in table:
        raise table.wrong(single, f"{single} and {key} exclude each other")
    names = (table.text(single),) if single in table else table.list_of_texts(key)
    if not names or not all(names):
        raise table.wrong(single if single in table else key, f"{key} must name at least one")
    return names


def client(table: Table, place: Place) -> ScriptedClient:
    if "machine" not in table:
        raise table.wrong("", 'it is the client of a machine: say machine = "NAME"')
    made = ScriptedClient(
        machine=table.text("machine"),
        every=table.duration("every", SECOND, timedelta(milliseconds=100)) or SECOND,
        begins=moment(table, "from"),
        ends=table.duration("until"),
        prepares=moment(table, "prepares"),
        approves=table.choice("approves", Approves.OWN, Approves),
        version=table.text("version", "2020-07-01"),
        where=place(table.path),
    )
    table.close()
    return made


def fault(table: Table, place: Place) -> ScriptedFault:
    if "kind" not in table:
        raise table.wrong("", "it has no kind: docs/reference/faults.md lists them")
    kind = table.choice("kind", FaultKind.STATUS, FaultKind)
    if ("machine" in table) == ("scope" in table):
        raise table.wrong("kind", 'say for whom: machine = "NAME", or scope = "SCOPE"')
    at = moment(table, "at")
    how = {key: _fault_value(table, key) for key in FAULT_KEYS if key in table}
    table.close()
    try:
        check(Fault(id="", kind=kind, scope="", since=datetime.min.replace(tzinfo=UTC), **_checked(how)))
    except Invalid as error:
        key, _, reason = str(error).partition(": ")
        raise table.wrong(key if key in table else "kind", reason.rstrip(".") or str(error)) from None
    return ScriptedFault(at=at, kind=kind, how=how, where=place(table.path))


FAULT_KEYS = (
    "machine", "scope", "asked", "status", "by", "value", "requests", "skip", "lasts", "probability", "seed",
)  # fmt: skip


def _fault_value(table: Table, key: str) -> Any:
    match key:
        case "asked":
            return table.choice(key, Asked.ANY, Asked).value
        case "status" | "requests" | "skip" | "seed":
            return table.integer(key, 0, 0, MOST)
        case "by":
            _shift(table)
            return table.text(key)
        case "lasts":
            table.duration(key)
            return table.text(key)
        case "probability":
            value = table.raw(key)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise table.unfit(key, "a number above 0, and 1 at most")
            return value
        case _:
            return table.text(key)


def _shift(table: Table) -> timedelta:
    """A duration that may be negative."""
    text = table.text("by")
    try:
        length = parse_duration(text.removeprefix("-"))
    except ValueError:
        raise table.unfit("by", 'a duration such as "30s", or "-5m"') from None
    return -length if text.startswith("-") else length


def _checked(how: Mapping[str, Any]) -> dict[str, Any]:
    """What the rules of a fault look at."""
    values = {key: how[key] for key in ("status", "value", "requests", "skip", "probability") if key in how}
    text = how.get("by", "0s")
    length = parse_duration(text.removeprefix("-"))
    return {**values, "by": -length if text.startswith("-") else length}


def seeded(fault: ScriptedFault, seed: int) -> ScriptedFault:
    return replace(fault, how={"seed": seed, **fault.how})


def expectation(table: Table, place: Place) -> Expectation:
    subject, name = _subject(table)
    when, moment, begins = _when(table, subject)
    wants = {key: _wanted(table, subject, key, kind) for key, kind in CHECKS[subject].items() if key in table}
    title = table.text("title")
    table.close()
    if not wants:
        raise table.wrong(subject.value, f"nothing is expected of it: say {', '.join(CHECKS[subject])}")
    made = Expectation(
        subject=subject,
        name=name,
        wants=wants,
        when=when,
        moment=moment,
        begins=begins,
        title=title,
        where=place(table.path),
    )
    return made if title else replace(made, title=title_of(made))


def _subject(table: Table) -> tuple[Subject, str]:
    there = [subject for subject in Subject if subject.value in table]
    if len(there) != 1:
        raise table.wrong("", f"it is about one thing: say {_either(Subject)}")
    name = table.text(there[0].value)
    if not name:
        raise table.unfit(there[0].value, "a name")
    return there[0], name


def _when(table: Table, subject: Subject) -> tuple[When, timedelta, timedelta]:
    there = [when for when in When if when is not When.END and when.value in table]
    if len(there) > 1:
        raise table.wrong(there[1].value, "say once when: at, by, within, or from and to")
    if not there:
        return When.END, NOW, NOW
    (when,) = there
    if when is When.WITHIN and subject not in (Subject.EVENT, Subject.EVENT_OF):
        raise table.wrong("within", "within is counted from when an event appears: say at, by, or from and to")
    if when is not When.THROUGHOUT:
        return when, moment(table, when.value), NOW
    begins, ends = moment(table, "from"), moment(table, "to")
    if ends < begins:
        raise table.wrong("from", "from needs to, a later time")
    return when, ends, begins


def _wanted(table: Table, subject: Subject, key: str, kind: Kind) -> Any:
    choices = CHOICES.get((subject, key))
    if choices is not None:
        return table.choice(key, next(iter(choices)), choices).value
    match kind:
        case Kind.TEXT:
            return table.text(key)
        case Kind.NAMES:
            return tuple(sorted(table.list_of_texts(key)))
        case Kind.DURATION | Kind.MOMENT:
            return table.duration(key)
        case Kind.NUMBER:
            return table.integer(key, 0, -1, MOST)
        case Kind.YES_NO:
            return table.boolean(key, True)
        case Kind.START:
            return table.choice(key, Start.NOT, Start).value


def _either(choices: type[Enum]) -> str:
    return ", ".join(str(choice.value) for choice in choices)
