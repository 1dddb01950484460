"""SIGKILL under load, again and again.

A parent without threads forks a victim that runs the whole engine on a SQLite store while many callers send commands.
Whatever was acknowledged goes through a pipe to the parent. At a random moment the victim is killed. The next victim
first checks what it finds on disk against everything that was acknowledged, and then goes on with the load.

What must hold: nothing acknowledged is lost, nothing is half-applied, no machine is acted on twice or without a
committed start, and no document ever goes back to an older (epoch, incarnation).
"""

import asyncio
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from forewarn.domain.errors import ForewarnError
from forewarn.domain.events import Action, Actor, EventType, OperationState, Phase
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import Entry, first_break
from forewarn.domain.machines import Machine
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.resources import GROUP, SCALE_SET, Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.engine.ports import Done, News, Reader, Store
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.store.sqlite import open_store

CALLERS = 16
SPEED = 600.0  # fleet seconds per real second, so that notice runs out within a victim's life
LONGEST_LIFE = 0.15  # seconds of load before the kill
KILLS_PER_SEED = 25  # in the long form
THOROUGH = 20  # every so many lives, and after the last, everything ever acknowledged and the whole history is checked

FLEET = Fleet(
    scopes=(
        *(Scope(id=f"set{n}", kind=ScopeKind.AVAILABILITY_SET) for n in range(6)),
        *(Scope(id=f"web/pg{n}", kind=ScopeKind.PLACEMENT_GROUP, scale_set="web") for n in range(2)),
    ),
    machines=tuple(
        Machine(scope=scope, name=f"{scope.replace('/', '-')}_{n}", update_domain=n)
        for scope in (*(f"set{n}" for n in range(6)), "web/pg0", "web/pg1")
        for n in range(4)
    ),
    settings=Settings(user_operations=1000),
)
FLEET_SCOPES = {scope.id for scope in FLEET.scopes}
HOME = Resource(id="/rg", type=GROUP, name="rg")
SET = Resource(id="/rg/pool", type=SCALE_SET, name="pool", group=HOME.key)
TARGETS = [(machine.scope, machine.name) for machine in FLEET.machines]


@dataclass
class Acknowledged:
    """What the outside world was told."""

    operations: set[str] = field(default_factory=set)
    approvals: set[tuple[str, str]] = field(default_factory=set)  # (event, who)
    cancels: set[str] = field(default_factory=set)
    jobs: set[str] = field(default_factory=set)
    shown: dict[str, tuple[int, int]] = field(default_factory=dict)  # scope → newest (epoch, incarnation) published
    count: int = 0

    def add(self, later: "Acknowledged") -> None:
        self.operations |= later.operations
        self.approvals |= later.approvals
        self.cancels |= later.cancels
        self.jobs |= later.jobs
        self.shown |= later.shown
        self.count += later.count

    def hear(self, line: str) -> None:
        match json.loads(line):
            case ["operation", str(operation)]:
                self.operations.add(operation)
            case ["approval", str(event), str(who)]:
                self.approvals.add((event, who))
            case ["cancel", str(event)]:
                self.cancels.add(event)
            case ["job", str(job)]:
                self.jobs.add(job)
            case ["shown", str(scope), int(epoch), int(incarnation)]:
                self.shown[scope] = max(self.shown.get(scope, (0, 0)), (epoch, incarnation))
                return
            case words:
                raise ValueError(words)
        self.count += 1


class LedgerDriver:
    """The world: an impact is a line on disk. Asked twice for the same pair, it acts once."""

    time_limit = 5.0

    def __init__(self, ledger: Path) -> None:
        self._file = os.open(ledger, os.O_CREAT | os.O_APPEND | os.O_WRONLY)
        self._done = set(ledger.read_text().splitlines())

    async def perform(self, action: Action, now: datetime) -> Done:
        line = f"{action.operation} {action.machine}"
        if line not in self._done:
            os.write(self._file, f"{line}\n".encode())
            os.fsync(self._file)
            self._done.add(line)
        return Done()


class Told:
    """Tells the parent every document that machines could have seen."""

    def __init__(self, tell: Callable[..., None]) -> None:
        self._tell = tell

    def publish(self, news: News) -> None:
        for document in news.documents:
            self._tell("shown", document.scope, document.epoch, document.incarnation)


# The victim


async def live(folder: Path, seed: int, born: datetime, known: Acknowledged, thorough: bool, pipe: int) -> None:
    def tell(*words: object) -> None:
        os.write(pipe, json.dumps(words).encode() + b"\n")

    store = open_store(folder)
    problems = await store.read(lambda reader: broken(reader, known, folder / "ledger", thorough))
    tell("checked", problems)
    rng = random.Random(seed)
    clock = FleetClock(_wall, ClockState(wall=born, fleet=born, rate=SPEED))
    ids = random.Random(f"{seed}-ids")
    engine = Engine(
        store=store,
        clock=clock,
        feed=Told(tell),
        new_id=lambda: f"{ids.getrandbits(128):032X}",
        settings=FLEET.settings,
    )
    await engine.load_fleet(FLEET, "crash")
    worker = Worker(engine, LedgerDriver(folder / "ledger"), _wall)
    await asyncio.gather(
        Ticker(engine).run(),
        worker.run(),
        *(call(engine, store, random.Random(rng.random()), tell) for _ in range(CALLERS)),
    )


