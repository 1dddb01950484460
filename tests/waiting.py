"""Waiting for what another process or thread does: looked at until it is so, and never for a fixed time."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE = 60.0
FIRST_PAUSE, LONGEST_PAUSE = 0.005, 0.05


def until(look: Callable[[], T | None], what: str, patience: float = PATIENCE) -> T:
    """What `look` finds, as soon as it finds something."""
    deadline, pause = time.monotonic() + patience, FIRST_PAUSE
    while not (found := look()):
        assert time.monotonic() < deadline, f"not seen within {patience:g} s: {what}"
        time.sleep(pause)
        pause = min(1.5 * pause, LONGEST_PAUSE)
    return found
