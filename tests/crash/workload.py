"""What a store is asked to do while the power is cut: every kind of command, decided by the real rules.

A seed gives the same commands in the same batches each time, and the same commands on the same state give the same
state. So what must be there after each batch is known beforehand, from the store in memory.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta
from random import Random
from typing import TypeAlias

from msgspec.structs import replace

from forewarn.domain import approving, enrolment, maintenance, outcomes, ticking
from forewarn.domain.draft import Change, Draft, Revision
from forewarn.domain.events import Actor, EventType
from forewarn.domain.machines import Power
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.requesting import under_way
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle
from forewarn.engine.ports import Reader, Transaction
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON, SOMEBODY, a_campaign, a_machine
from forewarn.testing.store_checks.tools import snapshot
from tests.crash.owning import JOBS_NOTE, Refused, jobs, own

Command: TypeAlias = Callable[[Transaction], None]
Batch: TypeAlias = Sequence[Command]

SCOPES = ("alone", "set-0", "set-1")
NAMES = ("a", "b", "c")
SETTINGS = Settings()
OWNED = 0.3  # of the commands are about a scale set that somebody owns


def batches(seed: int, count: int) -> list[Batch]:
    """The first makes the fleet; each of the others is one commit."""
    chance = Random(seed)
    return [[make_fleet], *([_command(chance) for _ in range(chance.choice((1, 1, 2, 5)))] for _ in range(count))]


def make_fleet(tx: Transaction) -> None:
    scopes = (
        Scope(id="alone", kind=ScopeKind.AVAILABILITY_SET),
        *(Scope(id=name, kind=ScopeKind.PLACEMENT_GROUP, scale_set="set") for name in SCOPES[1:]),
    )
    machines = tuple(
        a_machine(name, scope, update_domain=domain, terminate_notice=timedelta(minutes=5))
        for scope in SCOPES
        for domain, name in enumerate(NAMES)
    )
    tx.save(Change(revisions=tuple(Revision(before=None, after=s, due=None) for s in scopes), machines=machines))


def _command(chance: Random) -> Command:
    act = chance.choice(
        (_schedule, _schedule, _approve, _approve, _cancel, _work, _tick, _power, _enrol, _write, _fail)
    )
    number, scope, at = (
        chance.randrange(1 << 30),
        chance.choice(SCOPES),
        NOON + timedelta(minutes=chance.randrange(600)),
    )
    if chance.random() < OWNED:
        return lambda tx: own(tx, at, Random(number))

    def command(tx: Transaction) -> None:
        draft = Draft(tx.lock(scope), at)
        act(tx, draft, scope, Random(number))
        tx.save(draft.seal(SETTINGS))
        if act is _fail:
            raise Refused

    return command


def _schedule(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    machines = [m for m in tx.machines(scope) if m.name in chance.sample(NAMES, 2)]
    impact = chance.choice((EventType.FREEZE, EventType.REBOOT, EventType.TERMINATE))
    if impact is EventType.TERMINATE:
        machines = [m for m in machines if under_way(draft.scopes[scope], m, impact) is None]
    maintenance.schedule(draft, machines, Maintenance(impact=impact), SOMEBODY, SETTINGS, _ids(chance))


def _approve(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    live = [event.id for event in draft.scopes[scope].events]
    approving.approve(draft, scope, chance.sample(live, min(2, len(live))), Actor.machine(chance.choice(NAMES)))


def _cancel(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    waiting = [event for event in draft.scopes[scope].events if event.started_at is None]
    if waiting:
        approving.cancel(draft, chance.choice(waiting), SOMEBODY, "not today")


def _work(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    """Take actions from the outbox; do one, try another later, keep the rest leased."""
    leased = [a for a in tx.lease(draft.now, draft.now, draft.now + timedelta(hours=1), 3) if a.scope in draft.scopes]
    for action in leased[:1]:
        outcomes.performed(draft, action, next(iter(tx.machines(action.scope, [action.machine])), None))
    draft.actions += [replace(action, due=action.due + timedelta(minutes=1)) for action in leased[1:2]]


def _tick(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    ticking.tick(draft, scope, None, (), SETTINGS, _ids(chance))


def _power(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    for machine in tx.machines(scope, [chance.choice(NAMES)]):
        outcomes.set_power(draft, machine, chance.choice(tuple(Power)), SOMEBODY)
    settle(draft)


def _enrol(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    enrolment.enrol(draft, scope, SOMEBODY)


def _write(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    tx.put_note("k", str(chance.random()))
    tx.put_answer("k", "x" * chance.randrange(9000), draft.now)
    tx.save_campaign(a_campaign(f"campaign-{chance.randrange(3)}", description=str(chance.random())))
    tx.mark_seen(scope, draft.now, draft.now)


def _fail(tx: Transaction, draft: Draft, scope: str, chance: Random) -> None:
    _write(tx, draft, scope, chance)
    _schedule(tx, draft, scope, chance)


def _ids(chance: Random) -> Callable[[], str]:
    return lambda: f"{chance.getrandbits(64):016X}"


async def rehearse(script: Sequence[Batch]) -> list[object]:
    """What is to be found before the first batch, and after each."""
    store = MemoryStore()
    states: list[object] = [await store.read(state)]
    for batch in script:
        for command in batch:
            try:
                await store.run(command)
            except Refused:
                continue
        states.append(await store.read(state))
    return states


def state(reader: Reader) -> object:
    return (*snapshot(reader), jobs(reader), reader.note(JOBS_NOTE))
