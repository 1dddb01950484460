"""The composition root: the one module that names concrete classes, reads the wall clock and mints ids.

`running` gives a whole Forewarn inside one event loop; a second one in the same process just works.
"""

import asyncio
import gc
import logging
import resource
import secrets
import signal
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import uvloop
from msgspec.structs import replace
from starlette.types import ASGIApp

from forewarn import __version__, imds
from forewarn.access.audit import Audit
from forewarn.access.certificates import ServerTls
from forewarn.access.departures import Departures
from forewarn.access.files import access_directory
from forewarn.access.service import Access, open_access
from forewarn.arm.app import create_arm
from forewarn.control.app import create_app
from forewarn.control.exposition import Family, single
from forewarn.control.faces import joined
from forewarn.control.guard import Guard
from forewarn.control.hub import Hub
from forewarn.control.server import serving
from forewarn.domain.access import principal_of
from forewarn.domain.errors import Invalid, Unavailable
from forewarn.domain.machines import Machine
from forewarn.domain.rates import rate_of
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.drivers.command import CommandDriver
from forewarn.drivers.simulated import SimulatedDriver
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.loading import FLEET_NOTE
from forewarn.engine.naming import machines_called
from forewarn.engine.player import Player, clock_state
from forewarn.engine.ports import Driver, News
from forewarn.engine.ticker import Ticker
from forewarn.engine.walking import every_machine
from forewarn.engine.worker import Worker
from forewarn.grid.calling import Webhooks
from forewarn.grid.deliverer import Deliverer
from forewarn.imds.listeners import Listener
from forewarn.imds.listening import identity_called, listen, socket_files, url_maker
from forewarn.store.memory import MemoryStore
from forewarn.store.sqlite import open_store
from forewarn.wire import fleetfile
from forewarn.wire.authorities import authority, bracketed
from forewarn.wire.identity import Token
from forewarn.wire.instance import ScopeFacts

log = logging.getLogger(__name__)
SAVE_MARKS_EVERY = 60.0
"""Seconds of real time between two batches of "who asked last"."""

