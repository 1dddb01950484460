"""The server under fire, in a process of its own: on loopback, whose port it prints, and on a unix socket.

Ends with its standard input.
"""

import asyncio
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import uvloop

from forewarn.domain.errors import NotFound
from forewarn.domain.events import Actor, Event
from forewarn.imds import Fleet, Limits, Server
from forewarn.imds.listeners import on_loopback, on_socket_file
from forewarn.testing.builders import an_event
from tests.imds.world import REBOOT, SEED, Identities, announcement, document, machine

FILE = "vm1"


class Clock:
    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)


class Backend:
    async def enrol(self, scope: str, by: Actor) -> None:
        raise AssertionError("the scope is enrolled")

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        await asyncio.sleep(0)
        return tuple(id for id in ids if id != REBOOT)

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        return await self.readiness(scope, event_id)

    async def readiness(self, scope: str, event_id: str) -> Event:
        await asyncio.sleep(0)
        if event_id != REBOOT:
            raise NotFound("There is no such event here.")
        return an_event(REBOOT, scope, resources=("vm1",))


async def serve() -> None:
    fleet = Fleet()
    fleet.publish(machines=[machine("vm1", "alpha", "127.0.0.1")], documents=[document("alpha", 2, announcement())])
    server = Server(fleet=fleet, backend=Backend(), identities=Identities(), clock=Clock(), seed=SEED, limits=Limits())
    listener = on_loopback(0)
    await server.serve(listener)
    await server.serve(on_socket_file(Path(sys.argv[1]), FILE, "alpha", "vm1"))
    print(listener.port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    await server.close()


if __name__ == "__main__":
    uvloop.run(serve())
