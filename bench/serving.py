"""A metadata service with one scope and two events in its document, for the HTTP benchmarks."""

import argparse
import asyncio
import signal
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import uvloop

from forewarn.domain.events import Actor, Announcement, Document, Event, EventType, Phase, Source
from forewarn.domain.machines import Machine
from forewarn.imds import Fleet, Limits, Server
from forewarn.imds.listeners import on_loopback

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SEED = "5d1c2f60-0000-4000-8000-000000000000"


class Clock:
    """The wall clock; the service reads it once a second."""

    def now(self) -> datetime:
        return datetime.now(UTC)  # noqa: TID251  a benchmark has no wiring


class Backend:
    async def enrol(self, scope: str, by: Actor) -> None:
        raise NotImplementedError("the scope is enrolled")

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        raise NotImplementedError("nobody approves here")

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        raise NotImplementedError("nobody is ready here")

    async def readiness(self, scope: str, event_id: str) -> Event:
        raise NotImplementedError("nobody asks that here")


def document(incarnation: int) -> Document:
    return Document(
        scope="web",
        epoch=1,
        incarnation=incarnation,
        enrolled=True,
        announcements=tuple(
            Announcement(
                id=f"C7061BAC-AFDC-4513-B24B-AA5F13A1612{number}",
                phase=Phase.SCHEDULED,
                type=EventType.REBOOT,
                source=Source.PLATFORM,
                resources=(f"web_{number}",),
                not_before=NOON + timedelta(minutes=15),
                description="Host server is undergoing maintenance.",
                duration=-1,
            )
            for number in range(2)
        ),
    )


def small_fleet() -> Fleet:
    fleet = Fleet()
    fleet.publish(machines=[Machine(scope="web", name="web_0", address="127.0.0.1")], documents=[document(2)])
    return fleet


async def serve(port: int, memo: bool) -> None:
    limits = Limits(memo_requests=Limits().memo_requests if memo else 0)
    server = Server(fleet=small_fleet(), backend=Backend(), clock=Clock(), seed=SEED, limits=limits)
    await server.serve(on_loopback(port))
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await ended.wait()
    await server.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--memo", choices=["on", "off"], default="on")
    arguments = parser.parse_args()
    uvloop.run(serve(arguments.port, arguments.memo == "on"))
