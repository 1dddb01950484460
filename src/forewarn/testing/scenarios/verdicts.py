"""Keeps the expectations: which are still open, at which moments they have to be looked at, and what was decided."""

from collections.abc import Callable, Iterator
from datetime import timedelta

from forewarn.testing.scenarios.judging import Finding, Judge, timeline
from forewarn.testing.scenarios.model import Expectation, Scenario, Subject, When
from forewarn.testing.scenarios.report import Verdict

SINCE = ("moved_since", "same_since")


class Verdicts:
    def __init__(self, scenario: Scenario, judge: Judge, decided: Callable[[Verdict], None]) -> None:
        """`decided`: told of each verdict, as it falls."""
        self._judge = judge
        self._decided = decided
        self._open = list(scenario.expectations)
        self._all = scenario.expectations
        self._fallen: dict[int, Verdict] = {}
        self._samples = {
            (expected.name, expected.wants[key])
            for expected in scenario.expectations
            if expected.subject is Subject.SCOPE
            for key in SINCE
            if key in expected.wants
        }

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """In the order of the scenario."""
        return tuple(self._fallen.get(id(expected), Verdict(expectation=expected)) for expected in self._all)

    def moments(self, now: timedelta) -> Iterator[timedelta]:
        """Those ahead at which something has to be looked at."""
        yield from (moment for _, moment in self._samples if moment > now)
        for expected in self._open:
            if expected.when is When.THROUGHOUT:
                yield from (moment for moment in (expected.begins, expected.moment) if moment > now)
            deadline = self._deadline(expected)
            if deadline is not None and deadline > now:
                yield deadline

    def look(self, now: timedelta) -> None:
        """At all that can be decided at this moment, of which everything has happened."""
        for scope, moment in self._samples:
            if moment <= now and (scope, moment) not in self._judge.samples:
                self._judge.sample(scope, moment)
        for expected in list(self._open):
            self._look_at(expected, now)

    def end(self, now: timedelta) -> None:
        """All is over: what is still open is decided now."""
        for expected in list(self._open):
            self._decide(expected, self._judge.look(expected), now)

    def _look_at(self, expected: Expectation, now: timedelta) -> None:
        deadline = self._deadline(expected)
        match expected.when:
            case When.AT:
                if now >= expected.moment:
                    self._decide(expected, self._judge.look(expected), now)
            case When.BY | When.WITHIN:
                finding = self._judge.look(expected) if deadline is not None else Finding(holds=False)
                if finding.holds or (deadline is not None and now >= deadline):
                    self._decide(expected, finding, now)
            case When.THROUGHOUT:
                finding = self._judge.look(expected) if now >= expected.begins else Finding(holds=True)
                if not finding.holds or now >= expected.moment:
                    self._decide(expected, finding, now)
            case When.END:
                pass

    def _deadline(self, expected: Expectation) -> timedelta | None:
        """None: there is none, or it is not known yet."""
        if expected.when is When.END:
            return None
        if expected.when is not When.WITHIN:
            return expected.moment
        story = self._judge.story
        known = [story.events[event] for event in self._judge.events_of(expected) if event in story.events]
        if not known:
            return None
        return min(story.time.since(event.scheduled_at) for event in known) + expected.moment

    def _decide(self, expected: Expectation, finding: Finding, now: timedelta) -> None:
        self._open.remove(expected)
        why = "" if finding.holds else timeline(self._judge.forewarn, self._judge.events_of(expected))
        verdict = Verdict(expectation=expected, held=finding.holds, at=now, seen=finding.seen, timeline=why)
        self._fallen[id(expected)] = verdict
        self._decided(verdict)
