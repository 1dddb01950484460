"""What came of a scenario: what happened, expectation by expectation whether it held, and the verdict."""

from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from forewarn.testing.scenarios.model import Expectation, Scenario
from forewarn.wire.durations import format_duration


class Told(Enum):
    """What a line of the story is about."""

    STEP = "step"  # something that the scenario does
    FAULT = "fault"
    HISTORY = "history"  # what the fleet did of itself, or let machines do
    CLIENT = "client"
    VERDICT = "verdict"  # an expectation was decided


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    expectation: Expectation
    held: bool | None = None  # None: it came to an end before that could be said
    at: timedelta = timedelta(0)
    seen: str = ""  # instead of what was expected
    timeline: str = ""  # what happened, for whoever has to find out why

    def __str__(self) -> str:
        """For people, where it did not hold."""
        expected = self.expectation
        lines = [f"{expected.where}: {expected.title}", f"  at +{format_duration(self.at)} there was {self.seen}"]
        return "\n".join([*lines, *(f"  {line}" for line in self.timeline.splitlines())])


@dataclass(frozen=True, kw_only=True, slots=True)
class Happening:
    at: timedelta  # since the start, by the fleet's clock
    about: Told
    text: str
    verdict: Verdict | None = None  # if it is about one

    def __str__(self) -> str:
        return f"+{format_duration(self.at):<9} {self.text}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Report:
    scenario: Scenario
    verdicts: tuple[Verdict, ...] = ()
    happenings: tuple[Happening, ...] = ()
    lasted: timedelta = timedelta(0)  # by the fleet's clock
    seconds: float = 0.0  # of real time
    trouble: str = ""  # why it was not played to its end
    said: dict[str, str] = field(default_factory=dict)  # the last words of real clients, by machine
    history: list[dict[str, Any]] = field(default_factory=list)  # of the whole fleet

    @property
    def held(self) -> bool:
        return not self.trouble and all(verdict.held for verdict in self.verdicts)

    @property
    def failures(self) -> tuple[Verdict, ...]:
        return tuple(verdict for verdict in self.verdicts if verdict.held is False)
