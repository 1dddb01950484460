"""An owner's land: an estate on a desk, with one resource group, and short words for what is built there."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from forewarn.domain.events import Action, Event, EventType, OperationState
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import (
    AVAILABILITY_SET,
    CLOUD_SERVICE,
    GROUP,
    SCALE_SET,
    VIRTUAL_MACHINE,
    Job,
    Resource,
    group_id,
    resource_id,
)
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.engine.estate import Estate, JobState, MachineSpec, ScopeSpec
from tests.engine.desk import ALICE, Desk, minutes

SUBSCRIPTION = "sub"
NETWORK = "Microsoft.Network/virtualNetworks"


def key_of(name: str, kind: str = VIRTUAL_MACHINE, group: str = "rg") -> str:
    return resource_id(SUBSCRIPTION, group, kind, name).lower()


def group_key(group: str = "rg") -> str:
    return group_id(SUBSCRIPTION, group).lower()


class Land:
    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.estate = Estate(desk.engine)
        self.specs: dict[str, SetSpec] = {}

    @classmethod
    async def open(cls, desk: Desk | None = None) -> "Land":
        land = cls(desk or Desk())
        await land.group()
        return land

    # Describing

    async def group(self, name: str = "rg") -> Resource:
        made = Resource(id=group_id(SUBSCRIPTION, name), type=GROUP, name=name)
        return await self.estate.put(group_key(name), lambda known: _next(known, made))

    async def network(self, name: str = "net", group: str = "rg") -> Resource:
        made = _resource(name, NETWORK, group)
        return await self.estate.put(made.key, lambda known: _next(known, made))

    async def machine(
        self,
        name: str,
        *,
        notice: timedelta | None = None,
        into: str = "",
        policy: EventsPolicy | None = None,
        group: str = "rg",
        **facts: Any,
    ) -> Resource:
        made = _resource(name, VIRTUAL_MACHINE, group)
        machine = Machine(scope=f"{group}/{name}", name=name, terminate_notice=notice, **facts)
        spec = MachineSpec(machine=machine, set_key=into, policy=policy or EventsPolicy())
        return await self.estate.put_machine(made.key, lambda known: (_next(known, made), spec))

    async def spot(self, name: str, policy: EvictionPolicy = EvictionPolicy.DEALLOCATE) -> Resource:
        return await self.machine(name, priority=Priority.SPOT, eviction_policy=policy)

    async def availability_set(self, name: str, **facts: Any) -> Resource:
        made = _resource(name, AVAILABILITY_SET)
        group = ScopeSpec(scope=f"rg/{name}", kind=ScopeKind.AVAILABILITY_SET, **facts)
        return await self.estate.put_availability_set(made.key, lambda known: (_next(known, made), group))

    async def cloud_service(self, name: str, *roles: str) -> Resource:
        made = _resource(name, CLOUD_SERVICE)
        machines = tuple(Machine(scope="", name=role) for role in roles)
        group = ScopeSpec(scope=f"rg/{name}", kind=ScopeKind.CLOUD_SERVICE, machines=machines)
        resource, _ = await self.estate.put_cloud_service(made.key, lambda known: (_next(known, made), group), ALICE)
        return resource

    async def scale_set(
        self, name: str, capacity: int | None, *, notice: timedelta | None = None, **facts: Any
    ) -> tuple[Resource, Job]:
        """With a new model whenever its instances are to be something else."""
        instance = facts.pop("instance", Machine(scope="", name="", terminate_notice=notice))
        spec = SetSpec(name=f"rg/{name}", title=name, capacity=capacity, instance=instance, **facts)
        made = _resource(name, SCALE_SET)

        def revise(known: Resource | None) -> tuple[Resource, SetSpec]:
            resource = _next(known, made)
            is_new = known is not None and self.specs[name].instance != instance
            return replace(resource, model=resource.model + is_new), spec

        made_or_changed = await self.estate.put_scale_set(made.key, revise, ALICE)
        self.specs[name] = spec
        return made_or_changed

    async def upgrade(self, name: str, *instances: str) -> Job:
        return await self.estate.upgrade(key_of(name, SCALE_SET), lambda resource: self.specs[name], instances or None)

    # Doing

    async def enrol(self, *scopes: str) -> None:
        for scope in scopes or [scope.id for scope in await self.desk.store.read(lambda r: r.list_scopes())]:
            await self.desk.engine.enrol(scope, ALICE)

    async def ask(self, verb: Verb, *machines: Machine) -> Job:
        return await self.estate.ask("target", [(m.scope, m.name) for m in machines], verb, ALICE)

    async def delete(self, *keys: str) -> Job:
        return await self.estate.delete(keys, ALICE)

    async def approve(self, *events: Event) -> None:
        for event in events:
            await self.desk.engine.approve(event.scope, [event.id], ALICE)

    async def lease(self) -> Sequence[Action]:
        """What the drivers are to do now."""
        return await self.desk.engine.lease(self.desk.wall, self.desk.wall, minutes(9), 100)

    async def work(self) -> None:
        """Everything that is to happen by now, happens."""
        await self.desk.player.settle()

    async def advance(self, count: float) -> None:
        await self.desk.player.advance(minutes(count))

    # Looking

    async def state(self, job: Job) -> OperationState:
        return (await self.look(job)).state

    async def look(self, job: Job) -> JobState:
        found = await self.estate.job(job.id.lower())
        assert found is not None
        return found

    async def resource(self, name: str, kind: str = VIRTUAL_MACHINE) -> Resource | None:
        return await self.estate.resource(key_of(name, kind))

    async def keys(self) -> list[str]:
        """What there is, by type and name, but for the group."""
        found = await self.desk.store.read(lambda r: r.list_resources(group=group_key()))
        return sorted(f"{resource.type.rpartition('/')[2]}/{resource.name}" for resource in found)

    async def members(self, name: str) -> list[Machine]:
        """The instances of a scale set, by number."""
        scopes = await self.desk.store.read(lambda r: r.scopes_of_scale_set(f"rg/{name}"))
        found = [m for s in scopes for m in await self.machines(s.id)]
        return sorted(found, key=lambda m: (len(m.instance), m.instance))

    async def machines(self, scope: str) -> Sequence[Machine]:
        return await self.desk.store.read(lambda r: r.machines(scope))

    async def scope(self, name: str) -> Scope | None:
        return await self.desk.store.read(lambda r: r.scope(name))

    async def scopes(self) -> list[str]:
        return [scope.id for scope in await self.desk.store.read(lambda r: r.list_scopes())]

    async def events(self, kind: EventType | None = None) -> list[Event]:
        """What is live, in the order in which it came."""
        scopes = await self.desk.store.read(lambda r: r.list_scopes())
        return [event for scope in scopes for event in scope.events if kind in (None, event.type)]


def _resource(name: str, kind: str, group: str = "rg") -> Resource:
    return Resource(id=resource_id(SUBSCRIPTION, group, kind, name), type=kind, name=name, group=group_key(group))


def _next(known: Resource | None, made: Resource) -> Resource:
    return made if known is None else replace(known, version=known.version + 1)
