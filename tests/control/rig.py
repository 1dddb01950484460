"""A whole control plane in a thread of its own: memory store, standing clock, real sockets.

Every JSON answer is checked against the OpenAPI document, so each test is also a test of that.
"""

import asyncio
import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime, timedelta
from functools import cache
from typing import Any, TypeVar

import msgspec
from openapi_schema_validator import OAS31Validator

from forewarn.access.entrance import Entrance
from forewarn.arm.app import create_arm
from forewarn.control.app import create_app, endpoints
from forewarn.control.census import Census
from forewarn.control.desk import Desk
from forewarn.control.faces import joined
from forewarn.control.guard import Guard
from forewarn.control.openapi import document
from forewarn.control.server import serving
from forewarn.domain.events import Action, Actor
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.hub import Hub
from forewarn.engine.player import Player
from forewarn.engine.ports import Done, Failed, News, Running, Store
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.imds import Fleet, Playbook, TrialServer
from forewarn.portal.app import create_portal
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from forewarn.wire.fleetfile import Simulated, parse
from forewarn.wiring.portal import portal_desk
from tests.access.making import an_access, bearer
from tests.arm.desks import an_arm_desk

T = TypeVar("T")

FLEET = """
[machine.solo]
[machine.spot]
priority = "Spot"
[availability_set.db]
machines = 3
update_domains = 3
[scale_set.web]
instances = 102
terminate_notification = "10m"
[availability_set.twins]
machines = ["solo", "other"]
"""
IMPACT = timedelta(seconds=5)


class FiveSeconds:
    """Every impact takes five seconds; one on a machine in `failing` fails."""

    time_limit = 5.0

    def __init__(self) -> None:
        self.failing: set[str] = set()

    async def perform(self, action: Action, now: datetime) -> Done | Running | Failed:
        if action.machine in self.failing:
            return Failed("told to fail")
        over = action.started_at + IMPACT
        return Done() if over <= now else Running(over)


