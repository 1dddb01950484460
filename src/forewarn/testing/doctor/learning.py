"""Getting to know a client before it is judged: how often it asks, what it does about an event, how long that takes."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from forewarn.testing.doctor.beds import Bed
from forewarn.testing.doctor.findings import Wrong
from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.orders import Orders
from forewarn.testing.doctor.trial import Trial

QUESTIONS = 4
"""After so many it is clear how often it asks."""


def learn(orders: Orders, bed: Bed) -> tuple[Habits, str]:
    """And how it was reached. The client stays in the bed, if it can. CannotRun if there is nothing to learn."""
    usual = Habits(type=orders.types[0], prepares=None if orders.probe is None else False)
    habits, by = usual, ""
    for types in _kinds(orders.types):
        trial = bed.for_client(replace(usual, type=types[0]))
        _learn(trial, types)
        habits, by = trial.habits, trial.place.by
        bed.is_left(fit=habits.reacts)
        if habits.reacts or habits.trouble:
            return habits, by
    return replace(habits, type=orders.types[0]), by


def _kinds(types: Sequence[str]) -> list[list[str]]:
    """A Spot machine is of a kind of its own: it gets evictions, and no other machine does."""
    evictions = [type for type in types if type == "Preempt"]
    others = [type for type in types if type != "Preempt"]
    ordered = (evictions, others) if types[0] == "Preempt" else (others, evictions)
    return [kind for kind in ordered if kind]


def _learn(trial: Trial, types: Sequence[str]) -> None:
    trial.habits = _asking(trial)
    for type in types:
        trial.habits = _acting(trial, type)
        if trial.habits.reacts or trial.habits.trouble or not trial.settles():
            return


def _asking(trial: Trial) -> Habits:
    trial.wait(lambda: len(trial.polls(0)) >= QUESTIONS, trial.orders.settling)
    polls = trial.polls(0)
    gaps = [later.at - earlier.at for earlier, later in pairwise(polls)]
    version = polls[-1].query.get("api-version", "") if polls else ""
    return replace(trial.habits, interval=median(gaps) if gaps else trial.orders.settling, version=version)


def _acting(trial: Trial, type: str) -> Habits:
    """An event of its own, and one of another machine's, in one document."""
    trial.begin()
    mine, other = trial.announce(trial.me, type=type), trial.announce(trial.other, type=type)
    announced = time.monotonic()
    habits = replace(trial.habits, type=type)
    reaction = max(trial.orders.reaction, 5 * habits.interval)
    acted = trial.wait(lambda: trial.approvals(mine) or trial.prepared, reaction)
    latency = time.monotonic() - announced
    if not trial.alive and not trial.has_ended_prepared:
        return replace(habits, trouble=f"It has ended ({trial.ending}) when it was told of its first event.")
    if not acted:
        return habits
    approved = trial.wait(lambda: trial.approvals(mine), reaction)
    if approved:
        latency = max(trial.approvals(mine)[0].at - announced, 0.0)
    habits = replace(habits, approves=approved, latency=latency)
    if trial.orders.probe is not None:
        habits = replace(habits, prepares=trial.wait(lambda: trial.prepared, reaction))
    trial.habits = habits
    if not trial.alive:
        return habits
    try:
        trial.calms_down()
    except Wrong as wrong:
        return replace(habits, trouble=str(wrong))
    habits = replace(habits, approves_others=bool(trial.approvals(other)))
    for event in (mine, other):
        trial.finish(event)
    undone = bool(habits.prepares) and trial.wait(lambda: not trial.prepared, reaction)
    return replace(habits, undoes=undone)
