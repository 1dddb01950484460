"""What the owner of a scale set asks for while the power is cut: by the real commands, in the transaction at hand."""

from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from random import Random
from typing import Any, TypeVar

from forewarn.domain.errors import ForewarnError
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import GROUP, SCALE_SET, Job, Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.settings import Settings
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.engine.ports import Done, News, Reader, Transaction
from forewarn.testing.builders import NOON, SOMEBODY

T = TypeVar("T")
POOL = "pool"
HOME = Resource(id="/rg", type=GROUP, name="rg")
SET = Resource(id=f"/rg/{POOL}", type=SCALE_SET, name=POOL, group=HOME.key)
LATE = NOON + timedelta(days=9)
JOBS_NOTE = "jobs"  # so that whoever looks for half a job knows its name


class Refused(Exception):
    """Some commands fail half-way; then they must leave nothing."""


def own(tx: Transaction, at: datetime, chance: Random) -> None:
    """One thing that an owner, a machine of theirs or its driver may do."""
    engine = _engine_on(tx, at, lambda: f"{chance.getrandbits(64):016X}")
    estate = Estate(engine)
    act = chance.choice((_scale, _scale, _scale, _enrol, _tick, _report, _report, _ask, _delete))
    try:
        job = act(tx, engine, estate, chance)
    except ForewarnError as no:
        raise Refused from no
    if job is not None:
        tx.put_note(JOBS_NOTE, f"{tx.note(JOBS_NOTE) or ''} {job.id}")


def jobs(reader: Reader) -> list[Job | None]:
    return [reader.job(name) for name in (reader.note(JOBS_NOTE) or "").split()]


def _scale(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> Job:
    notice = chance.choice((None, timedelta(minutes=5)))
    instance = Machine(scope="", name="", terminate_notice=notice)
    spec = SetSpec(name=POOL, title=POOL, capacity=chance.randrange(6), instance=instance)
    _run(estate.put(HOME.key, lambda known: known or HOME))
    _, job = _run(estate.put_scale_set(SET.key, lambda known: (known or SET, spec), SOMEBODY))
    return job


def _enrol(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> None:
    _run(engine.enrol(f"{POOL}:0", SOMEBODY))


def _tick(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> None:
    _run(engine.tick(f"{POOL}:0"))


def _report(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> None:
    """Late enough for everything to be due, and for every lease to have run out."""
    for action in tx.lease(LATE, LATE, LATE, 3):
        _run(engine.report(action, Done()))


def _ask(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> Job:
    members = [(machine.scope, machine.name) for machine in tx.machines(f"{POOL}:0")]
    verb = chance.choice((Verb.DELETE, Verb.RESTART))
    return _run(estate.ask(SET.id, chance.sample(members, min(2, len(members))), verb, SOMEBODY))


def _delete(tx: Transaction, engine: Engine, estate: Estate, chance: Random) -> Job:
    return _run(estate.delete([chance.choice((SET.key, HOME.key))], SOMEBODY))


class _OneTransaction:
    """A store that is the transaction somebody else began, and will end."""

    def __init__(self, tx: Transaction) -> None:
        self._tx = tx

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        return work(self._tx)

    async def read(self, work: Callable[[Reader], T]) -> T:
        return work(self._tx)

    async def close(self) -> None:
        pass


class _Nobody:
    def publish(self, news: News) -> None:
        pass


def _engine_on(tx: Transaction, at: datetime, new_id: Callable[[], str]) -> Engine:
    clock = FleetClock(lambda: at, ClockState(wall=at, fleet=at, rate=0))
    return Engine(store=_OneTransaction(tx), clock=clock, feed=_Nobody(), new_id=new_id, settings=Settings())


def _run(command: Coroutine[Any, Any, T]) -> T:
    """To its end, at once: nothing in it waits."""
    try:
        command.send(None)
    except StopIteration as done:
        answer: T = done.value
        return answer
    raise AssertionError("a command waited for something")
