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
            "Automatic repairs are not enabled on {set}, so nothing follows from the health of {machine}. "
            "To enable them: az vmss update -g {group} -n {set} "
            "--enable-automatic-repairs true --automatic-repairs-grace-period 10",
            key="repairs_off",
            set=spec.title,
            machine=machine.name,
            group=spec.instance.profile.resource_group,
        )
    if machine.keep_on_scale_in or not follows(machine):
        why = "is protected" if machine.model else "is a virtual machine that joined the set, not one that it made"
        raise Conflict(
            f"{{machine}} {why}: {{set}} does not repair it.",
            key="not_repaired_protected" if machine.model else "not_repaired_joined",
            machine=machine.name,
            set=spec.title,
        )
    _check_grace(draft, machine, spec)
    _check_share(draft, spec, len(staying))


def _check_grace(draft: Draft, machine: Machine, spec: SetSpec) -> None:
    moments = [moment for moment in (machine.created_at, machine.changed_at) if moment is not None]
    if not moments or draft.now >= (until := max(moments) + spec.repairs.grace):
        return
    raise Conflict(
        "{machine} was made, started or changed at {changed} and may recover by itself until "
        "{until} (automaticRepairsPolicy.gracePeriod, {grace}): report it again if it is unhealthy then.",
        key="may_recover",
        machine=machine.name,
        changed=_shown(max(moments)),
        until=_shown(until),
        grace=format_iso(spec.repairs.grace),
    )


def _check_share(draft: Draft, spec: SetSpec, count: int) -> None:
    repairs = sum(o.is_live and o.requested_by == REPAIRER for s in draft.scopes.values() for o in s.operations)
    most = max(count // SHARE, 1)
    if repairs >= most:
        raise TooMany(
            "Instances of {set} that are being repaired: {repairs}. Of {count}, no more than {most} may be at once: "
            "report it again when that has ended.",
            key="too_many_repairs",
            set=spec.title,
            repairs=repairs,
            count=count,
            most=most,
        )


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%SZ}"
