"""Automatic repairs: which unhealthy instances a scale set repairs, and how many of them at a time.

Whoever watches over instances reports the unhealthy ones, and goes on reporting them, as probes do. So nothing is kept
of a report that comes too early: the next one will come.
"""

from collections.abc import Sequence
from datetime import datetime

from forewarn.domain.draft import Draft
from forewarn.domain.durations import format_iso
from forewarn.domain.errors import Conflict, TooMany
from forewarn.domain.events import Actor, EventType, Operation
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Verb, under_way
from forewarn.domain.scalesets import RepairAction, SetSpec, follows

REPAIRER = Actor.system("automatic-repairs")
VERBS = {
    RepairAction.REPLACE: Verb.DELETE,
    RepairAction.RESTART: Verb.RESTART,
    RepairAction.REIMAGE: Verb.REIMAGE,
}
SHARE = 20
"""One of so many instances is repaired at a time, and one of a smaller set: Azure's five per cent."""


def in_hand(draft: Draft, machine: Machine, spec: SetSpec) -> Operation | None:
    """What is under way and makes a repair needless: the instance goes, or gets what a repair would give it."""
    scope = draft.scopes[machine.scope]
    leaves = under_way(scope, machine, EventType.TERMINATE)
    if leaves is not None or not spec.repairs.enabled:
        return leaves
    return under_way(scope, machine, VERBS[spec.repairs.action].impact)


def check(draft: Draft, machine: Machine, spec: SetSpec, staying: Sequence[Machine]) -> None:
    """Whether the instance may be repaired now. `staying`: those of the set that nobody is deleting."""
    if not spec.repairs.enabled:
        raise Conflict(
            f"Automatic repairs are not enabled on {spec.title}, so nothing follows from the health of {machine.name}. "
            f"To enable them: az vmss update -g {spec.instance.profile.resource_group} -n {spec.title} "
            f"--enable-automatic-repairs true --automatic-repairs-grace-period 10"
        )
    if machine.keep_on_scale_in or not follows(machine):
        why = "is protected" if machine.model else "is a virtual machine that joined the set, not one that it made"
        raise Conflict(f"{machine.name} {why}: {spec.title} does not repair it.")
    _check_grace(draft, machine, spec)
    _check_share(draft, spec, len(staying))


def _check_grace(draft: Draft, machine: Machine, spec: SetSpec) -> None:
    moments = [moment for moment in (machine.created_at, machine.changed_at) if moment is not None]
    if not moments or draft.now >= (until := max(moments) + spec.repairs.grace):
        return
    raise Conflict(
        f"{machine.name} was made, started or changed at {_shown(max(moments))} and may recover by itself until "
        f"{_shown(until)} (automaticRepairsPolicy.gracePeriod, {format_iso(spec.repairs.grace)}): "
        "report it again if it is unhealthy then."
    )


def _check_share(draft: Draft, spec: SetSpec, count: int) -> None:
    repairs = sum(o.is_live and o.requested_by == REPAIRER for s in draft.scopes.values() for o in s.operations)
    most = max(count // SHARE, 1)
    if repairs >= most:
        raise TooMany(
            f"{repairs} of the instances of {spec.title} {'is' if repairs == 1 else 'are'} being repaired, and of "
            f"{count} no more than {most} may be at once: report it again when that has ended."
        )


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%SZ}"
