"""The laws of what an owner describes: instances, their number, and the resources that stand for them."""

from collections.abc import Iterator

from forewarn.domain.events import EventType, OperationState
from forewarn.testing.simulation.fleets import POOL_GROUP, home
from forewarn.testing.simulation.laws.book import Breach, law
from forewarn.testing.simulation.owner import HOME, SET
from forewarn.testing.simulation.trace import Committed, Ended, Line, Trace


class Pool:
    """The scale set as the commits so far leave it."""

    def __init__(self) -> None:
        self.instances: set[str] = set()
        self.leaving: set[str] = set()
        self.numbers: set[str] = set()  # ever given in the set's life
        self.wishes: set[str] = set()

    def take(self, committed: Committed) -> None:
        change = committed.change
        self.instances |= {machine.name for machine in change.machines if machine.scope == POOL_GROUP}
        self.instances -= {name for scope, name in change.gone if scope == POOL_GROUP}
        for revision in change.revisions:
            if revision.after.id == POOL_GROUP:
                deletes = [o for o in revision.after.operations if o.is_live and o.impact is EventType.TERMINATE]
                self.leaving = {name for operation in deletes for name in operation.machines}
        if SET.key in change.dropped:
            self.numbers.clear()


def _commits(trace: Trace) -> Iterator[tuple[Line, Committed, Pool, set[str]]]:
    """Every commit, with the pool after it and its instances before."""
    pool = Pool()
    for line, committed in trace.of(Committed):
        before = set(pool.instances)
        pool.take(committed)
        yield line, committed, pool, before


@law("An instance is gone exactly when its Terminate has succeeded.")
def gone_when_terminated(trace: Trace) -> Iterator[Breach]:
    for line, committed, pool, before in _commits(trace):
        ended = [
            operation
            for revision in committed.change.revisions
            for operation in revision.after.operations
            if operation.impact is EventType.TERMINATE and operation.state is OperationState.SUCCEEDED
        ]
        done = {name for operation in ended for name in operation.machines if home(name) == POOL_GROUP}
        gone = before - pool.instances
        if gone != done & before:
            yield Breach(line.step, f"{sorted(gone)} are gone, {sorted(done)} were terminated")


@law("Exactly as many instances stay as were asked for.")
def as_many_as_asked(trace: Trace) -> Iterator[Breach]:
    for line, committed, pool, _ in _commits(trace):
        for resource in committed.change.resources:
            wish, capacity = resource.body.get("wish"), resource.body.get("capacity")
            if wish is None or wish in pool.wishes:
                continue
            pool.wishes.add(wish)
            staying = pool.instances - pool.leaving
            if capacity is not None and len(staying) != capacity:
                yield Breach(line.step, f"{sorted(staying)} stay, not {capacity}")


@law("Who is replaced leaves in the commit in which its one replacement comes.")
def replaced_one_for_one(trace: Trace) -> Iterator[Breach]:
    replacements: set[str] = set()  # operations that have one
    for line, committed, pool, before in _commits(trace):
        born = {f"{POOL_GROUP}/{name}" for name in pool.instances - before}
        operations = [
            operation
            for revision in committed.change.revisions
            for operation in revision.after.operations
            if operation.replacement is not None and operation.id not in replacements
        ]
        replacements |= {operation.id for operation in operations}
        for operation in operations:
            if operation.impact is not EventType.TERMINATE or {operation.replacement} != born:
                yield Breach(line.step, f"{operation.replacement} for {operation.machines}, and {sorted(born)} came")


@law("An instance's number is given once in the life of its set.")
def numbers_are_given_once(trace: Trace) -> Iterator[Breach]:
    for line, _, pool, before in _commits(trace):
        born = pool.instances - before
        if born & pool.numbers:
            yield Breach(line.step, f"{sorted(born & pool.numbers)} come a second time")
        pool.numbers |= born


@law("What is leaving is gone with the last machine behind it, and not before.")
def gone_with_the_last(trace: Trace) -> Iterator[Breach]:
    there = {SET.key: False, HOME.key: False}  # and whether it is leaving
    for line, committed, pool, _ in _commits(trace):
        there.update(
            (resource.key, resource.leaving) for resource in committed.change.resources if resource.key in there
        )
        for key in there.keys() & set(committed.change.dropped):
            there[key] = False
            if pool.instances:
                yield Breach(line.step, f"{key} is gone, and {sorted(pool.instances)} are not")
        for key, leaving in there.items():
            if leaving and not pool.instances:
                yield Breach(line.step, f"{key} is still leaving, and nothing is left of it")


@law("Nothing is leaving for ever: a resource goes, or stays after all.")
def nothing_leaves_for_ever(trace: Trace) -> Iterator[Breach]:
    for line, ended in trace.of(Ended):
        for resource in ended.resources:
            if resource.leaving:
                yield Breach(line.step, f"{resource.id} is still leaving")
