"""What a step is, and what it is given when its turn comes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from forewarn.client.documents import Event

Fact = str | int | float | bool | None | list["Fact"] | dict[str, "Fact"]
"""What the journal can keep."""


class Turn(Protocol):
    """One run of one step, to prepare or to restore. All waiting goes through it, so that a step can be called off."""

    @property
    def event(self) -> Event: ...

    @property
    def me(self) -> str:
        """This machine, as events name it."""

    @property
    def attempt(self) -> int:
        """1, or more if the agent went down in the middle of the runs before."""

    @property
    def spool(self) -> Path:
        """A directory for this step, this event and this direction alone. What is put there outlives the agent."""

    @property
    def kept(self) -> Mapping[str, Fact]:
        """What the step has kept so far; to restore, also what it kept while it prepared."""

    def keep(self, **facts: Fact) -> None:
        """Into the journal, durable when this returns. Call it before an effect that only we must undo."""

    def left(self) -> float:
        """Seconds until the limit, never below nothing."""

    def pause(self, seconds: float) -> None:
        """Wait so long, or until the limit. Raises TimeIsUp at the limit and Stopped when the step is called off."""

    def say(self, text: str) -> None:
        """For the log and for who asks for the status."""


class Step(Protocol):
    """Something to do before an event, and its undoing.

    Both may run again after a crash, and `restore` also after a `prepare` that failed half-way: they must come to the
    same end. They raise StepFailed with words a person can act on.
    """

    def prepare(self, turn: Turn) -> None: ...

    def restore(self, turn: Turn) -> None: ...

    def told(self) -> tuple[str, str]:
        """What prepare and restore do, each in a line for `forewarn agent check`; "" for nothing."""


@runtime_checkable
class RunsOn(Protocol):
    """A step whose work goes on when the agent is stopped."""

    def end(self, turn: Turn) -> None:
        """Ends what a prepare that was broken off has left running; the turn is that prepare's."""
