"""Whether the agent's loop really turns: it is given something to do, and must do it."""

import threading
from collections.abc import Callable


class Pulse:
    def __init__(self, post: Callable[[Callable[[], None]], None]) -> None:
        self._post = post
        self._lock = threading.Lock()
        self._beat: threading.Event | None = None

    def beats(self, within: float) -> bool:
        """At most one question is under way, so a loop that stands still is not buried under them."""
        with self._lock:
            if self._beat is None or self._beat.is_set():
                self._beat = threading.Event()
                self._post(self._beat.set)
            beat = self._beat
        return beat.wait(within)
