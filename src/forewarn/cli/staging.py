"""How a scenario looks while it is played: lines as they come, and on a terminal what is expected, ticked off."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Protocol

from rich.console import Group
from rich.live import Live
from rich.text import Text

from forewarn.cli.output import Output, printable
from forewarn.testing.scenarios import Happening, Report, Scenario
from forewarn.testing.scenarios.report import Told
from forewarn.wire.durations import format_duration

MARKS = {Told.STEP: "▶", Told.FAULT: "⚡", Told.CLIENT: "·", Told.HISTORY: "·"}
STYLES = {Told.STEP: "bold", Told.FAULT: "magenta", Told.CLIENT: "dim", Told.HISTORY: ""}
HELD, BROKEN, OPEN = "✓", "✗", "○"
SECOND = timedelta(seconds=1)


class View(Protocol):
    def tell(self, happening: Happening) -> None: ...

    def passed(self, now: timedelta) -> None: ...

    def end(self, report: Report) -> None: ...


@contextmanager
def staged(scenario: Scenario, out: Output) -> Iterator[View]:
    if out.as_json:
        yield Silent()
    elif out.is_terminal:
        view = Board(scenario, out)
        with view.live:
            yield view
    else:
        yield Lines(scenario, out)


class Silent:
    """Only the report counts."""

    def tell(self, happening: Happening) -> None: ...

    def passed(self, now: timedelta) -> None: ...

    def end(self, report: Report) -> None: ...


class Lines:
    def __init__(self, scenario: Scenario, out: Output) -> None:
        self._out = out
        out.line(f"{scenario.name}, seed {scenario.seed}")

    def tell(self, happening: Happening) -> None:
        self._out.line(line(happening))

    def passed(self, now: timedelta) -> None: ...

    def end(self, report: Report) -> None:
        for text in summary(report):
            self._out.line(text)


class Board:
    """What happens scrolls by; what is expected stands below it."""

    def __init__(self, scenario: Scenario, out: Output) -> None:
        self._scenario = scenario
        self._out = out
        self._fallen: dict[int, bool | None] = {}  # by expectation
        self._now = timedelta(0)
        self.live = Live(self._board(), console=out.console, auto_refresh=False, transient=True)
        out.line(f"{scenario.name}, seed {scenario.seed}")

    def tell(self, happening: Happening) -> None:
        verdict = happening.verdict
        style = STYLES[happening.about] if verdict is None else "green" if verdict.held else "bold red"
        self.live.console.print(Text(line(happening), style=style))
        if verdict is not None:
            self._fallen[id(verdict.expectation)] = verdict.held
        self.live.update(self._board(), refresh=True)

    def passed(self, now: timedelta) -> None:
        self._now = now
        self.live.update(self._board(), refresh=True)

    def end(self, report: Report) -> None:
        for text in summary(report):
            self._out.line(text)

    def _board(self) -> Group:
        rows = [Text(f"── fleet time +{format_duration(self._now - self._now % SECOND)} ──", style="bold")]
        for expected in self._scenario.expectations:
            held = self._fallen.get(id(expected))
            mark = OPEN if held is None else HELD if held else BROKEN
            style = "dim" if held is None else "green" if held else "bold red"
            rows.append(Text(printable(f"{mark} {expected.title}"), style=style, no_wrap=True, overflow="ellipsis"))
        return Group(*rows)


def line(happening: Happening) -> str:
    verdict = happening.verdict
    mark = MARKS[happening.about] if verdict is None else HELD if verdict.held else BROKEN
    at = "+" + format_duration(happening.at)
    return printable(f"{at:>12}  {mark} {happening.text}")


def summary(report: Report) -> Iterator[str]:
    """The verdict, and what explains it."""
    for verdict in report.failures:
        yield f"\n{BROKEN} {verdict}"
    if not report.held:
        for machine, said in report.said.items():
            yield f"\nWhat {machine}'s client said last:\n{said or '(nothing)'}"
    played = f"{format_duration(report.lasted - report.lasted % SECOND)} of fleet time in {report.seconds:.1f} s"
    count = len(report.verdicts)
    if report.trouble:
        yield f"\n{report.scenario.name} could not be played: {report.trouble}"
    elif report.held:
        yield f"{report.scenario.name}: all {count} expectations held; {played}."
    else:
        yield f"\n{report.scenario.name}: {len(report.failures)} of {count} expectations did not hold; {played}."
