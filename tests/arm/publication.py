"""The ARM face in the test's own loop, with a fleet whose sets tell the outside of their events."""

import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from forewarn.access.audit import Audit
from forewarn.access.files import RESOURCE
from forewarn.access.service import Access, credentials_in, open_access
from forewarn.arm.app import create_arm
from forewarn.control.server import serving
from forewarn.domain.access import Assignment, Role
from forewarn.domain.events import Actor, EventType
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import Machine, Profile
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.engine.clock import ClockState, FleetClock
from forewarn.engine.engine import Engine
from forewarn.engine.player import Player
from forewarn.engine.ports import Store
from forewarn.engine.ticker import Ticker
from forewarn.engine.worker import Worker
from forewarn.grid.calling import Webhooks
from forewarn.grid.deliverer import Deliverer
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from tests.arm.desks import an_arm_desk
from tests.engine.desk import Notebook, ObedientDriver

ALICE = Actor.user("alice")
PUBLISHED = EventsPolicy(publish=True)
VERSION = {
    "Microsoft.Maintenance": "2025-10-01-preview",
    "Microsoft.EventGrid": "2025-02-15",
    "Microsoft.ResourceGraph": "2024-04-01",
}


class Rig:
    """`wall` is what the test says it is; only the network takes real time."""

    url: str
    access: Access

    def __init__(self, store: Store) -> None:
        counter = iter(range(1, 1_000_000))
        self.new_id = lambda: f"{next(counter):08X}-0000-4000-8000-000000000000"
        self.wall = NOON
        self.store = store
        self.clock = FleetClock(lambda: self.wall, ClockState(wall=NOON, fleet=NOON, rate=0.0))
        self.driver = ObedientDriver()
        self.engine = Engine(store=store, clock=self.clock, feed=Notebook(), new_id=self.new_id, settings=Settings())
        self.ticker = Ticker(self.engine)
        self.worker = Worker(self.engine, self.driver, self.now)
        self.player = Player(self.engine, self.clock, self.ticker, self.worker)
        self.own_ports: set[int] = set()
        self.webhooks = Webhooks(lambda: self.own_ports, patience=5.0)
        self.deliverer = Deliverer(self.engine, self.webhooks, self.now)

    def now(self) -> datetime:
        return self.wall

    @property
    def subscription(self) -> str:
        return self.access.subscription

    def group(self, name: str = "forewarn") -> str:
        return f"{self.subscription}/resourceGroups/{name}"

    def compute(self, kind: str, name: str, group: str = "forewarn") -> str:
        return f"{self.group(group)}/providers/Microsoft.Compute/{kind}/{name}"

    async def declare(self, policy: EventsPolicy = PUBLISHED, text: str = "first") -> None:
        """A machine alone, an availability set of two, a scale set of two, and a machine of another group."""
        scopes = [
            Scope(id="alone", kind=ScopeKind.STANDALONE, policy=policy),
            Scope(id="db", kind=ScopeKind.AVAILABILITY_SET, policy=policy),
            Scope(id="web:0", kind=ScopeKind.PLACEMENT_GROUP, scale_set="web", policy=policy),
            Scope(id="other", kind=ScopeKind.STANDALONE, policy=policy),
        ]
        here = Profile(subscription_id=self.access.local.subscription, location="westus2")
        there = replace(here, resource_group="Elsewhere")
        machines = [
            Machine(scope="alone", name="alone", profile=here),
            *(Machine(scope="db", name=f"db-{i}", update_domain=i, profile=here) for i in range(2)),
            *(Machine(scope="web:0", name=f"web_{i}", update_domain=i, profile=here) for i in range(2)),
            Machine(scope="other", name="other", profile=there),
        ]
        await self.engine.load_fleet(Fleet(scopes=tuple(scopes), machines=tuple(machines)), text)
        for scope in scopes:
            await self.engine.enrol(scope.id, ALICE)

    async def schedule(self, scope: str, *machines: str) -> str:
        """A Reboot that these machines are given notice of; the event's id."""
        work = Maintenance(impact=EventType.REBOOT, notice=timedelta(minutes=15))
        (operation, *_) = await self.engine.schedule([(scope, name) for name in machines], work, ALICE)
        return str(operation.event)

    async def phase(self, event: str) -> str:
        return (await self.engine.event(event)).phase.value

    async def ask(self, method: str, path: str, body: object = None, who: str = "local") -> tuple[int, Any]:
        provider = next((version for name, version in VERSION.items() if name.lower() in path.lower()), "2024-03-01")
        token = self.access.issue(who, name=who, audience=RESOURCE).token
        raw = b"" if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        answer = await CLIENT.call(method, f"{self.url}{path}?api-version={provider}", headers, raw)
        return answer.status, json.loads(answer.body) if answer.body else None

    async def give(self, who: str, role: Role, scope: str) -> None:
        given = Assignment(id=f"{who} {role.value} {scope}", principal=who, role=role, scope=scope)
        await self.access.assignments.put(given)

    async def subscribe(self, endpoint: str, name: str = "hook", **properties: Any) -> tuple[int, Any]:
        destination = {"endpointType": "WebHook", "properties": {"endpointUrl": endpoint}}
        path = f"{self.subscription}/providers/Microsoft.EventGrid/eventSubscriptions/{name}"
        return await self.ask("PUT", path, {"properties": {"destination": destination, **properties}})


CLIENT = Webhooks()


@asynccontextmanager
async def rigged(
    data: Path, store: Store | None = None, policy: EventsPolicy = PUBLISHED, *, declare: bool = True
) -> AsyncIterator[Rig]:
    rig = Rig(store or MemoryStore())
    async with AsyncExitStack() as stack:
        login = await credentials_in(data, new_id=rig.new_id, new_secret=lambda: "secret", now=NOON)
        audit = Audit(rig.store, rig.now)
        rig.access = await open_access(login, audit, new_secret=lambda: "secret", wall=lambda: NOON)
        app = create_arm(an_arm_desk(rig.engine, rig.clock, rig.access, rig.now, rig.webhooks))
        port = await stack.enter_async_context(serving(app, "127.0.0.1", 0))
        rig.url = f"http://127.0.0.1:{port}"
        rig.own_ports.add(port)
        stack.push_async_callback(rig.deliverer.stop)
        if declare:
            await rig.declare(policy)
        yield rig
