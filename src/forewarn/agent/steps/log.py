"""A line in the log, before and after."""

from dataclasses import dataclass

from forewarn.agent.templates import fill
from forewarn.agent.turns import Turn


@dataclass(frozen=True, kw_only=True, slots=True)
class Log:
    prepare_text: str = "{type} {event} of {resources}: not before {not_before}"
    """The line to prepare. `{type}` and the like are filled in."""
    restore_text: str = "{type} {event} is over"
    """The line to restore."""

    def prepare(self, turn: Turn) -> None:
        turn.say(fill(self.prepare_text, turn.event, turn.me))

    def restore(self, turn: Turn) -> None:
        turn.say(fill(self.restore_text, turn.event, turn.me))

    def told(self) -> tuple[str, str]:
        return f"log {self.prepare_text!r}", f"log {self.restore_text!r}"
