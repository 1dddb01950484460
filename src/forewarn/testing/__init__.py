"""What others need to test with: a whole Forewarn in the test's hand, values to build on, the contract of a store.

The law of this package: it is shipped, and no test framework is needed to use it (`plugin` alone knows pytest). Checks
are plain asserts; time and chance are given, never taken. It stands above `wiring`, because it starts whole Forewarns,
and asks them what anybody could ask: it decides nothing.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from forewarn.testing.contracts import check_store
    from forewarn.testing.handles import Event, Group, Machine, RanAtOnce
    from forewarn.testing.kit import Forewarn, started
    from forewarn.testing.passing import Late
    from forewarn.testing.reach import CannotReach, Place

__all__ = [
    "CannotReach",
    "Event",
    "Forewarn",
    "Group",
    "Late",
    "Machine",
    "Place",
    "RanAtOnce",
    "check_store",
    "started",
]

_HOMES = {
    "CannotReach": "reach",
    "Event": "handles",
    "Forewarn": "kit",
    "Group": "handles",
    "Late": "passing",
    "Machine": "handles",
    "Place": "reach",
    "RanAtOnce": "handles",
    "check_store": "contracts",
    "started": "kit",
}


def __getattr__(name: str) -> Any:
    """Only what is asked for is loaded: a pytest that never meets the fixture starts as fast as before."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
