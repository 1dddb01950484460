"""The whole of Forewarn, put together part by part."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from forewarn import __version__, imds
from forewarn.access.departures import Departures
from forewarn.access.entrance import Entrance
from forewarn.access.service import Access
from forewarn.control.census import Census
from forewarn.control.desk import Desk
from forewarn.domain.machines import Machine
from forewarn.drivers.simulated import SimulatedDriver
from forewarn.engine.clock import FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.player import Player
from forewarn.engine.ports import Driver
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.grid.deliverer import Deliverer
from forewarn.wiring.control import Places, server_tls, serving_control, tend
from forewarn.wiring.core import Core, opened
from forewarn.wiring.metadata import Metadata, save_marks, serving_metadata
from forewarn.wiring.metrics import figures
from forewarn.wiring.minting import new_secret, wall
from forewarn.wiring.options import Options

Tasks = tuple["asyncio.Task[None]", ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Forewarn:
    """A running one."""

    engine: Engine
    clock: FleetClock
    player: Player
    driver: Driver
    access: Access
    entrance: Entrance
    server: imds.Server
    metadata_url: Callable[[Machine], str]
    control_url: str
    arm_url: str | None
    tasks: Tasks

    def portal_link(self) -> str:
        """For whoever started it: it opens the portal once."""
        local = self.access.local
        return self.control_url + self.entrance.place(local.client_id, local.client_id)


@asynccontextmanager
async def running(options: Options) -> AsyncIterator[Forewarn]:
    """Everything, from the moment it answers until the block ends."""
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(opened(options))
        tls = await server_tls(core)
        ticker, worker = Ticker(core.engine), Worker(core.engine, core.driver, wall)
        deliverer = Deliverer(core.engine, core.webhooks, wall)
        departures = Departures(core.access, core.engine.store)
        core.engine.on_change(lambda change: departures.note(change.gone))
        metadata = await stack.enter_async_context(serving_metadata(core))
        tasks = await stack.enter_async_context(
            _tasks(
                ticker=ticker.run(),
                worker=worker.run(),
                deliverer=deliverer.run(),
                marks=save_marks(core.engine, metadata.server),
                access=tend(core, tls),
                departures=departures.run(),
                refusals=core.access.refusals.run(),
            )
        )
        player = Player(core.engine, core.clock, ticker, worker, moved=metadata.server.beat)
        desk = _desk(core, player, metadata, deliverer, tasks)
        places = await stack.enter_async_context(serving_control(core, desk, tls))
        stack.callback(core.hub.close)
        if metadata.book is not None:
            stack.callback(metadata.book.close)
        yield _told(core, desk, metadata, places, tasks)


def _desk(core: Core, player: Player, metadata: Metadata, deliverer: Deliverer, tasks: Tasks) -> Desk:
    return Desk(
        engine=core.engine,
        access=core.access,
        entrance=Entrance(core.access, wall=wall, new_secret=new_secret),
        player=player,
        clock=core.clock,
        hub=core.hub,
        census=Census(core.engine),
        new_id=core.options.new_id,
        version=__version__,
        metadata_url=metadata.url,
        fail_next=core.driver.fail_next if isinstance(core.driver, SimulatedDriver) else None,
        book=metadata.book,
        driver=core.declared_driver,
        alive=lambda: {task.get_name(): not task.done() for task in tasks},
        more_metrics=lambda: figures(metadata.server, deliverer),
    )


def _told(core: Core, desk: Desk, metadata: Metadata, places: Places, tasks: Tasks) -> Forewarn:
    return Forewarn(
        engine=core.engine,
        clock=core.clock,
        player=desk.player,
        driver=core.driver,
        access=core.access,
        entrance=desk.entrance,
        server=metadata.server,
        metadata_url=metadata.url,
        control_url=places.control,
        arm_url=places.arm,
        tasks=tasks,
    )


@asynccontextmanager
async def _tasks(**work: Coroutine[Any, Any, None]) -> AsyncIterator[Tasks]:
    """What runs beside the servers. Each ends with the block."""
    tasks = tuple(asyncio.create_task(coroutine, name=name) for name, coroutine in work.items())
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
