"""Many clients ask again and again how far their jobs are: the store is asked once, and nobody is told of the past."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from forewarn.domain.events import OperationState
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import Job
from forewarn.engine.jobs import Jobs
from forewarn.engine.ports import Reader
from tests.engine.desk import CountingStore, Desk, in_a_loop
from tests.engine.land import Land

T = TypeVar("T")
WAITS, DONE = OperationState.IN_PROGRESS, OperationState.SUCCEEDED


class HoldingStore(CountingStore):
    """What somebody has seen can be held back for a while."""

    held: asyncio.Event | None = None

    async def read(self, work: Callable[[Reader], T]) -> T:
        held, seen = self.held, await super().read(work)
        if held is not None:
            await held.wait()
        return seen


async def two_restarts() -> tuple[Land, HoldingStore, list[Job]]:
    """Each in a scope of its own, waiting for its notice."""
    store = HoldingStore()
    land = await Land.open(Desk(store))
    await land.machine("one")
    await land.machine("two")
    await land.enrol()
    machines = [m for name in ("one", "two") for m in await land.machines(f"rg/{name}")]
    return land, store, [await land.ask(Verb.RESTART, machine) for machine in machines]


@in_a_loop
async def test_a_job_that_waits_is_looked_up_once() -> None:
    land, store, jobs = await two_restarts()
    assert [await land.state(job) for job in jobs] == [WAITS, WAITS]
    reads = store.reads
    assert [await land.state(job) for job in jobs * 5] == [WAITS] * 10
    assert store.reads == reads


@in_a_loop
async def test_what_changes_in_one_scope_is_seen_there_and_costs_nothing_elsewhere() -> None:
    land, store, jobs = await two_restarts()
    assert [await land.state(job) for job in jobs] == [WAITS, WAITS]
    await land.approve(next(event for event in await land.events() if event.resources == ("one",)))
    await land.work()
    reads = store.reads
    assert [await land.state(job) for job in jobs] == [DONE, WAITS]
    assert store.reads == reads + 1


@in_a_loop
async def test_what_ends_while_somebody_looks_is_not_remembered_as_waiting() -> None:
    land, store, (job, _) = await two_restarts()
    event = next(event for event in await land.events() if event.resources == ("one",))
    held = store.held = asyncio.Event()
    looking = asyncio.create_task(land.state(job))
    await asyncio.sleep(0)
    store.held = None
    await land.approve(event)
    await land.work()
    held.set()
    assert await looking is WAITS, "so it was when they looked"
    assert await land.state(job) is DONE


@in_a_loop
async def test_of_too_many_jobs_those_asked_for_last_are_remembered() -> None:
    _, store, (first, second) = await two_restarts()
    jobs = Jobs(store, most=1)
    for job in (first, second):
        assert await jobs.state(job.id) is not None
    reads = store.reads
    assert await jobs.state(second.id) is not None
    assert store.reads == reads
    assert await jobs.state(first.id) is not None
    assert store.reads == reads + 1
