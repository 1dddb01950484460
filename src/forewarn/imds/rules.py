"""A fault at work: whom it strikes, how often, and what it has to remember of that."""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from weakref import WeakKeyDictionary

from forewarn.domain.events import Document
from forewarn.domain.faults import Asked, Fault
from forewarn.imds.slots import Guest, Slot

KEPT_DOCUMENTS = 64

Past = deque[tuple[datetime, Document]]
"""The documents there were, and since when; the last one is the one there is."""


@dataclass(slots=True)
class Course:
    """How far a fault has got with one machine."""

    chance: Random
    met: int = 0
    spoilt: int = 0
    told: Document | None = None  # last, if some events are kept from it


@dataclass(slots=True)
class Rule:
    fault: Fault
    slot: Slot | None  # the scope's, as long as it is the same scope
    before: Document | None = None  # what there was when it began
    spoilt: int = 0  # requests of all machines
    courses: WeakKeyDictionary[Guest, Course] = field(default_factory=WeakKeyDictionary)

    def __post_init__(self) -> None:
        self.before = self.slot.document if self.slot else None

    def is_over(self, now: datetime) -> bool:
        return self.fault.until is not None and now >= self.fault.until

    def strikes(self, guest: Guest, asked: Asked, now: datetime) -> bool:
        fault = self.fault
        concerned = fault.scope == guest.slot.scope and fault.machine in (None, guest.machine.name)
        if not concerned or fault.asked not in (Asked.ANY, asked) or self.is_over(now):
            return False
        course = self.course(guest)
        course.met += 1
        if course.met <= fault.skip or (fault.requests is not None and course.spoilt >= fault.requests):
            return False
        if fault.probability < 1 and course.chance.random() >= fault.probability:
            return False
        course.spoilt += 1
        self.spoilt += 1
        return True

    def course(self, guest: Guest) -> Course:
        if guest.slot is not self.slot:  # another scope of the same name
            self.slot, self.before = guest.slot, guest.slot.document
        course = self.courses.get(guest)
        if course is None:
            course = self.courses[guest] = Course(self._chance(guest))
        return course

    def _chance(self, guest: Guest) -> Random:
        """Each machine has its own, so that what one meets does not depend on how often another asks."""
        fault = self.fault
        return Random(f"{fault.seed} {fault.kind.value} {fault.scope} {guest.machine.name}")  # noqa: S311
