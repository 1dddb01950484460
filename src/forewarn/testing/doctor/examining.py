"""The whole examination: the client is got to know, then checked, several at a time."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Lock

from forewarn.testing.doctor.beds import Bed, bed_for
from forewarn.testing.doctor.catalogue import chosen
from forewarn.testing.doctor.checks import Check
from forewarn.testing.doctor.findings import DoesNotApply, Finding, NotTried, Report, Verdict, Wrong
from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.learning import learn
from forewarn.testing.doctor.orders import CannotRun, Orders
from forewarn.testing.doctor.trial import Trial

Tell = Callable[[str], None]


def examine(orders: Orders, tell: Tell = lambda text: None) -> Report:
    """`tell` is given what is going on, a line at a time. CannotRun if there is nothing to judge."""
    began = time.monotonic()
    checks = chosen(orders.only, orders.skip)
    with ExitStack() as owned:
        beds = [owned.enter_context(bed_for(orders)) for _ in range(max(1, min(orders.jobs, len(checks))))]
        tell("getting to know the client")
        habits, by = learn(orders, beds[0])
        found = Surgery(habits, beds, checks, tell).work()
    return Report(
        command=orders.command,
        by=by,
        habits=habits,
        findings=[found[check.id] for check in checks],
        seconds=time.monotonic() - began,
    )


class Surgery:
    """Hands out the checks to some workers, each with a client of its own."""

    def __init__(self, habits: Habits, beds: Sequence[Bed], checks: Sequence[Check], tell: Tell) -> None:
        self._habits = habits
        self._beds = beds
        self._count = len(checks)
        self._tell = tell
        self._found: dict[str, Finding] = {}
        self._lock = Lock()
        self._waiting: SimpleQueue[Check] = SimpleQueue()
        self._alone: list[Check] = []  # could not be made beside others
        self._over = False
        for check in sorted(checks, key=lambda check: not check.slow):
            self._waiting.put(check)

    def work(self) -> dict[str, Finding]:
        first, *others = self._beds
        with ThreadPoolExecutor(len(self._beds), "doctor") as pool:
            try:
                for done in [pool.submit(self._work_at, bed, alone=not others) for bed in self._beds]:
                    done.result()
            except BaseException:
                self._stop()
                raise
        for check in self._alone:
            self._waiting.put(check)
        self._work_at(first, alone=True)
        return self._found

    def _stop(self) -> None:
        self._over = True
        for bed in self._beds:
            bed.interrupt()

    def _work_at(self, bed: Bed, *, alone: bool) -> None:
        while not self._over:
            try:
                check = self._waiting.get_nowait()
            except Empty:
                break
            self._note(check, self._examine(check, bed), alone)
        bed.close()

    def _note(self, check: Check, finding: Finding, alone: bool) -> None:
        with self._lock:
            if finding.verdict is Verdict.NOT_TRIED and not alone:
                self._alone.append(check)
                return
            self._found[check.id] = finding
            self._tell(f"{len(self._found)} of {self._count}: {check.id} {finding.verdict.value}")

    def _examine(self, check: Check, bed: Bed) -> Finding:
        habits = self._habits
        if habits.trouble and not check.without_events:
            return Finding(id=check.id, title=check.title, verdict=Verdict.NOT_TRIED, reason=habits.trouble)
        if reason := check.applies(habits):
            return Finding(id=check.id, title=check.title, verdict=Verdict.DOES_NOT_APPLY, reason=reason)
        try:
            trial = bed.for_client(replace(habits, type=check.type or habits.type), started=not check.starts)
        except CannotRun as error:
            bed.close()
            return Finding(id=check.id, title=check.title, verdict=Verdict.NOT_TRIED, reason=str(error))
        used = trial.used
        finding = judged(check, trial)
        fit = finding.verdict in (Verdict.PASSED, Verdict.DOES_NOT_APPLY)
        bed.is_left(fit=fit)
        if used and not fit and not self._over:  # what a check before it has left behind is not this one's finding
            return self._examine(check, bed)
        return finding


def judged(check: Check, trial: Trial) -> Finding:
    trial.begin()
    began = time.monotonic()
    verdict, reason = Verdict.PASSED, ""
    try:
        check.play(trial)
    except Wrong as wrong:
        verdict, reason = Verdict.FAILED, str(wrong)
    except DoesNotApply as why:
        verdict, reason = Verdict.DOES_NOT_APPLY, str(why)
    except (NotTried, CannotRun) as why:
        verdict, reason = Verdict.NOT_TRIED, str(why)
    return Finding(
        id=check.id,
        title=check.title,
        verdict=verdict,
        reason=reason,
        seconds=time.monotonic() - began,
        evidence=trial.evidence,
    )
