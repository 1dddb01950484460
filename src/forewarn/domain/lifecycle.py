"""The state machine of an event, as a table. A phase changes here and nowhere else.

Stores, front ends and drivers carry facts to it; what a fact means in each phase is read from TRANSITIONS.
"""

from datetime import datetime
from enum import Enum

from msgspec.structs import replace

from forewarn.domain.errors import Conflict
from forewarn.domain.events import Event, Phase


class Fact(Enum):
    START = "start"  # approved as its rule needs, or NotBefore has come
    CANCEL = "cancel"  # called off
    COMPLETE = "complete"  # the drivers are done
    FAIL = "fail"  # the drivers gave up


BIRTHS = frozenset({Phase.SCHEDULED, Phase.STARTED})
"""How an event may come into the world: with notice; or without, for a hardware failure or where a policy waives it."""

TRANSITIONS: dict[Phase, dict[Fact, Phase]] = {
    Phase.SCHEDULED: {Fact.START: Phase.STARTED, Fact.CANCEL: Phase.CANCELED},
    Phase.STARTED: {Fact.COMPLETE: Phase.COMPLETED, Fact.FAIL: Phase.FAILED},
    Phase.COMPLETED: {},
    Phase.CANCELED: {},
    Phase.FAILED: {},
}


def step(event: Event, fact: Fact, now: datetime) -> Event:
    """The event after the fact, or Conflict where the table has no such cell."""
    phase = TRANSITIONS[event.phase].get(fact)
    if phase is None:
        raise Conflict(
            "Event {event} is {phase}: this is not the time to {fact} it.",
            key="not_the_time",
            event=event.id,
            phase=event.phase.value,
            fact=fact.value,
        )
    if phase is Phase.STARTED:
        return replace(event, phase=phase, started_at=now)
    return replace(event, phase=phase, ended_at=now)
