"""How much time each step of a chain gets, planned backwards from the moment the event may start.

With notice enough, each step has its limit. With too little, the limits are cut: all by the same share of what they
have above their least, so that the same notice always gives the same plan. If not even the least of all fits, the
steps in front are served first, and one that gets less than its least does not run at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from forewarn.agent.config import StepSpec

NONE = timedelta()


@dataclass(frozen=True, kw_only=True, slots=True)
class Slot:
    step: str
    limit: timedelta | None
    """None: it does not fit, and does not run."""
    warning: str = ""
    latest: timedelta | None = None
    """It must begin no later than this before the event may start, or what comes after it is cut short."""


def plan(chain: Sequence[StepSpec], available: timedelta | None, *, urgent: bool = False) -> list[Slot]:
    """`available` is what is left until the event may start, less the margin; None if that is not known."""
    wanted = [(spec, spec.on_short_path if urgent else spec.limit) for spec in chain]
    slots = [_slot(spec, limit, urgent) for spec, limit in _shared_out(wanted, available)]
    return _backwards(slots)


def _shared_out(
    wanted: Sequence[tuple[StepSpec, timedelta]], available: timedelta | None
) -> list[tuple[StepSpec, timedelta | None]]:
    whole = sum((limit for _, limit in wanted), NONE)
    if available is None or whole <= available:
        return [(spec, limit if limit > NONE else None) for spec, limit in wanted]
    least = sum((min(spec.least, limit) for spec, limit in wanted), NONE)
    if least <= available:
        share = (available - least) / (whole - least) if whole > least else 0.0
        return [(spec, _cut(spec, limit, share)) for spec, limit in wanted]
    return _first_come(wanted, available)


def _cut(spec: StepSpec, limit: timedelta, share: float) -> timedelta | None:
    least = min(spec.least, limit)
    return least + (limit - least) * share if limit > NONE else None


def _first_come(
    wanted: Sequence[tuple[StepSpec, timedelta]], available: timedelta
) -> list[tuple[StepSpec, timedelta | None]]:
    rest = max(available, NONE)
    out: list[tuple[StepSpec, timedelta | None]] = []
    for spec, limit in wanted:
        least = min(spec.least, limit)
        fits = limit > NONE and least <= rest
        out.append((spec, least if fits else None))
        rest -= least if fits else NONE
    return out


def _slot(spec: StepSpec, limit: timedelta | None, urgent: bool) -> Slot:
    if urgent and spec.on_short_path == NONE:
        return Slot(step=spec.name, limit=None)  # as it was told to be
    if limit is None:
        return Slot(step=spec.name, limit=None, warning=f"{spec.name} does not fit into the notice that is left")
    if not urgent and limit < spec.limit:
        cut = f"{spec.name} gets {limit.total_seconds():.0f} s of its {spec.limit.total_seconds():.0f} s"
        return Slot(step=spec.name, limit=limit, warning=cut)
    return Slot(step=spec.name, limit=limit)


def _backwards(slots: Sequence[Slot]) -> list[Slot]:
    before = NONE
    out = []
    for slot in reversed(slots):
        before += slot.limit or NONE
        out.append(Slot(step=slot.step, limit=slot.limit, warning=slot.warning, latest=before))
    return out[::-1]
