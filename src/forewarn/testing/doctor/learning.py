"""Getting to know a client before it is judged: how often it asks, what it does about an event, how long that takes."""

import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.logbook import Request
from forewarn.testing.doctor.orders import Orders
from forewarn.testing.doctor.probes import Ended
from forewarn.testing.doctor.trial import Trial, Wrong, under_trial

QUESTIONS = 4
"""After so many it is clear how often it asks."""


def learn(orders: Orders) -> tuple[Habits, str]:
    """And how it was reached. CannotRun if there is nothing to learn."""
    habits, by = Habits(type=orders.types[0], prepares=None if orders.probe is None else False), ""
    evictions = [type for type in orders.types if type == "Preempt"]
    others = [type for type in orders.types if type != "Preempt"]
    for kind in filter(None, (others, evictions) if orders.types[0] != "Preempt" else (evictions, others)):
        habits, by = _learn(orders, replace(habits, type=kind[0]), kind)
        if habits.reacts or habits.trouble:
            return habits, by
    return replace(habits, type=orders.types[0]), by


def _learn(orders: Orders, habits: Habits, types: Sequence[str]) -> tuple[Habits, str]:
    with under_trial(orders, habits) as trial:
        trial.start()
        trial.begins_to_ask()
        trial.habits = _asking(trial)
        for type in types:
            trial.habits = _acting(trial, type)
            if trial.habits.reacts or trial.habits.trouble or not trial.settles():
                break
        return trial.habits, trial.place.by


def _asking(trial: Trial) -> Habits:
    trial.wait(lambda: len(trial.polls(0)) >= QUESTIONS, trial.orders.settling)
    polls = trial.polls(0)
    gaps = [later.at - earlier.at for earlier, later in pairwise(polls)]
    version = polls[-1].query.get("api-version", "") if polls else ""
    return replace(trial.habits, interval=median(gaps) if gaps else trial.orders.settling, version=version)


def _acting(trial: Trial, type: str) -> Habits:
    """An event of its own, and one of another machine's, in one document."""
    orders, habits = trial.orders, replace(trial.habits, type=type)
    trial.begin()
    mine, other = trial.announce(trial.me, type=type), trial.announce(trial.other, type=type)
    announced = time.monotonic()
    reaction = max(orders.reaction, 5 * habits.interval)
    acted = trial.wait(lambda: trial.approvals(mine) or trial.prepared, reaction)
    if not trial.alive and not isinstance(orders.probe, Ended):
        return replace(habits, trouble=f"It has ended ({trial.process.ending}) when it was told of its first event.")
    latency = time.monotonic() - announced
    approved = acted and trial.wait(lambda: trial.approvals(mine), reaction)
    if approved:
        latency = max(trial.approvals(mine)[0].at - announced, 0.0)
    habits = replace(habits, approves=approved, latency=latency if acted else 0.0)
    if orders.probe is not None:
        habits = replace(habits, prepares=trial.wait(lambda: trial.prepared, reaction if approved else 0))
    trial.habits = habits
    try:
        if trial.alive:
            trial.calms_down()
    except Wrong as wrong:
        return replace(habits, trouble=str(wrong))
    habits = replace(habits, approves_others=bool(trial.approvals(other)))
    if not habits.prepares or not trial.alive:
        return habits
    for event in (other, mine):
        trial.finish(event)
    return replace(habits, undoes=trial.wait(lambda: not trial.prepared, reaction))


def busiest_second(requests: Sequence[Request]) -> int:
    """How many came within one second, at most."""
    times = [request.at for request in requests]
    return max((sum(1 for at in times if began <= at < began + 1) for began in times), default=0)
