"""Run inside a private network: serves 169.254.169.254:80 to one machine while shell commands ask there in turn.

`python -m tests.clients.real_address MACHINE COMMAND…`. Behind the address is a whole engine with one Reboot scheduled
for that machine, and the host is called like it. Every id it mints is the one that Azure's pages print, so that their
samples can be run without a change. Prints how each command went, as a list in JSON.
"""

import asyncio
import json
import os
import socket
import sys
from dataclasses import asdict

from forewarn import imds
from forewarn.domain.events import Actor, EventType
from forewarn.domain.maintenance import Maintenance
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ports import News
from forewarn.imds.connection import Connection
from forewarn.imds.listeners import Listener, on_address
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from forewarn.wire import fleetfile
from tests.clients.asking import PRINTED_ID, ROLE_INSTANCE, VM, Asked

FLEET = "[machine.vm1]\n[cloud_service.shop.role.FrontEnd]\ninstances = 1"
SCOPES = {VM: "vm1", ROLE_INSTANCE: "shop"}


class Feed:
    def __init__(self, fleet: imds.Fleet) -> None:
        self._fleet = fleet

    def publish(self, news: News) -> None:
        self._fleet.publish(documents=news.documents, machines=news.machines, gone=news.gone)


class Overheard(Connection):
    def __init__(self, server: imds.Server, listener: Listener, heard: bytearray) -> None:
        super().__init__(server, listener)
        self.heard = heard

    def data_received(self, data: bytes) -> None:
        self.heard += data
        super().data_received(data)


async def main(name: str, commands: list[str]) -> list[Asked]:
    machine = (SCOPES[name], name)
    clock = FleetClock(lambda: NOON, ClockState(wall=NOON, fleet=NOON, rate=0.0))
    fleet = imds.Fleet()
    declared = fleetfile.parse(FLEET, "fleet.toml").fleet
    engine = Engine(
        store=MemoryStore(), clock=clock, feed=Feed(fleet), new_id=PRINTED_ID.upper, settings=declared.settings
    )
    await engine.load_fleet(declared, "")
    await engine.schedule([machine], Maintenance(impact=EventType.REBOOT), Actor.user("operator"))
    server = imds.Server(fleet=fleet, backend=engine, clock=clock, seed=PRINTED_ID)
    listener = on_address("169.254.169.254", 80, imds.Everyone(*machine))
    heard = bytearray()
    (bound,) = listener.sockets
    listening = await server.loop.create_server(lambda: Overheard(server, listener, heard), sock=bound)
    socket.sethostname(name)  # of this private network only, or the address could not have been taken
    try:
        return [await asked(command, heard) for command in commands]
    finally:
        listening.close()
        await server.close()


async def asked(command: str, heard: bytearray) -> Asked:
    heard.clear()
    bare = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}  # and so without a proxy
    shell = await asyncio.create_subprocess_shell(
        command, env=bare, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, complaint = await asyncio.wait_for(shell.communicate(), timeout=30)
    return Asked(code=shell.returncode or 0, said=said.decode(), complaint=complaint.decode(), heard=heard.decode())


if __name__ == "__main__":
    print(json.dumps([asdict(one) for one in asyncio.run(main(sys.argv[1], sys.argv[2:]))]))
