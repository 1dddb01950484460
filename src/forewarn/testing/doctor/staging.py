"""The stage for one client: a Forewarn of its own, a hundred machines, and the place where the client runs."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from forewarn.imds import Limits
from forewarn.testing.doctor.habits import Habits
from forewarn.testing.doctor.orders import Orders
from forewarn.testing.doctor.trial import MINE, Trial
from forewarn.testing.kit import Forewarn
from forewarn.testing.reach import reach

SIZE = 100
REGULAR = {"notice": "5m"}
SPOT = {"priority": "Spot", "eviction_policy": "Deallocate"}


@contextmanager
def under_trial(orders: Orders, habits: Habits) -> Iterator[Trial]:
    """A client to be started. Its machine is of the kind that can get the events it is tried with."""
    directory = Path(tempfile.mkdtemp(prefix="forewarn-doctor-"))
    with ExitStack() as owned:
        owned.callback(shutil.rmtree, directory, ignore_errors=True)
        # As in Azure: nobody can wait for news, so every client asks again and again.
        kit = owned.enter_context(Forewarn.start(limits=Limits(wait=0)))
        kind: dict[str, Any] = SPOT if habits.type == "Preempt" else REGULAR
        # On one host, so that one event can name all of them.
        machines = kit.scale_set("vm", instances=SIZE, hosts=1, update_domains=1, fault_domains=1, **kind)
        place = owned.enter_context(reach(kit, machines.instance(MINE), _way(orders)))
        trial = Trial(kit=kit, machines=machines, orders=orders, habits=habits, place=place, directory=directory)
        owned.callback(trial.end)
        yield trial


def _way(orders: Orders) -> str:
    told = any("{metadata}" in word for word in orders.command)
    return "url" if orders.by == "auto" and told else orders.by
