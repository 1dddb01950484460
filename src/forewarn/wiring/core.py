"""What all faces of Forewarn share: the store, the engine over it, and the fleet it was told of."""

import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from forewarn import imds
from forewarn.access.audit import Audit
from forewarn.access.service import Access, credentials_in, open_access
from forewarn.domain.errors import Invalid
from forewarn.domain.rates import rate_of
from forewarn.domain.settings import Settings
from forewarn.drivers.command import CommandDriver
from forewarn.drivers.simulated import SimulatedDriver
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.hub import Hub
from forewarn.engine.loading import FLEET_NOTE
from forewarn.engine.player import clock_state
from forewarn.engine.ports import Driver, News
from forewarn.grid.calling import Webhooks
from forewarn.store.memory import MemoryStore
from forewarn.store.sqlite import open_store
from forewarn.wire import fleetfile
from forewarn.wiring.feed import Feed
from forewarn.wiring.minting import new_id, new_secret, wall
from forewarn.wiring.options import Options


@dataclass(frozen=True, kw_only=True, slots=True)
class Core:
    options: Options
    data: Path  # the data directory; one that ends with this, if none was given
    clock: FleetClock
    engine: Engine
    driver: Driver
    declared_driver: fleetfile.Simulated | fleetfile.Command
    access: Access
    fleet: imds.Fleet  # the documents, as the metadata service holds them
    hub: Hub  # those who watch
    webhooks: Webhooks
    own_ports: set[int]  # which no webhook may lead to; each server adds its own once it listens


@asynccontextmanager
async def opened(options: Options) -> AsyncIterator[Core]:
    async with AsyncExitStack() as stack:
        store = await asyncio.to_thread(open_store, options.data) if options.data else MemoryStore()
        stack.push_async_callback(store.close)
        clock = FleetClock(wall, await clock_state(store, rate_of(options.clock), wall, options.start))
        fleet, hub = imds.Fleet(), Hub(store)
        feed = Feed(fleet, hub)
        engine = Engine(
            store=store,
            clock=clock,
            feed=feed,
            new_id=options.new_id,
            settings=Settings(),
            heard=fleet.heard,
        )
        await engine.publish_all()
        declared = await _load(engine, options)
        driver = _driver(declared, options.data)
        if options.first_answer_delay is not None:
            engine.settings = replace(engine.settings, first_answer_delay=options.first_answer_delay)
        data = options.data or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="forewarn-")))
        credentials = options.credentials or await credentials_in(
            data, new_id=new_id, new_secret=new_secret, now=wall()
        )
        audit = Audit(store, clock.now, lambda entries: feed.publish(News(entries=entries)))
        own_ports: set[int] = set()
        yield Core(
            options=options,
            data=data,
            clock=clock,
            engine=engine,
            driver=driver,
            declared_driver=declared,
            access=await open_access(credentials, audit, new_secret=new_secret, wall=wall),
            fleet=fleet,
            hub=hub,
            webhooks=Webhooks(lambda: own_ports),
            own_ports=own_ports,
        )


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
