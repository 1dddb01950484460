"""Saying that this machine is ready for an event, until that is heard: the server may be away just then."""

from collections.abc import Callable
from time import monotonic

from forewarn.agent.peers import Peers
from forewarn.agent.records import Record

AGAIN = 5.0
"""Seconds before it is said again."""
BEING_SAID = float("inf")


class Herald:
    """Used by the agent's loop only; what takes time is done by `in_background`, and comes back through `post`."""

    def __init__(
        self,
        peers: Peers,
        in_background: Callable[[Callable[[], None]], None],
        post: Callable[[Callable[[], None]], None],
    ) -> None:
        self._peers = peers
        self._in_background = in_background
        self._post = post
        self._due: dict[str, float] = {}

    @property
    def is_busy(self) -> bool:
        return bool(self._due)

    def say(self, key: str) -> None:
        """From the next look on."""
        self._due[key] = monotonic()

    def forget(self, key: str) -> None:
        self._due.pop(key, None)

    def look(self, record: Record) -> None:
        if self._due.get(record.key, BEING_SAID) > monotonic():
            return
        if record.started:  # too late to be ready, or not
            self.forget(record.key)
            return
        self._due[record.key] = BEING_SAID
        self._in_background(lambda: self._tell(record))

    def _tell(self, record: Record) -> None:
        heard = self._peers.tell(record.event, record.me)
        self._post(lambda: self._told(record.key, heard))

    def _told(self, key: str, heard: bool) -> None:
        if heard:
            self.forget(key)
        elif key in self._due:
            self._due[key] = monotonic() + AGAIN
