"""Plays a scenario, moment by moment.

At each moment, always in this order: what is due by itself happens; faults begin; steps are done; clients have their
turn, in the order of the file; expectations are looked at. So the same scenario with the same seed is the same story.
"""

import time
from collections.abc import Callable, Sequence
from datetime import timedelta

from forewarn.remote import Refusal, Unreachable
from forewarn.testing.kit import Forewarn
from forewarn.testing.scenarios.acting import Stage, describe, describe_fault
from forewarn.testing.scenarios.clients import Outlook
from forewarn.testing.scenarios.crew import Crew
from forewarn.testing.scenarios.errors import CannotPlay
from forewarn.testing.scenarios.faults import Playbook
from forewarn.testing.scenarios.fleettime import FleetTime
from forewarn.testing.scenarios.judging import Judge
from forewarn.testing.scenarios.model import Scenario
from forewarn.testing.scenarios.report import Happening, Report, Told, Verdict
from forewarn.testing.scenarios.story import Story
from forewarn.testing.scenarios.verdicts import Verdicts


class Player:
    def __init__(
        self,
        forewarn: Forewarn,
        scenario: Scenario,
        crew: Crew,
        *,
        alone: bool = False,
        speed: float | None = None,
        tell: Callable[[Happening], None] = lambda happening: None,
        passed: Callable[[timedelta], None] = lambda now: None,
    ) -> None:
        """`alone`: nobody else can do anything to this fleet.

        `speed`: fleet seconds in a second; None: at once. `tell`, `passed`: what happens, and where time is.
        """
        self._scenario = scenario
        self._crew = crew
        self._tell = tell
        self._passed = passed
        self._alone = alone
        self._happenings: list[Happening] = []
        self._forewarn = forewarn
        self._time = FleetTime(forewarn, speed)
        self._story = Story(forewarn, self._time)
        self._stage = Stage(forewarn, self._story, scenario.fleet)
        self._playbook = Playbook(scenario.faults, forewarn)
        self._verdicts = Verdicts(scenario, Judge(forewarn, self._story, self._time), self._decided)
        self._steps = list(scenario.steps)

    def play(self) -> Report:
        began, trouble = time.monotonic(), ""
        try:
            self._play()
        except (CannotPlay, Refusal, Unreachable) as error:
            trouble = str(error)
        finally:
            said = self._crew.dismiss()
        return Report(
            scenario=self._scenario,
            verdicts=self._verdicts.verdicts,
            happenings=tuple(self._happenings),
            lasted=self._time.now,
            seconds=time.monotonic() - began,
            trouble=trouble,
            said=said,
            history=[] if trouble else self._forewarn.history(),
        )

    def _play(self) -> None:
        self._story.begin()
        self._crew.enter(self._scenario, self._time, lambda text: self._say(Told.CLIENT, text))
        self._time.begin()
        self._turn()
        while not self._is_over():
            happened = self._time.towards(min(self._moments(), default=self._scenario.end))
            if happened or not self._alone:
                self._hear()
            self._turn()
        self._verdicts.end(self._time.now)

    def _is_over(self) -> bool:
        if self._time.now < self._scenario.end:
            return False
        return not self._story.live or (self._time.next is None and not list(self._moments()))

    def _moments(self) -> Sequence[timedelta]:
        """Those ahead at which something is to be done, or looked at."""
        now, look = self._time.now, self._outlook
        ahead = [step.at for step in self._steps[:1]]
        ahead += self._playbook.moments(now)
        ahead += self._verdicts.moments(now)
        ahead += [due for puppet in self._crew.puppets if (due := puppet.due(look(puppet.name))) is not None]
        ahead += [] if self._time.next is None else [self._time.next]
        ahead += [self._scenario.end] if self._scenario.end > now else []
        return [max(moment, now) for moment in ahead]

    def _turn(self) -> None:
        """All of this moment that does not happen by itself."""
        now = self._time.now
        for fault in self._playbook.due(now):
            self._say(Told.FAULT, describe_fault(fault))
            self._playbook.begun(fault, self._stage.spoil(fault))
        while self._steps and self._steps[0].at <= now:
            step = self._steps.pop(0)
            self._say(Told.STEP, describe(step))
            self._stage.do(step)
            self._time.settle()
            self._hear()
        self._crew_turns()
        self._verdicts.look(now)
        self._passed(now)

    def _crew_turns(self) -> None:
        self._playbook.look()
        for puppet in self._crew.puppets:
            if puppet.act(self._outlook(puppet.name)):
                self._time.settle()
                self._hear()

    def _outlook(self, name: str) -> Outlook:
        restless = self._playbook.is_open(name, self._time.now)
        return Outlook(now=self._time.now, server_next=self._time.next, restless=restless)

    def _hear(self) -> None:
        entries = self._story.hear()
        for entry in entries:
            self._say(Told.HISTORY, self._story.tell(entry), self._time.since(entry["at"]))
        if entries:
            self._crew.stir()

    def _decided(self, verdict: Verdict) -> None:
        seen = "" if verdict.held else f" — {verdict.seen}"
        self._say(Told.VERDICT, f"{verdict.expectation.title}{seen}", verdict=verdict)

    def _say(self, about: Told, text: str, at: timedelta | None = None, verdict: Verdict | None = None) -> None:
        happening = Happening(at=self._time.now if at is None else at, about=about, text=text, verdict=verdict)
        self._happenings.append(happening)
        self._tell(happening)
