"""The ARM face on a real engine: memory store, standing clock, tokens, no sockets."""

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping
from datetime import datetime, timedelta
from typing import Any, TypeVar

from forewarn.arm.app import create_arm
from forewarn.domain.events import Action, Actor
from forewarn.domain.settings import Settings
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.player import Player
from forewarn.engine.ports import Done, News
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from tests.access.asking import Answer, ask
from tests.access.making import SUBSCRIPTION, an_access, bearer
from tests.arm.desks import an_arm_desk

T = TypeVar("T")

S = f"/subscriptions/{SUBSCRIPTION}"
RG = f"{S}/resourceGroups/rg"
VERSION = "2024-11-01"


class AtOnce:
    """Every impact is over as soon as it begins."""

    time_limit = 5.0

    async def perform(self, action: Action, now: datetime) -> Done:
        return Done()


class Rig:
    def __init__(self) -> None:
        counter = iter(range(1, 1_000_000))
        new_id: Callable[[], str] = lambda: f"{(n := next(counter)):08X}-0000-4000-8000-{n:012X}"  # noqa: E731
        self.store = MemoryStore()
        self.access = an_access(self.store)
        self.clock = FleetClock(lambda: NOON, ClockState(wall=NOON, fleet=NOON, rate=0.0))
        self.engine = Engine(store=self.store, clock=self.clock, feed=self, new_id=new_id, settings=Settings())
        self.player = Player(self.engine, self.clock, Ticker(self.engine), Worker(self.engine, AtOnce(), lambda: NOON))
        self.app = create_arm(an_arm_desk(self.engine, self.clock, self.access), https_port=lambda: 8443)
        self._tokens: dict[str, Mapping[str, str]] = {}

    def publish(self, news: News) -> None:
        """Nobody watches."""

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run(work)

    def enrol(self, scope: str) -> None:
        self.run(self.engine.enrol(scope, Actor.machine("somebody")))

    def advance(self, **time: float) -> None:
        self.run(self.player.advance(timedelta(**time)))

    def ask(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        who: str = "local",
        version: str = VERSION,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The api-version is added; a body that is no bytes is sent as JSON."""
        target = f"{path}{'&' if '?' in path else '?'}api-version={version}" if version else path
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if who not in self._tokens:
            self._tokens[who] = bearer(self.access, who)
        return ask(self.app, method, target, {**self._tokens[who], **(headers or {})}, raw)

    def get(self, path: str, **how: Any) -> Any:
        answer = self.ask("GET", path, **how)
        assert answer.status == 200, answer.body
        return answer.json

    def put(self, path: str, body: object, **how: Any) -> Any:
        answer = self.ask("PUT", path, body, **how)
        assert answer.status in (200, 201), answer.body
        return answer.json

    def refused(self, method: str, path: str, body: object = None, **how: Any) -> tuple[int, str]:
        """The status and ARM's code."""
        answer = self.ask(method, path, body, **how)
        assert answer.status >= 400, answer.body
        return answer.status, answer.code

    def names(self, path: str, **how: Any) -> list[str]:
        return [item["name"] for item in self.get(path, **how)["value"]]


def a_rig() -> Rig:
    """With one resource group."""
    rig = Rig()
    rig.put(RG, {"location": "eastus"})
    return rig
