"""What a check is."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.trial import Trial


class Need(Enum):
    """What a client must do for a check to make sense; else the reason why it does not apply."""

    REACTS = "It neither approves an event of its own nor, as far as can be seen, prepares for it."
    APPROVES = "It approves nothing: an observer."
    PROBE = "Nobody said how to see that it has prepared; --prepared does."
    PREPARES = "It does not prepare for an event of its own, as far as can be seen."
    OWN_ONLY = "It approves other machines' events anyway."

    def is_met(self, habits: Habits) -> bool:
        match self:
            case Need.REACTS:
                return habits.reacts
            case Need.APPROVES:
                return habits.approves
            case Need.PROBE:
                return habits.prepares is not None
            case Need.PREPARES:
                return bool(habits.prepares)
            case Need.OWN_ONLY:
                return not habits.approves_others


class Part(Enum):
    """Of the catalogue."""

    ASKING = "How it asks"
    ACTING = "Whose events, and in which order"
    STORIES = "What happens to machines"
    FAULTS = "What goes wrong on the way"


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    id: str
    part: Part
    title: str
    """What a right client does, as the rest of a sentence that begins with it."""
    why: str
    how: str
    play: Callable[[Trial], None]
    """Raises Wrong, DoesNotApply or NotTried."""
    needs: tuple[Need, ...] = ()
    type: str = ""
    """Of the events it is made with; "" for the one that the client is known to act on."""
    starts: bool = False
    """It starts the client itself, and needs a new one."""
    slow: bool = False
    """It takes long, and is begun first where several run at once."""
    without_events: bool = False
    """It can be made with a client that does not live through an event."""

    def applies(self, habits: Habits) -> str:
        """ "", or why not."""
        return next((need.value for need in self.needs if not need.is_met(habits)), "")