TEND_ACCESS_EVERY = 3600.0
"""Seconds of real time between two looks at the age of keys and certificates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Options:
    """What `forewarn up` can be told."""

    metadata: tuple[str, int] = ("127.0.0.1", 8254)
    control: tuple[str, int] = ("127.0.0.1", 8255)
    arm: tuple[str, int] | None = ("127.0.0.1", 8443)  # HTTPS; None: only plain http, which Azure's clients refuse
    data: Path | None = None  # None: nothing outlives the process
    fleet: Path | None = None
    sample: str = ""  # the fleet of a store that is still empty, in the fleet file's format
    clock: str = "real"  # or "manual", or a rate such as "60x"
    identity: str = "loopback"  # or "source", or "machine=NAME"
    sockets: Path | None = None  # a directory for one unix socket per machine
    any_address: bool = False  # 0.0.0.0 and :: are meant
    first_answer_delay: timedelta | None = None  # None: as the fleet's settings say
    rotate_keys_after: timedelta = timedelta(days=30)  # a new key signs then; tokens of the old one hold a day more
    limits: imds.Limits = field(default_factory=imds.Limits)
    rules: imds.Rules = field(default_factory=imds.Rules)


@dataclass(frozen=True, kw_only=True, slots=True)
class Forewarn:
    """A running one."""

    engine: Engine
    clock: FleetClock
    player: Player
    driver: Driver
    access: Access
    server: imds.Server
    metadata_url: Callable[[Machine], str]
    control_url: str
    arm_url: str | None
    tasks: tuple["asyncio.Task[None]", ...]


def wall() -> datetime:
    return datetime.now(UTC)


def new_secret() -> str:
    return secrets.token_urlsafe(32)


VERSION_BITS = 0xF << 76 | 0b11 << 62
VERSION_8 = 0x8 << 76 | 0b10 << 62


def new_id() -> str:
    """A GUID (RFC 9562, version 8) whose first eight digits are the time in microseconds, which go round in 72 minutes.

    So what is made together is stored together, and yet a person can tell two events by the beginning of their ids.
    """
    moment = time.time_ns() // 1000 & 0xFFFFFFFF
    digits = f"{(moment << 96 | secrets.randbits(96)) & ~VERSION_BITS | VERSION_8:032X}"
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


@asynccontextmanager
async def running(options: Options) -> AsyncIterator[Forewarn]:
    """Everything, from the moment it answers until the block ends."""
    async with AsyncExitStack() as stack:
        store = await asyncio.to_thread(open_store, options.data) if options.data else MemoryStore()
        stack.push_async_callback(store.close)
        clock = FleetClock(wall, await clock_state(store, rate_of(options.clock), wall))
        fleet, hub = imds.Fleet(), Hub(store)
        feed = _Feed(fleet, hub)
        engine = Engine(store=store, clock=clock, feed=feed, new_id=new_id, settings=Settings(), heard=fleet.heard)
        await engine.publish_all()
        driver = _driver(await _load(engine, options), options.data)
        if options.first_answer_delay is not None:
            engine.settings = replace(engine.settings, first_answer_delay=options.first_answer_delay)
        ticker, worker = Ticker(engine), Worker(engine, driver, wall)
        data = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forewarn-")))
        audit = Audit(store, clock.now, lambda entries: feed.publish(News(entries=entries)))
        access = await open_access(data, audit, new_id=new_id, new_secret=new_secret, wall=wall)
        tls = await asyncio.to_thread(ServerTls, access_directory(data), _certified(options), wall())
        departures = Departures(access, store)
        engine.on_change(lambda change: departures.note(change.gone))
        own_ports: set[int] = set()
        webhooks = Webhooks(lambda: own_ports)
        deliverer = Deliverer(engine, webhooks, wall)
        server, url = await stack.enter_async_context(_metadata(options, engine, clock, fleet, access, own_ports))
        player = Player(engine, clock, ticker, worker, moved=server.beat)
        tasks = await stack.enter_async_context(
            _tasks(
                ticker=ticker.run(),
                worker=worker.run(),
                deliverer=deliverer.run(),
                marks=_save_marks(engine, server),
                access=_tend(access, tls, options.rotate_keys_after),
                departures=departures.run(),
                refusals=access.refusals.run(),
            )
        )
        served: Counter[tuple[str, str]] = Counter()
        native = create_app(
            engine=engine,
            access=access,
            player=player,
            clock=clock,
            hub=hub,
            new_id=new_id,
            version=__version__,
            metadata_url=url,
            fail_next=driver.fail_next if isinstance(driver, SimulatedDriver) else None,
            alive=lambda: {task.get_name(): not task.done() for task in tasks},
            more_metrics=lambda: [*_metrics(server), _deliveries(deliverer)],
            hosts=_hosts(options),
            served=served,
        )
        control_url, arm_url = await stack.enter_async_context(
            _control(native, engine, clock, access, tls, options, served, webhooks, own_ports)
        )
        stack.callback(hub.close)
        yield Forewarn(
            engine=engine,
            clock=clock,
            player=player,
            driver=driver,
            access=access,
            server=server,
            metadata_url=url,
            control_url=control_url,
            arm_url=arm_url,
            tasks=tasks,
        )


def serve(options: Options, announce: Callable[[Forewarn], Awaitable[None]]) -> None:
    """Run until a signal ends it. `announce` is called once, when everything answers."""
    _allow_many_connections()
    uvloop.run(_serve(options, announce))


def settle_memory() -> None:
    """What was loaded stays: the collector need not walk over it again, which takes long for a large fleet."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _allow_many_connections() -> None:
    """Each connection is an open file, and many systems start processes with a limit of 1,024."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


async def _serve(options: Options, announce: Callable[[Forewarn], Awaitable[None]]) -> None:
    ended = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, ended.set)
    async with running(options) as forewarn:
        settle_memory()
        await announce(forewarn)
        waiting = asyncio.create_task(ended.wait())
        await asyncio.wait({waiting, *forewarn.tasks}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        for task in forewarn.tasks:
            if task.done():
                log.error("the task %s has stopped", task.get_name(), exc_info=task.exception())
                raise Unavailable(f"A part has stopped ({task.get_name()}). The log says why; start Forewarn again.")


# The fleet


async def _load(engine: Engine, options: Options) -> fleetfile.Simulated | fleetfile.Command:
    """The fleet file given; or what this store was last told; or the sample. What is left to know is the driver."""
    if options.fleet is not None:
        name = str(options.fleet)
        text = fleetfile.decode(await asyncio.to_thread(options.fleet.read_bytes), name)
    else:
        name = "the fleet kept in the data directory"
        kept = await engine.store.read(lambda reader: reader.note(FLEET_NOTE))
        text = options.sample if kept is None else kept
    declared = fleetfile.parse(text, name)
    await engine.load_fleet(declared.fleet, text)
    return declared.driver


def _driver(declared: fleetfile.Simulated | fleetfile.Command, data: Path | None) -> Driver:
    match declared:
        case fleetfile.Simulated(durations=durations):
            return SimulatedDriver(durations)
        case fleetfile.Command(program=program, time_limit=limit):
            if data is None:
                raise Invalid("The command driver needs a data directory, to know what it has done: give --data.")
            return CommandDriver(program, data / "actions", limit.total_seconds())


class _Feed:
    """Tells the metadata service, and those who watch."""

    def __init__(self, fleet: imds.Fleet, hub: Hub) -> None:
        self._fleet = fleet
        self._hub = hub

    def publish(self, news: News) -> None:
        facts = {scope.id: _facts(scope) for scope in news.scopes}
        self._fleet.publish(
            documents=news.documents,
            machines=news.machines,
            gone=news.gone,
            facts=facts,
            dissolved=news.dissolved,
        )
        self._hub.publish(news)


def _facts(scope: Scope) -> ScopeFacts:
    group = str(uuid.uuid5(uuid.NAMESPACE_URL, scope.id)) if scope.kind is ScopeKind.PLACEMENT_GROUP else ""
    return ScopeFacts(
        kind=scope.kind,
        name=scope.id.rpartition("/")[2],
        scale_set=(scope.scale_set or "").rpartition("/")[2],
        placement_group_id=group,
        flexible=scope.flexible,
    )


# The control plane


@asynccontextmanager
async def _control(
    native: ASGIApp,
    engine: Engine,
    clock: FleetClock,
    access: Access,
    tls: ServerTls,
    options: Options,
    served: Counter[tuple[str, str]],
    webhooks: Webhooks,
    own_ports: set[int],
) -> AsyncIterator[tuple[str, str | None]]:
    """Both faces on both ports. Yields the URLs: plain http's, and that of HTTPS if it is wanted."""
    https: list[int] = []
    arm = create_arm(
        engine=engine,
        clock=clock,
        access=access,
        new_id=new_id,
        https_port=lambda: next(iter(https), None),
        wall=wall,
        webhooks=webhooks,
    )
    app = joined(native, Guard(arm, _hosts(options), served))
    async with AsyncExitStack() as stack:
        if options.arm is not None:
            host, port = options.arm
            secure = serving(app, host, port, wildcard=options.any_address, tls=tls.context, option="--arm")
            https.append(await stack.enter_async_context(secure))
        host, port = options.control
        port = await stack.enter_async_context(serving(app, host, port, wildcard=options.any_address))
        own_ports.update((port, *https))
        yield f"http://{authority(host, port)}", _arm_url(options.arm[0], https[0]) if options.arm else None


