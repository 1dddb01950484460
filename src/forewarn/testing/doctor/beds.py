"""Where one client after another lies. One that did nothing wrong stays for the next check: some take long to start."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.orders import CannotRun, Orders
from forewarn.testing.doctor.staging import under_trial
from forewarn.testing.doctor.trial import Trial


class Bed:
    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._owned = ExitStack()
        self._trial: Trial | None = None
        self._over = False

    def for_client(self, habits: Habits, *, started: bool = True) -> Trial:
        """CannotRun if it does not start. Not `started`: the check does that itself, with a new one."""
        kept = self._trial
        if kept is not None and started and kept.habits == habits:
            return kept
        self.close()
        if self._over:
            raise CannotRun("The examination was broken off.")
        self._trial = self._owned.enter_context(under_trial(self._orders, habits))
        if started:
            self._trial.start()
            self._trial.begins_to_ask()
        return self._trial

    def is_left(self, *, fit: bool) -> None:
        """`fit`: for another check."""
        if not (fit and self._trial is not None and self._trial.settles()):
            self.close()

    def interrupt(self) -> None:
        """From another thread: what is waited for will not come any more."""
        self._over = True
        if self._trial is not None:
            self._trial.end()

    def close(self) -> None:
        self._trial = None
        self._owned.close()


@contextmanager
def bed_for(orders: Orders) -> Iterator[Bed]:
    bed = Bed(orders)
    try:
        yield bed
    finally:
        bed.close()
