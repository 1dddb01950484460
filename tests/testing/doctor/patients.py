"""Clients for the doctor to examine, and how they are started."""

import sys
from pathlib import Path
from typing import Any

from forewarn.testing.doctor import Orders
from forewarn.testing.doctor.probes import FileThere

ROOT = Path(__file__).parents[3]
PROBE = "{directory}/prepared"


def handler(*words: str, interval: float = 0.05, **how: Any) -> Orders:
    """`words`: `right`, or `wrong` and the name of one."""
    module, *name = words
    command = [sys.executable, "-m", f"tests.testing.doctor.handlers.{module}", *name]
    told = ["{metadata}", "{machine}", PROBE, str(interval)]
    usual: dict[str, Any] = {"probe": FileThere(PROBE), "patience": 4, "first_answer": 1, "reaction": 2}
    path = {"PYTHONPATH": str(ROOT)}
    return Orders(command=[*command, *told], environment=path, **{**usual, **how})