def _wall() -> datetime:
    return datetime.fromtimestamp(time.clock_gettime(time.CLOCK_REALTIME), UTC)


async def call(engine: Engine, store: Store, rng: random.Random, tell: Callable[..., None]) -> None:
    """One caller: sends commands and tells each one that was acknowledged."""
    while True:
        try:
            await one_command(engine, store, rng, tell)
        except ForewarnError:
            continue  # refused: nothing was promised


async def one_command(engine: Engine, store: Store, rng: random.Random, tell: Callable[..., None]) -> None:
    scope, name = rng.choice(TARGETS)
    who = Actor.machine(f"caller{rng.randrange(3)}")
    match rng.randrange(8):
        case 6:
            await own(Estate(engine), rng, who, tell)
        case 0:
            await engine.enrol(scope, who)
        case 1 | 2:
            impact = rng.choice([EventType.REBOOT, EventType.REDEPLOY])
            operation = await engine.request((scope, name), impact, who)
            tell("operation", operation.id)
        case 3:
            for operation in await engine.schedule([(scope, name)], Maintenance(impact=EventType.FREEZE), who):
                tell("operation", operation.id)
        case _:
            events = await store.read(lambda reader: reader.list_events(scope=scope))
            scheduled = [event for event in events if event.phase is Phase.SCHEDULED]
            if not scheduled:
                return
            event = rng.choice(scheduled)
            if rng.random() < 0.7:
                if not await engine.approve(scope, [event.id], who):
                    tell("approval", event.id, str(who))
            else:
                await engine.cancel_event(event.id, who)
                tell("cancel", event.id)


async def own(estate: Estate, rng: random.Random, who: Actor, tell: Callable[..., None]) -> None:
    """A scale set grows and shrinks, and is deleted now and then."""
    if rng.random() < 0.1:
        job = await estate.delete([SET.key], who)
    else:
        notice = rng.choice([None, timedelta(minutes=5)])
        instance = Machine(scope="", name="", terminate_notice=notice)
        spec = SetSpec(name="pool", title="pool", capacity=rng.randrange(8), instance=instance)
        await estate.put(HOME.key, lambda known: known or HOME)
        _, job = await estate.put_scale_set(SET.key, lambda known: (known or SET, spec), who)
    tell("job", job.id)


# What must hold on the disk of a killed victim


def broken(reader: Reader, known: Acknowledged, ledger: Path, thorough: bool) -> list[str]:
    problems = lost(reader, known) + half_applied(reader) + half_owned(reader, known)
    return problems + acted_wrongly(reader, ledger) + broken_history(reader) if thorough else problems


def lost(reader: Reader, known: Acknowledged) -> list[str]:
    problems = [f"operation {i} was acknowledged and is lost" for i in known.operations if reader.operation(i) is None]
    for event_id, who in known.approvals:
        event = reader.event(event_id)
        if event is None or (event.phase is Phase.SCHEDULED and all(str(a.by) != who for a in event.approvals)):
            problems.append(f"the approval of {event_id} by {who} was acknowledged and is lost")
    for event_id in known.cancels:
        event = reader.event(event_id)
        if event is None or event.phase is not Phase.CANCELED:
            problems.append(f"the cancel of {event_id} was acknowledged and is lost")
    for scope_id, pair in known.shown.items():
        scope = reader.scope(scope_id)
        if (scope is None and scope_id in FLEET_SCOPES) or (scope and (scope.epoch, scope.incarnation) < pair):
            problems.append(f"the document of {scope_id} went back behind {pair}")
    return problems


def half_applied(reader: Reader) -> list[str]:
    """An event, its operation and its actions are always of one commit."""
    problems = []
    for event in reader.list_events(limit=1_000_000):
        operation = reader.operation(event.operation)
        if operation is None or operation.state is not OperationState.IN_PROGRESS:
            problems.append(f"event {event.id} is {event.phase.value} and its operation has ended")
        elif event.phase is Phase.STARTED:
            missing = [m for m in operation.pending if reader.action(operation.id, m) is None]
            problems += [f"event {event.id} has started and nobody acts on {m}" for m in missing]
    return problems


