"""Whether a document may be an old copy.

Its count went down: it has begun anew, which also happens, or somebody kept the document and handed it out again. What
an old copy does not tell of need not be over, and to restore too early is worse than to restore a little late. So what
is gone from such a document is believed to be over only after a while; what is in it counts at once.
"""

from collections.abc import Callable

SECONDS = 30.0
UNKNOWN = -1


class Doubt:
    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._highest = UNKNOWN
        self._until: float | None = None

    def see(self, incarnation: int) -> None:
        """Of the document that has just come."""
        if UNKNOWN < incarnation < self._highest and not self._is_over:
            self._until = self._monotonic() + SECONDS if self._until is None else self._until
        else:
            self._highest, self._until = incarnation, None

    @property
    def holds(self) -> bool:
        return self._until is not None and not self._is_over

    @property
    def _is_over(self) -> bool:
        return self._until is not None and self._monotonic() >= self._until