def _hosts(options: Options) -> list[str]:
    """The names, as they stand in a Host header, under which the control plane may be asked."""
    places = [place for place in (options.control, options.arm) if place is not None]
    return [*(bracketed(host) for host, _ in places), *options.rules.host_names]


def _arm_url(host: str, port: int) -> str:
    """By name where that is enough: more proxies and tools make an exception for localhost than for its address."""
    return f"https://localhost:{port}" if host == "127.0.0.1" else f"https://{authority(host, port)}"


def _certified(options: Options) -> list[str]:
    """The names in the server's certificate, beside those of loopback."""
    host = options.arm[0] if options.arm else "::"
    return [*options.rules.host_names, *([] if ip_address(host).is_unspecified else [host])]


async def _tend(access: Access, tls: ServerTls, rotate_after: timedelta) -> None:
    """Keys are rotated, and the server's certificate renewed, without a restart."""
    while True:
        try:
            await access.tend(rotate_after)
            await asyncio.to_thread(tls.tend, wall())
        except (OSError, Unavailable):
            log.warning("keys and certificates could not be looked after; what is there holds", exc_info=True)
        await asyncio.sleep(TEND_ACCESS_EVERY)


# The metadata service


@asynccontextmanager
async def _metadata(
    options: Options,
    engine: Engine,
    clock: FleetClock,
    fleet: imds.Fleet,
    access: Access,
    own_ports: set[int],
) -> AsyncIterator[tuple[imds.Server, Callable[[Machine], str]]]:
    host, port = options.metadata
    _, _, name = options.identity.partition("=")
    identity = identity_called(options.identity, await engine.store.read(lambda r: machines_called(r, name)))
    listener = listen(host, port, identity, fleet.addresses, wildcard=options.any_address)
    own_ports.add(listener.port)
    more = await _socket_files(engine, options.sockets) if options.sockets else []
    server = imds.Server(
        fleet=fleet,
        backend=engine,
        clock=clock,
        seed=new_id().lower(),
        identities=_Identities(access),
        limits=options.limits,
        rules=options.rules,
    )
    clock.on_set(server.beat)  # the Date of the next answer is the new time
    try:
        for each in (listener, *more):
            await server.serve(each)
        yield server, url_maker(host, listener.port, identity)
    finally:
        await server.close()