def half_owned(reader: Reader, known: Acknowledged) -> list[str]:
    """A job and its operations are of one commit; so are a resource, its scopes and its machines."""
    problems = []
    for name in known.jobs:
        job = reader.job(name)
        if job is None or any(reader.operation(operation) is None for operation in job.operations):
            problems.append(f"job {name} was acknowledged and is lost, or a part of it")
    scopes = reader.scopes_of_scale_set("pool")
    resource = reader.resource(SET.key)
    if (resource is None) != (not scopes) and (resource is None or resource.counter):
        problems.append(f"{SET.key} is {resource}, and its scopes are {[scope.id for scope in scopes]}")
    counted = 0 if resource is None else resource.counter
    members = [machine for scope in scopes for machine in reader.machines(scope.id)]
    problems += [f"{m.name} is there before its set counted it" for m in members if int(m.instance) >= counted]
    if not scopes and reader.machines("pool:0"):
        problems.append("the machines of a scope that is no more are still there")
    return problems


def acted_wrongly(reader: Reader, ledger: Path) -> list[str]:
    if not ledger.exists():
        return []
    lines = ledger.read_text().splitlines()
    problems = (
        [f"acted twice: {line}" for line in set(lines) if lines.count(line) > 1] if len(set(lines)) < len(lines) else []
    )
    for line in lines:
        operation = reader.operation(line.split()[0])
        event = reader.event(operation.event) if operation is not None and operation.event else None
        if operation is None or (event is not None and event.started_at is None):
            problems.append(f"acted without a committed start: {line}")
    return problems


def broken_history(reader: Reader) -> list[str]:
    entries: list[Entry] = []
    while page := reader.history(after=entries[-1].seq if entries else 0, limit=10_000):
        entries += page
    problems = [] if [e.seq for e in entries] == list(range(1, len(entries) + 1)) else ["the history has a gap"]
    chains: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        chains[entry.scope].append(entry)
    breaks = [broken for linked in chains.values() if (broken := first_break(linked)) is not None]
    return problems + [f"the history of {entry.scope} breaks at {entry.seq}" for entry in breaks]


# The parent


@dataclass
class Report:
    kills: int = 0
    acknowledged: int = 0
    problems: list[str] = field(default_factory=list)


def rampage(folder: Path, kills: int, seed: int, progress: Callable[[Report], None] = lambda _: None) -> Report:
    """Kill a victim so many times, then let a last one check. Must run in a process without threads."""
    rng = random.Random(seed)
    known, lately, report, born = Acknowledged(), Acknowledged(), Report(), _wall()
    for life in range(kills + 1):
        last = life == kills
        thorough = last or life % THOROUGH == 0
        told = known if thorough else lately
        lately = Acknowledged()
        pause = 0.0 if last else rng.uniform(0, LONGEST_LIFE)
        report.problems += _one_life(folder, rng.randrange(2**32), born, (told, thorough), lately, pause)
        known.add(lately)
        report.kills += not last
        report.acknowledged = known.count
        progress(report)
        if report.problems:
            break
    return report


def _one_life(
    folder: Path, seed: int, born: datetime, check: tuple[Acknowledged, bool], heard: Acknowledged, life: float
) -> list[str]:
    """Fork a victim, hear what it acknowledges, kill it. What it found broken at its start comes back."""
    hear, tell = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(hear)
        try:
            asyncio.run(live(folder, seed, born, *check, tell))
        finally:
            os._exit(70)
    os.close(tell)
    try:
        return _listen(hear, pid, heard, life)
    finally:
        os.close(hear)


def _listen(hear: int, pid: int, heard: Acknowledged, life: float) -> list[str]:
    problems: list[str] | None = None
    killed_at: float | None = None
    rest = b""
    patience = time.monotonic() + 60
    while True:
        now = time.monotonic()
        if (killed_at is not None and now >= killed_at) or now > patience:
            os.kill(pid, signal.SIGKILL)
            killed_at, patience = float("inf"), float("inf")
        pause = min(0.5, max(0.0, killed_at - now)) if killed_at is not None else 0.5
        if not select.select([hear], [], [], pause)[0]:
            continue
        chunk = os.read(hear, 1 << 20)
        if not chunk:
            break
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            words = json.loads(line)
            if words[0] == "checked":
                problems, killed_at = words[1], time.monotonic() + life
            else:
                heard.hear(line.decode())
    os.waitpid(pid, 0)
    return ["the victim died by itself before it had checked"] if problems is None else problems


def long_form(seeds: int) -> bool:
    """In a process of its own, because this one may have threads by now."""
    kills = KILLS_PER_SEED * seeds
    return subprocess.run([sys.executable, "-m", "tests.crash.kill", str(kills), str(seeds)]).returncode == 0


def main(arguments: Sequence[str]) -> int:
    kills, seed = int(arguments[0]), int(arguments[1])

    def progress(report: Report) -> None:
        if sys.stderr.isatty():
            print(f"\r{report.kills} kills, {report.acknowledged} acknowledged", end="", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        report = rampage(Path(folder), kills, seed, progress)
    print(json.dumps({"kills": report.kills, "acknowledged": report.acknowledged, "problems": report.problems[:20]}))
    return 1 if report.problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
