"""Run inside a private network: serves 169.254.169.254:80 while shell commands, its arguments, ask there in turn.

Behind it is a whole engine with one machine and one Reboot scheduled. Every id it mints is the one that Azure's pages
print, so that their samples can be run without a change. Prints what each command answered, as a list in JSON.
"""

import asyncio
import json
import os
import sys

from forewarn import imds
from forewarn.domain.events import Actor, EventType
from forewarn.domain.maintenance import Maintenance
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.ports import News
from forewarn.imds.listeners import on_address
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from forewarn.wire import fleetfile

PRINTED_ID = "f020ba2e-3bc0-4c40-a10b-86575a9eabd5"
VM = ("vm1", "vm1")  # a machine alone is its own scope


class Feed:
    def __init__(self, fleet: imds.Fleet) -> None:
        self._fleet = fleet

    def publish(self, news: News) -> None:
        self._fleet.publish(documents=news.documents, machines=news.machines, gone=news.gone)


async def main(commands: list[str]) -> list[str]:
    clock = FleetClock(lambda: NOON, ClockState(wall=NOON, fleet=NOON, rate=0.0))
    fleet = imds.Fleet()
    declared = fleetfile.parse("[machine.vm1]", "fleet.toml").fleet
    engine = Engine(
        store=MemoryStore(), clock=clock, feed=Feed(fleet), new_id=PRINTED_ID.upper, settings=declared.settings
    )
    await engine.load_fleet(declared, "")
    await engine.schedule([VM], Maintenance(impact=EventType.REBOOT), Actor.user("operator"))
    server = imds.Server(fleet=fleet, backend=engine, clock=clock, seed=PRINTED_ID)
    await server.serve(on_address("169.254.169.254", 80, imds.Everyone(*VM)))
    try:
        return [await answer(command) for command in commands]
    finally:
        await server.close()


async def answer(command: str) -> str:
    only_path = {"PATH": os.environ["PATH"]}  # no proxy of the tester's may come between
    shell = await asyncio.create_subprocess_shell(
        command, env=only_path, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    said, complaint = await asyncio.wait_for(shell.communicate(), timeout=20)
    assert shell.returncode == 0, complaint.decode()
    return said.decode()


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(sys.argv[1:]))))