class _Identities:
    """Every machine has one, and may do nothing with it until somebody gives it a role."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def client_id(self, machine: Machine) -> str:
        return self._access.object_id(principal_of(machine))

    async def issue_token(self, machine: Machine, resource: str) -> Token:
        """Signing takes a millisecond, which others need not wait for."""
        grant = await asyncio.to_thread(self._access.issue, principal_of(machine), name=machine.name, audience=resource)
        return Token(
            access_token=grant.token,
            client_id=self.client_id(machine),
            resource=resource,
            issued=grant.issued,
            expires=grant.expires,
        )


async def _socket_files(engine: Engine, directory: Path) -> list[Listener]:
    return socket_files(directory, await engine.store.read(lambda reader: list(every_machine(reader))))


async def _save_marks(engine: Engine, server: imds.Server) -> None:
    """Save who asked last, now and then; a restart forgets a minute of it at most."""
    try:
        while True:
            await asyncio.sleep(SAVE_MARKS_EVERY)
            with suppress(Unavailable):  # who asks again is marked again
                await engine.mark_seen(server.take_seen())
    finally:
        await engine.mark_seen(server.take_seen())


def _metrics(server: imds.Server) -> Iterable[Family]:
    yield single("forewarn_metadata_answers_total", "counter", "Answers of the metadata service.", server.answers)
    yield single(
        "forewarn_metadata_connections", "gauge", "Open connections to the metadata service.", server.connections
    )
    yield single("forewarn_metadata_parked", "gauge", "Requests parked until their document changes.", server.parked)


def _deliveries(deliverer: Deliverer) -> Family:
    tally = deliverer.tally
    outcomes = {"delivered": tally.delivered, "postponed": tally.postponed, "dropped": tally.dropped}
    samples = [({"outcome": name}, float(count)) for name, count in outcomes.items()]
    return Family("forewarn_webhook_deliveries_total", "counter", "What came of telling webhooks of events.", samples)


@asynccontextmanager
async def _tasks(**work: Coroutine[Any, Any, None]) -> AsyncIterator[tuple["asyncio.Task[None]", ...]]:
    """What runs beside the servers. Each ends with the block."""
    tasks = tuple(asyncio.create_task(coroutine, name=name) for name, coroutine in work.items())
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
