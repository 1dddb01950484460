"""The playbook: which faults a client meets, and a log of what it asked meanwhile.

As long as it has neither a fault nor anybody who wants the log, the server does not know of it.
"""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import Protocol

from forewarn.domain.errors import NotFound, TooMany
from forewarn.domain.faults import Asked, Fault, Seen
from forewarn.imds.cases import Case, Meddler
from forewarn.imds.fleet import Fleet
from forewarn.imds.http import Head
from forewarn.imds.mischief import Past, spoil
from forewarn.imds.slots import Guest, Slot

MOST_FAULTS = 1000
KEPT_REQUESTS = 10_000
KEPT_DOCUMENTS = 64
LONGEST_BODY = 4096


class Meddled(Protocol):
    """The server, for who meddles with it."""

    def meddle(self, meddler: Meddler | None) -> None:
        """Every request is shown to the meddler from now on; None: to nobody."""
        ...


@dataclass(slots=True)
class _Rule:
    """A fault, and how far it has got with each machine."""

    fault: Fault
    met: dict[str, int] = field(default_factory=dict)
    spoilt: dict[str, int] = field(default_factory=dict)
    chances: dict[str, Random] = field(default_factory=dict)

    def strikes(self, guest: Guest, asked: Asked, now: datetime) -> bool:
        fault, name = self.fault, guest.machine.name
        concerned = fault.scope == guest.slot.scope and fault.machine in (None, name)
        if not concerned or fault.asked not in (Asked.ANY, asked) or (fault.until and now >= fault.until):
            return False
        self.met[name] = self.met.get(name, 0) + 1
        used = self.spoilt.get(name, 0)
        if self.met[name] <= fault.skip or (fault.requests is not None and used >= fault.requests):
            return False
        if fault.probability < 1 and self._chance(name).random() >= fault.probability:
            return False
        self.spoilt[name] = used + 1
        return True

    def _chance(self, name: str) -> Random:
        """Each machine has its own, so that what one meets does not depend on how often another asks."""
        return self.chances.setdefault(name, Random(f"{self.fault.seed} {name}"))  # noqa: S311


class Playbook:
    def __init__(
        self, fleet: Fleet, server: Meddled, *, now: Callable[[], datetime], monotonic: Callable[[], float]
    ) -> None:
        self._server = server
        self._now = now
        self._monotonic = monotonic
        self._began = monotonic()
        self._rules: dict[str, _Rule] = {}
        self._past: dict[str, Past] = {}
        self._seen: deque[Seen] = deque(maxlen=KEPT_REQUESTS)
        self._count = 0
        self._logs = False
        self._told: list[Callable[[Seen], object]] = []
        fleet.watch(self)

    # For who plays.

    @property
    def faults(self) -> Sequence[Fault]:
        return [rule.fault for rule in self._rules.values()]

    def spoilt(self, fault: str) -> int:
        """How many requests it has met."""
        rule = self._rules.get(fault)
        return sum(rule.spoilt.values()) if rule else 0

    def add(self, fault: Fault) -> None:
        if len(self._rules) >= MOST_FAULTS:
            raise TooMany(f"There are {MOST_FAULTS:,} faults already: take some back first.")
        self._rules[fault.id] = _Rule(fault)
        self._take_part()

    def remove(self, id: str) -> None:
        if self._rules.pop(id, None) is None:
            raise NotFound(f"There is no fault {id[:200]}.")
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
        """The number of the newest; they are counted even where they are not kept."""
        return self._count

    def requests(self, after: int = 0, machine: str | None = None) -> Iterator[Seen]:
        """In the order they came."""
        return (seen for seen in self._seen if seen.number > after and machine in (None, seen.machine))

    def on_request(self, tell: Callable[[Seen], object]) -> Callable[[], None]:
        """Told when one comes, and again when it is answered. Call what is returned to be told no longer."""
        self._told.append(tell)
        return lambda: self._told.remove(tell)

    def _take_part(self) -> None:
        self._server.meddle(self if self._rules or self._logs else None)

    # For the fleet.

    def machines_changed(self) -> None: ...

    def document_changed(self, slot: Slot) -> None:
        assert slot.document is not None, "it has just changed"
        self._past_of(slot).documents.append((self._now(), slot.document))

    # For the server.

    def meets(self, guest: Guest, head: Head, body: bytes, connection: int) -> Case:
        asked, now = asked_for(head), self._now()
        struck = [rule.fault for rule in self._rules.values() if rule.strikes(guest, asked, now)]
        case = Case(seen=self._see(guest, head, body, asked, struck, connection), told=self._tell)
        for fault in struck:
            spoil(case, fault, self._past_of(guest.slot), guest, self._now)
        self._tell(case.seen)
        return case

    def _see(
        self, guest: Guest, head: Head, body: bytes, asked: Asked, struck: Sequence[Fault], connection: int
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
            faults=tuple(dict.fromkeys(fault.kind.value for fault in struck)),
        )
        if self._logs:
            self._seen.append(seen)
        return seen

    def _tell(self, seen: Seen) -> None:
        for tell in list(self._told):
            tell(seen)

    def _past_of(self, slot: Slot) -> Past:
        past = self._past.get(slot.scope)
        if past is None:
            past = self._past[slot.scope] = Past(deque(maxlen=KEPT_DOCUMENTS))
            if slot.document is not None:
                past.documents.append((datetime.min.replace(tzinfo=UTC), slot.document))
        return past


def asked_for(head: Head) -> Asked:
    path = head.target.partition(b"?")[0].lower().rstrip(b"/")
    if path.endswith(b"/scheduledevents"):
        return Asked.APPROVAL if head.method == b"POST" else Asked.POLL
    return Asked.INSTANCE if b"/metadata/instance" in path else Asked.OTHER
