"""What the doctor is told: which client, how it is reached, how it shows that it has prepared, and how long it gets."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from forewarn.testing.doctor.probes import Probe

TYPES = ("Reboot", "Redeploy", "Freeze", "Terminate", "Preempt")


class CannotRun(Exception):
    """There is nothing to judge: the client does not start, or never asks. The text tells what it said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Orders:
    command: Sequence[str]
    """`{metadata}`, `{machine}` and `{directory}` in it stand for the address, its name, and a directory of its own."""
    by: str = "auto"
    probe: Probe | None = None
    types: Sequence[str] = TYPES
    """Of events, that it may act on; those in front are tried first."""
    approves: bool = False
    """It is meant to: never to approve is then wrong, and not just its way."""
    settling: float = 30.0
    """Seconds that it has to begin to ask."""
    patience: float = 45.0
    """Seconds that it has to do what it should, after whatever went wrong."""
    reaction: float = 5.0
    """Seconds after which it is believed to do nothing about a type of event."""
    slowest: float = 10.0
    """Seconds between two of its questions, at most."""
    first_answer: float = 10.0
    """Seconds that the first answer takes."""
    jobs: int = 4
    """Clients that run at once."""
    only: Sequence[str] = ()
    skip: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict)
