"""What time it is for the server: deadlines are the server's, and the machine's own clock may be wrong."""

from collections.abc import Callable
from datetime import datetime, timedelta


class ServerClock:
    """The date of the latest answer, and what has passed since by a clock that nobody sets.

    `wall` is asked only as long as no answer has had a date.
    """

    def __init__(self, monotonic: Callable[[], float], wall: Callable[[], datetime]) -> None:
        self._monotonic = monotonic
        self._wall = wall
        self._heard: tuple[datetime, float] | None = None

    def hear(self, date: datetime | None) -> None:
        """Of an answer that has just come; None if it had none."""
        if date is not None:
            self._heard = date, self._monotonic()

    @property
    def is_servers(self) -> bool:
        """Whether the server has said what time it is; if not, it is this machine's."""
        return self._heard is not None

    def now(self) -> datetime:
        """Up to a second slow: the dates of answers are whole seconds."""
        if self._heard is None:
            return self._wall()
        date, at = self._heard
        return date + timedelta(seconds=self._monotonic() - at)

    def left(self, moment: datetime) -> timedelta:
        """Negative once it has passed."""
        return moment - self.now()
