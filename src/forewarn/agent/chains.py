"""Running the steps of an event, in order before it and in reverse order after it.

The journal is written before a step begins and after it has ended, so whoever comes after a crash knows where to go
on. A step that two events need is prepared once, and restored when the last of them is over.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from forewarn.agent.config import OnFailure, StepSpec
from forewarn.agent.errors import JournalError, StepTrouble, Stopped, Suspended
from forewarn.agent.journal import Journal
from forewarn.agent.records import TOUCHED, Happened, Progress, Record, StepRecord
from forewarn.agent.timing import Slot, plan
from forewarn.agent.turning import ATurn, Halt, StepLocks
from forewarn.agent.turns import RunsOn, Step
from forewarn.client.documents import Event

RESTORE_PAUSES = (1.0, 5.0)
"""Seconds before a restore that failed is tried again."""


@dataclass(kw_only=True, slots=True)
class Chain:
    """The steps of one event. `prepare` and `restore` run in a thread of their own; `call_off` comes from another."""

    journal: Journal
    key: str
    spool: Path
    build: Callable[[StepSpec], Step]
    locks: StepLocks
    available: Callable[[Event], timedelta | None]
    """What is left until an event may start, less the margin."""
    log: logging.LoggerAdapter[logging.Logger]
    halt: Halt = field(default_factory=Halt)

    def call_off(self) -> None:
        """The event is over, or has started: what runs is ended."""
        self.halt.raise_(Stopped("it was called off"))

    def suspend(self) -> None:
        """The agent is stopping: what runs by itself may run on."""
        self.halt.raise_(Suspended("the agent is stopping"))

    def prepare(self) -> Happened:
        """Raises Stopped when it is called off; the journal then tells where to go on."""
        self._warn()
        for step in self._record().steps:
            begun = step.progress not in (Progress.WAITING, Progress.PREPARING)
            progress = step.progress if begun else self._prepare(step)
            if progress is not Progress.PREPARED and self._stops(step):
                return Happened.FAILED
        return Happened.PREPARED

    def restore(self) -> Happened:
        for step in reversed(self._record().steps):
            if step.progress in TOUCHED:
                self._restore(step)
        return Happened.RESTORED

    def _warn(self) -> None:
        record = self._record()
        chain = [step.spec for step in record.steps if step.progress is Progress.WAITING]
        for slot in plan(chain, self.available(record.event), urgent=record.urgent):
            if slot.warning:
                self.log.warning("%s", slot.warning)

    def _prepare(self, step: StepRecord) -> Progress:
        slot = self._slot(step)
        if slot.limit is None:
            return self._ended(step, Progress.SKIPPED, slot.warning or "left out of the short path")
        try:
            turn = self._turn(step, "prepare", slot.limit)
            with self.locks.held(step.spec.name, turn.pause):
                return self._prepare_alone(step, turn)
        except (Stopped, JournalError):
            raise
        except StepTrouble as error:
            return self._ended(step, Progress.FAILED, str(error))
        except Exception as error:
            self.log.exception("%s failed in a way it should not", step.spec.name)
            return self._ended(step, Progress.FAILED, f"{type(error).__name__}: {error}")

    def _prepare_alone(self, step: StepRecord, turn: ATurn) -> Progress:
        shared = next((held for record in self._others() if (held := record.held(step.spec))), None)
        if shared is not None and step.progress is Progress.WAITING:
            if shared.progress is Progress.PREPARED:
                self.journal.take_over(self.key, step.position, shared)
                return Progress.PREPARED
            turn.keep(**shared.kept)  # it was begun: only who began it knows what was before
        begun = self.journal.step(self.key, step.position, Progress.PREPARING, again=True)
        turn.attempt = begun.attempts
        self.log.info("%s: preparing", step.spec.name)
        self.build(step.spec).prepare(turn)
        return self._ended(step, Progress.PREPARED, "")

    def _restore(self, step: StepRecord) -> None:
        limit = step.spec.restore_limit or step.spec.limit
        for number, pause in enumerate((*RESTORE_PAUSES, None), 1):
            try:
                turn = self._turn(step, f"restore-{number}", limit)  # each try has a spool of its own
                with self.locks.held(step.spec.name, turn.pause):
                    return self._restore_alone(step, turn)
            except (Stopped, JournalError):
                raise
            except Exception as error:
                self.log.warning("%s: could not restore: %s", step.spec.name, error)
                if pause is None:
                    self._ended(step, Progress.UNRESTORED, str(error))
                elif self.halt.wait(pause):
                    raise self.halt.reason from None
        return None

    def _restore_alone(self, step: StepRecord, turn: ATurn) -> None:
        if any(record.needs(step.spec) for record in self._others()):
            self._ended(step, Progress.HANDED_ON, "another event needs it")
            return
        begun = self.journal.step(self.key, step.position, Progress.RESTORING, again=True)
        turn.attempt = begun.attempts
        self.log.info("%s: restoring", step.spec.name)
        built = self.build(step.spec)
        if step.progress is Progress.PREPARING and isinstance(built, RunsOn):
            built.end(self._turn(step, "prepare", step.spec.limit))
        built.restore(turn)
        self._ended(step, Progress.RESTORED, "")

    def _slot(self, step: StepRecord) -> Slot:
        """Planned anew before each step: what the steps before it did not use is there for the rest."""
        record = self._record()
        rest = [one.spec for one in record.steps[step.position :]]
        return plan(rest, self.available(record.event), urgent=record.urgent)[0]

    def _stops(self, step: StepRecord) -> bool:
        """Whether the chain ends where this step was not prepared. To leave it out of the short path is no failure."""
        left_out = self._record().urgent and step.spec.on_short_path == timedelta()
        return step.spec.on_failure is OnFailure.STOP and not left_out

    def _others(self) -> list[Record]:
        return [record for record in self.journal.records() if record.key != self.key]

    def _turn(self, step: StepRecord, purpose: str, limit: timedelta) -> ATurn:
        record = self._record()
        spool = self.spool / self.key / f"{step.position}-{purpose}"
        spool.mkdir(parents=True, exist_ok=True, mode=0o700)
        return ATurn(
            event=record.event,
            me=record.me,
            attempt=1,
            spool=spool,
            kept=step.kept,
            _limit=limit.total_seconds(),
            _halt=self.halt,
            _keep=lambda facts: self.journal.keep(self.key, step.position, facts),
            _say=lambda text: self.log.info("%s: %s", step.spec.name, text),
        )

    def _ended(self, step: StepRecord, progress: Progress, note: str) -> Progress:
        self.journal.step(self.key, step.position, progress, note)
        if progress in (Progress.FAILED, Progress.SKIPPED, Progress.UNRESTORED):
            self.log.warning("%s: %s: %s", step.spec.name, progress.value, note)
        else:
            self.log.info("%s: %s", step.spec.name, progress.value)
        return progress

    def _record(self) -> Record:
        return self.journal.known(self.key)
