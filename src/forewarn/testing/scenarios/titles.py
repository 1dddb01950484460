"""An expectation as one sentence, where its author gave it none."""

from datetime import timedelta
from typing import Any

from forewarn.testing.scenarios.model import Expectation, Subject, When
from forewarn.wire.durations import format_duration

NOUNS = {Subject.EVENT_OF: "the event of", Subject.EVENT: "the event"}


def title_of(expected: Expectation) -> str:
    noun = NOUNS.get(expected.subject, f"the {expected.subject.value}")
    wants = ", ".join(f"{key.replace('_', ' ')} {shown(value)}" for key, value in expected.wants.items())
    return f"{noun} {expected.name}: {wants}{_time(expected)}"


def _time(expected: Expectation) -> str:
    moment = format_duration(expected.moment)
    match expected.when:
        case When.AT | When.BY | When.WITHIN:
            return f", {expected.when.value} {moment}"
        case When.THROUGHOUT:
            return f", from {format_duration(expected.begins)} to {moment}"
        case When.END:
            return ", in the end"


def shown(value: Any) -> str:
    """A value as a scenario has it."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case timedelta():
            return format_duration(value)
        case tuple() | list():
            return ", ".join(map(str, value)) or "nobody"
        case "":
            return '""'
        case _:
            return str(value)
