"""The whole examination: the client is got to know, then checked, several at a time."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from queue import Empty, SimpleQueue
from threading import Lock

from forewarn.testing.doctor.catalogue import chosen
from forewarn.testing.doctor.checks import Check, DoesNotApply, NotTried
from forewarn.testing.doctor.findings import Finding, Moment, Report, Verdict
from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.learning import learn
from forewarn.testing.doctor.orders import CannotRun, Orders
from forewarn.testing.doctor.trial import Trial, Wrong, under_trial

Tell = Callable[[str], None]


def examine(orders: Orders, tell: Tell = lambda text: None) -> Report:
    """`tell` is given what is going on, a line at a time. CannotRun if there is nothing to judge."""
    began = time.monotonic()
    checks = chosen(orders.only, orders.skip)
    tell("getting to know the client")
    habits, by = learn(orders)
    surgery = Surgery(orders, habits, checks, tell)
    found = surgery.work()
    return Report(
        command=orders.command,
        by=by,
        habits=habits,
        findings=[found[check.id] for check in checks],
        seconds=time.monotonic() - began,
    )


class Surgery:
    """Hands out the checks to some workers, each with a client of its own at hand."""

    def __init__(self, orders: Orders, habits: Habits, checks: Sequence[Check], tell: Tell) -> None:
        self._orders = orders
        self._habits = habits
        self._count = len(checks)
        self._tell = tell
        self._found: dict[str, Finding] = {}
        self._lock = Lock()
        self._waiting: SimpleQueue[Check] = SimpleQueue()
        self._alone: list[Check] = []  # could not be made beside others
        for check in sorted(checks, key=lambda check: not check.slow):
            self._waiting.put(check)

    def work(self) -> dict[str, Finding]:
        jobs = max(1, min(self._orders.jobs, self._count))
        with ThreadPoolExecutor(jobs, "doctor") as pool:
            for done in [pool.submit(self._worker, alone=jobs == 1) for _ in range(jobs)]:
                done.result()
        for check in self._alone:
            self._waiting.put(check)
        self._worker(alone=True)
        return self._found

    def _worker(self, *, alone: bool) -> None:
        with ExitStack() as owned:
            bed = owned.enter_context(beds(self._orders))
            while True:
                try:
                    check = self._waiting.get_nowait()
                except Empty:
                    return
                finding = self._examine(check, bed)
                with self._lock:
                    if finding.verdict is Verdict.NOT_TRIED and not alone:
                        self._alone.append(check)
                        continue
                    self._found[check.id] = finding
                    self._tell(f"{len(self._found)} of {self._count}: {check.id} {finding.verdict.value}")

    def _examine(self, check: Check, bed: "Bed") -> Finding:
        habits = self._habits
        if habits.trouble and not check.without_events:
            return Finding(id=check.id, title=check.title, verdict=Verdict.NOT_TRIED, reason=habits.trouble)
        if reason := check.applies(habits):
            return Finding(id=check.id, title=check.title, verdict=Verdict.DOES_NOT_APPLY, reason=reason)
        try:
            trial = bed.for_check(check, replace(habits, type=check.type or habits.type))
        except CannotRun as error:
            return Finding(id=check.id, title=check.title, verdict=Verdict.NOT_TRIED, reason=str(error))
        used = trial.used
        finding = judged(check, trial)
        fit = finding.verdict in (Verdict.PASSED, Verdict.DOES_NOT_APPLY)
        bed.is_left(fit=fit)
        if used and not fit:  # what a check before it has left behind is not this one's finding
            return self._examine(check, bed)
        return finding


class Bed:
    """One client after another. One that did nothing wrong is kept for the next check."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._owned = ExitStack()
        self._trial: Trial | None = None

    def for_check(self, check: Check, habits: Habits) -> Trial:
        kept = self._trial
        if kept is not None and not check.starts and kept.habits == habits:
            return kept
        self.close()
        self._trial = self._owned.enter_context(under_trial(self._orders, habits))
        self._trial.begin()
        if not check.starts:
            self._trial.start()
            self._trial.begins_to_ask()
        return self._trial

    def is_left(self, *, fit: bool) -> None:
        if not (fit and self._trial is not None and self._trial.settles()):
            self.close()

    def close(self) -> None:
        self._trial = None
        self._owned.close()


@contextmanager
def beds(orders: Orders) -> Iterator[Bed]:
    bed = Bed(orders)
    try:
        yield bed
    finally:
        bed.close()


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
    evidence: list[Moment] = trial.evidence
    return Finding(
        id=check.id,
        title=check.title,
        verdict=verdict,
        reason=reason,
        seconds=time.monotonic() - began,
        evidence=evidence,
    )
