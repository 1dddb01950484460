"""The playbook: which faults a client meets, and a log of what it asked meanwhile.

As long as it has neither a fault nor anybody who wants the log, the server does not know of it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import takewhile
from typing import Protocol
from weakref import WeakKeyDictionary

from forewarn.domain.errors import NotFound, TooMany
from forewarn.domain.events import Document
from forewarn.domain.faults import Asked, Fault, Seen
from forewarn.imds.cases import Case, Meddler, Shown
from forewarn.imds.fleet import Fleet
from forewarn.imds.http import Head
from forewarn.imds.mischief import Occasion, spoil
from forewarn.imds.rules import KEPT_DOCUMENTS, Past, Rule
from forewarn.imds.slots import Guest, Slot
from forewarn.imds.target import read_target

MOST_FAULTS = 1000
KEPT_REQUESTS = 10_000
LONGEST_BODY = 4096
_EVER = datetime.min.replace(tzinfo=UTC)

Told = Callable[[Seen | None], object]
"""Takes a request that has come or was answered; None: there will be no more."""


class Meddled(Protocol):
    """The server, for who meddles with it."""

    def meddle(self, meddler: Meddler | None) -> None:
        """Every request is shown to the meddler from now on; None: to nobody."""
        ...


class Playbook:
    def __init__(
        self, fleet: Fleet, server: Meddled, *, now: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        self._fleet = fleet
        self._server = server
        self._now = now
        self._monotonic = monotonic
        self._began = monotonic()
        self._rules: dict[str, Rule] = {}
        self._past: WeakKeyDictionary[Slot, Past] = WeakKeyDictionary()
        self._shown: Shown = WeakKeyDictionary()
        self._seen: deque[Seen] = deque(maxlen=KEPT_REQUESTS)
        self._count = 0
        self._logs = False
        self._told: list[Told] = []
        self._closed = False
        self._unwatch: Callable[[], None] | None = None  # None: it does not take part

    # For who plays.

    @property
    def faults(self) -> Sequence[Fault]:
        return [rule.fault for rule in self._rules.values()]

    def spoilt(self, fault: str) -> int:
        """How many requests it has met."""
        return self._rules[fault].spoilt if fault in self._rules else 0

    def add(self, faults: Sequence[Fault]) -> None:
        """All of them, or none."""
        if len(self._rules) + len(faults) > MOST_FAULTS:
            raise TooMany(f"There can be {MOST_FAULTS:,} faults at once: take some back first.")
        self._rules.update((fault.id, Rule(fault, self._fleet.slot_of(fault.scope))) for fault in faults)
        self._take_part()

    def remove(self, id: str) -> None:
        if self._rules.pop(id, None) is None:
            raise NotFound(f"There is no fault {id[:200]}. `forewarn faults` lists those there are.")
        self._take_part()

    def clear(self) -> None:
        self._rules.clear()
        self._take_part()

    def log(self, on: bool) -> None:
        """Whether requests are kept, the newest 10,000 of them."""
        self._logs = on
        self._seen.clear()
        self._take_part()

    @property
    def logs(self) -> bool:
        return self._logs

    @property
    def last_request(self) -> int:
        """The number of the newest; they are counted as long as somebody meddles, even where they are not kept."""
        return self._count

    def requests(self, after: int = 0) -> Iterator[Seen]:
        """In the order they came."""
        return reversed(list(takewhile(lambda seen: seen.number > after, reversed(self._seen))))

    def on_request(self, tell: Told) -> Callable[[], None]:
        """Told when one comes, and again when it is answered. Call what is returned to be told no longer."""
        self._told.append(tell)
        if self._closed:
            tell(None)
        return lambda: self._told.remove(tell)

    def close(self) -> None:
        """Nobody waits for a request any more."""
        self._closed = True
        self._tell(None)

    def _take_part(self) -> None:
        wanted = self._logs or any(not rule.is_over(self._now()) for rule in self._rules.values())
        if wanted and self._unwatch is None:
            self._unwatch = self._fleet.watch(self)
        self._server.meddle(self if wanted else None)
        if not wanted and self._unwatch is not None:
            self._unwatch()
            self._unwatch = None
            self._past.clear()
            self._shown.clear()

    # For the fleet.

    def machines_changed(self) -> None: ...

    def document_changed(self, slot: Slot, before: Document | None) -> None:
        assert slot.document is not None, "it has just changed"
        self._past_of(slot, before).append((self._now(), slot.document))

    # For the server.

    def meets(self, guest: Guest, head: Head, body: bytes, connection: int) -> Case:
        asked, now = asked_for(head), self._now()
        struck = [rule for rule in self._rules.values() if rule.strikes(guest, asked, now)]
        seen = self._see(guest, head, body, asked, struck, connection)
        case = Case(seen=seen, guest=guest, shown=self._shown, answered=self._tell)
        if struck:
            past = self._past_of(guest.slot, guest.slot.document)
            spoil(case, [Occasion(rule=r, course=r.course(guest), past=past, now=self._now) for r in struck])
        elif not self._logs and all(rule.is_over(now) for rule in self._rules.values()):
            self._take_part()
        self._tell(seen)
        return case

    def _see(
        self, guest: Guest, head: Head, body: bytes, asked: Asked, struck: Sequence[Rule], connection: int
    ) -> Seen:
        self._count += 1
        seen = Seen(
            number=self._count,
            at=self._now(),
            seconds=self._monotonic() - self._began,
            scope=guest.slot.scope,
            machine=guest.machine.name,
            asked=asked,
            method=head.method.decode(),
            target=head.target.decode(),
            fields={name.decode(): value.decode() for name, value in head.fields.items()},
            body=body[:LONGEST_BODY].decode(errors="replace"),
            connection=connection,
            faults=tuple(dict.fromkeys(rule.fault.kind.value for rule in struck)),
        )
        if self._logs:
            self._seen.append(seen)
        return seen

    def _past_of(self, slot: Slot, document: Document | None) -> Past:
        """`document`: the one there was until now, if nothing is known of the scope yet."""
        past = self._past.get(slot)
        if past is None:
            past = self._past[slot] = deque([(_EVER, document)] if document else [], maxlen=KEPT_DOCUMENTS)
        return past

    def _tell(self, seen: Seen | None) -> None:
        for tell in list(self._told):
            tell(seen)


def asked_for(head: Head) -> Asked:
    target = read_target(head.target)
    path = "" if target is None else target.path.lower().removesuffix("/")
    if path.startswith("/metadata/") and path.endswith("/scheduledevents"):
        return {b"GET": Asked.POLL, b"POST": Asked.APPROVAL}.get(head.method, Asked.OTHER)
    return Asked.INSTANCE if path == "/metadata/instance" or path.startswith("/metadata/instance/") else Asked.OTHER
