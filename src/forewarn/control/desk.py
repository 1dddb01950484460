"""What the handlers work with."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from forewarn.access.entrance import Entrance
from forewarn.access.service import Access
from forewarn.control.census import Census
from forewarn.control.exposition import Family
from forewarn.domain.faults import Fault, Seen
from forewarn.domain.machines import Machine
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.hub import Hub
from forewarn.engine.player import Player


class Book(Protocol):
    """The metadata service's playbook of faults and log of requests."""

    @property
    def faults(self) -> Sequence[Fault]: ...

    def spoilt(self, fault: str) -> int:
        """How many requests it has met."""
        ...

    def add(self, faults: Sequence[Fault]) -> None:
        """All of them, or none."""
        ...

    def remove(self, id: str) -> None: ...

    def clear(self) -> None: ...

    @property
    def logs(self) -> bool: ...

    def log(self, on: bool) -> None: ...

    @property
    def last_request(self) -> int:
        """The number of the newest."""
        ...

    def requests(self, after: int = 0) -> Iterable[Seen]: ...

    def on_request(self, tell: Callable[[Seen | None], object]) -> Callable[[], None]:
        """Told when one comes, and again when it is answered; of None, if there will be no more."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Desk:
    engine: Engine
    access: Access
    entrance: Entrance
    player: Player
    clock: FleetClock
    hub: Hub
    census: Census
    new_id: Callable[[], str]
    version: str
    metadata_url: Callable[[Machine], str]  # where a machine finds its own document
    fail_next: Callable[[str, str, int], None] | None = None  # (scope, machine, times); None: it cannot be told
    book: Book | None = None  # None: this fleet's clients are not to be tried
    driver: object = None  # as it was declared
    alive: Callable[[], Mapping[str, bool]] = dict  # the parts that must run, and whether they do
    more_metrics: Callable[[], Iterable[Family]] = tuple
    served: Counter[tuple[str, str]] = field(default_factory=Counter)  # requests, by method and class of status
    patience: float = 20.0  # seconds of real time that a watcher may leave unread what fills all buffers
