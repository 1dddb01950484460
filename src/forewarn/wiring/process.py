"""Forewarn as a process of its own: it runs until a signal, or the end of one of its parts, ends it."""

import asyncio
import gc
import logging
import resource
import signal
from collections.abc import Awaitable, Callable

import uvloop

from forewarn.domain.errors import Unavailable
from forewarn.wiring.assembly import Forewarn, running
from forewarn.wiring.options import Options

log = logging.getLogger(__name__)


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