class Rig:
    def __init__(self, rate: float | None, heartbeat: float, patience: float) -> None:
        self.loop = asyncio.new_event_loop()
        self.parts = {"ticker": True, "worker": True}
        self._heartbeat, self._patience = heartbeat, patience
        self._serving = AsyncExitStack()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self.port = self.run(self._start(rate))
        self.url = f"http://127.0.0.1:{self.port}"

    async def _start(self, rate: float | None) -> int:
        counter = iter(range(1, 1_000_000))
        self._new_id: Callable[[], str] = lambda: f"{next(counter):08X}-0000-4000-8000-000000000000"
        self.store: Store = MemoryStore()
        self.access = an_access(self.store)
        self.bearer = bearer(self.access)
        self.clock = FleetClock(lambda: NOON, None if rate is None else ClockState(wall=NOON, fleet=NOON, rate=rate))
        self.driver = FiveSeconds()
        declared = parse(FLEET, "rig.toml").fleet
        self.engine = Engine(
            store=self.store, clock=self.clock, feed=self, new_id=self._new_id, settings=declared.settings
        )
        self.ticker = Ticker(self.engine)
        self.worker = Worker(self.engine, self.driver, lambda: NOON)
        self.player = Player(self.engine, self.clock, self.ticker, self.worker)
        self.fleet = Fleet()
        metadata = TrialServer(fleet=self.fleet, backend=self.engine, clock=self.clock, seed=self._new_id())
        self.book = Playbook(self.fleet, metadata, now=self.clock.now, monotonic=time.monotonic)
        port = await self._serve(0)
        await self.engine.load_fleet(declared, "first")
        return port

    async def _serve(self, port: int) -> int:
        self.hub = Hub(self.store, heartbeat=self._heartbeat)
        desk = Desk(
            engine=self.engine,
            access=self.access,
            entrance=Entrance(self.access, wall=lambda: NOON, new_secret=self._new_id),
            player=self.player,
            clock=self.clock,
            hub=self.hub,
            census=Census(self.engine),
            new_id=self._new_id,
            version="1.2.3",
            metadata_url=lambda machine: f"http://{machine.address}:8254/",
            driver=Simulated(),
            book=None if self.clock.is_real else self.book,
            alive=lambda: self.parts,
            patience=self._patience,
        )
        app = create_app(desk, hosts=["forewarn.example"])
        arm = create_arm(an_arm_desk(self.engine, self.clock, self.access))
        self.entrance = desk.entrance
        self.portal = create_portal(portal_desk(desk, arm, development=True))
        faces = joined(app, Guard(self.portal, ["forewarn.example"], desk.served), arm)
        port = await self._serving.enter_async_context(serving(faces, "127.0.0.1", port))
        self._serving.callback(self.hub.close)
        return port

    def publish(self, news: News) -> None:
        self.fleet.publish(documents=news.documents, machines=news.machines, gone=news.gone, dissolved=news.dissolved)
        self.hub.publish(news)

    async def restart_server(self) -> None:
        await self._serving.aclose()
        await self._serve(self.port)

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(30)

    def until(self, condition: Callable[[], bool]) -> None:
        """Let the server work until it is so."""
        deadline = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < deadline
            self.run(asyncio.sleep(0))

    def enrol(self, scope: str) -> None:
        self.run(self.engine.enrol(scope, Actor.machine("somebody")))

    def stop(self) -> None:
        self.run(self._serving.aclose())
        self.run(self.store.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)

    def raw(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, bytes, Mapping[str, str]]:
        """As the local login, unless the headers say something else."""
        connection = self.connect()
        try:
            connection.request(method, path, body, {**self.bearer, **(headers or {})})
            response = connection.getresponse()
            return response.status, response.read(), {k.lower(): v for k, v in response.headers.items()}
        finally:
            connection.close()

    def ask(
        self, method: str, path: str, body: object = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any]:
        """Status and answer, which is what the OpenAPI document says it is."""
        raw = None if body is None else json.dumps(body).encode()
        told = {"Content-Type": "application/json"} if raw is not None else {}
        status, answer, _ = self.raw(method, path, raw, {**told, **(headers or {})})
        value = json.loads(answer)
        check_answer(method, path, status, value)
        return status, value

    def describe(self, path: str, body: object) -> None:
        """Over ARM, below the subscription."""
        target = f"{self.access.subscription}/resourceGroups/{path}?api-version=2024-11-01"
        status, answer, _ = self.raw("PUT", target, json.dumps(body).encode(), {"Content-Type": "application/json"})
        assert status in (200, 201), answer

    def get(self, path: str) -> Any:
        status, value = self.ask("GET", path)
        assert status == 200, value
        return value

    def post(self, path: str, body: object = None, key: str | None = None) -> Any:
        status, value = self.ask("POST", path, body, {"Idempotency-Key": key} if key else None)
        assert status in (200, 201, 202), value
        return value

    def refused(self, method: str, path: str, body: object = None) -> tuple[int, str]:
        status, value = self.ask(method, path, body)
        assert status >= 400, value
        return status, value["error"]["message"]


@contextmanager
def running(rate: float | None = 0.0, heartbeat: float = 15.0, patience: float = 20.0) -> Iterator[Rig]:
    rig = Rig(rate, heartbeat, patience)
    try:
        yield rig
    finally:
        rig.stop()


@cache
def openapi() -> dict[str, Any]:
    decoded: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(document(endpoints("1.2.3"), "1.2.3")))
    return decoded


def check_answer(method: str, path: str, status: int, value: object) -> None:
    operation = _operation(method, path.partition("?")[0])
    if operation is None:
        assert status in (400, 403, 404, 405, 421), (method, path, status)
        return
    responses = operation["responses"]
    answer = responses.get(str(status)) or responses[f"{status // 100}XX"]
    schema = answer["content"]["application/json"].get("schema", {})
    if schema.get("type") != "string":
        OAS31Validator({**schema, "components": openapi()["components"]}).validate(value)


def _operation(method: str, path: str) -> dict[str, Any] | None:
    for template, methods in openapi()["paths"].items():
        pattern = re.sub(r"\\\{machine\\\}", ".+", re.escape(template))
        if method.lower() in methods and re.fullmatch(re.sub(r"\\\{\w+\\\}", "[^/]+", pattern), path):
            found: dict[str, Any] = methods[method.lower()]
            return found
    return None
