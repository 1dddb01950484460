"""How long an answer is waited for, which troubles pass by themselves, and how often they are tried again.

`STATUSES` is the whole rule. A status that is not in it is final: asking again unchanged would be answered the same.
"""

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from forewarn.client.alarm import Alarm, wait_for


@dataclass(frozen=True, kw_only=True, slots=True)
class Retry:
    """Seconds. Each delay is twice the one before, up to `longest`, and up to half as long again by chance."""

    first: float = 1.0
    longest: float = 16.0
    total: float = 70.0
    """From the first failure on; then it is given up."""

    def delay(self, failures: int, rng: random.Random) -> float:
        """After that many failures in a row. Never less than `first`: nobody is asked more than once a second."""
        return min(self.first * 2.0 ** min(failures - 1, 32), self.longest) * rng.uniform(1.0, 1.5)


STATUSES: Mapping[int, Retry] = {
    404: Retry(total=20.0),  # a host that is starting; later it is no metadata service
    408: Retry(),
    410: Retry(first=2.0, longest=8.0),  # the host's service is being updated: Azure says up to 70 seconds
    429: Retry(),
    500: Retry(),  # and every 5xx
}


class Pace(Protocol):
    """What makes waiting real; a test has its own."""

    def monotonic(self) -> float: ...

    def sleep(self, seconds: float, alarm: Alarm | None) -> None:
        """Or until the alarm rings."""


class RealPace:
    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float, alarm: Alarm | None) -> None:
        wait_for(seconds, alarm)


@dataclass(frozen=True, kw_only=True, slots=True)
class Patience:
    connect: float = 5.0
    """Seconds for the connection."""
    first: float = 130.0
    """Seconds for the first document: enrolling a machine takes a host up to two minutes."""
    answer: float = 15.0
    """Seconds for every other answer."""
    broken: Retry = Retry(longest=8.0)
    """No connection, one that ended early, or no answer in time."""
    unreadable: Retry = Retry()
    """An answer of nothing, or of something else."""
    statuses: Mapping[int, Retry] = field(default_factory=lambda: STATUSES)
    pace: Pace = field(default_factory=RealPace)

    def with_status(self, status: int) -> Retry | None:
        """None if asking again is in vain."""
        return self.statuses.get(status) or (self.statuses.get(500) if status >= 500 else None)


PATIENCE = Patience()
