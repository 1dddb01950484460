"""What a client does when nothing is wrong: the measure for everything after."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class Habits:
    interval: float = 1.0
    """Seconds between two questions, usually."""
    version: str = ""
    """Of the API that it asks for."""
    type: str = "Reboot"
    """Of the events that it is tried with: the first that it did something about."""
    approves: bool = False
    latency: float = 0.0
    """Seconds from an event's announcement to its approval, or to the end of its preparation."""
    prepares: bool | None = None
    """None: nobody said how that can be seen."""
    undoes: bool = False
    """What it prepared, when the event is over."""
    approves_others: bool = False
    """Events that do not name its machine; that is counted against it once, and not again in every other check."""
    trouble: str = ""
    """Why it cannot be shown events at all."""

    @property
    def reacts(self) -> bool:
        return self.approves or bool(self.prepares)

    def told(self) -> dict[str, Any]:
        return {
            "interval": round(self.interval, 3),
            "version": self.version,
            "type": self.type,
            "approves": self.approves,
            "latency": round(self.latency, 3),
            "prepares": self.prepares,
            "undoes": self.undoes,
        }
