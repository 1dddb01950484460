"""Every check there is, in the order in which they are told."""

from collections.abc import Sequence

from forewarn.testing.doctor import acting, asking, faulty, stories
from forewarn.testing.doctor.checks import Check

CATALOGUE: tuple[Check, ...] = (*asking.CHECKS, *acting.CHECKS, *stories.CHECKS, *faulty.CHECKS)


def chosen(only: Sequence[str], skip: Sequence[str]) -> list[Check]:
    """ValueError with the words if there is no such check."""
    known = {check.id for check in CATALOGUE}
    for id in (*only, *skip):
        if id not in known:
            raise ValueError(f"There is no check {id!r}; `forewarn doctor --list` has those there are.")
    return [check for check in CATALOGUE if (not only or check.id in only) and check.id not in skip]
