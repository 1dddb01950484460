"""The commands behind the control plane's resources: what their owner describes, and the machines that follow from it.

A caller says how the description changes (`revise`, run inside the transaction on what is stored then) and what it
means for machines; which machines come, go or change, and what is announced, is decided in the domain.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from ipaddress import IPv4Address

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain import outcomes, scalesets
from forewarn.domain.describing import stand_in
from forewarn.domain.draft import Draft
from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Actor, Operation, OperationState
from forewarn.domain.fleet import with_addresses
from forewarn.domain.machines import Machine, Power
from forewarn.domain.requesting import Verb, request_all
from forewarn.domain.resources import AVAILABILITY_SET, GROUP, SCALE_SET, Job, Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle
from forewarn.engine import leaving
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader, Transaction

ADDRESS_NOTE = "next-address-of-the-estate"
FIRST_ADDRESS = IPv4Address("127.100.0.1")
"""Machines made here get loopback addresses far from those of a fleet file."""

Revise = Callable[[Resource | None], Resource]


class MachineSpec(Struct, frozen=True, kw_only=True):
    """What a virtual machine's description means."""

    machine: Machine  # its scope is left open
    set_key: str = ""  # the availability set or scale set it is in
    policy: EventsPolicy = EventsPolicy()  # of a machine that stands alone


class Group(Struct, frozen=True, kw_only=True):
    """What the description of a set of machines without a model of its own means: an availability set, a service."""

    scope: str
    kind: ScopeKind
    policy: EventsPolicy = EventsPolicy()
    update_domains: int = 5
    fault_domains: int = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class JobState:
    job: Job
    state: OperationState
    ended_at: datetime | None
    message: str


class Estate:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.store = engine.store

    # Descriptions

    async def put(self, key: str, revise: Revise) -> Resource:
        """Something that no machine stands behind."""
        return await self.put_among(key, lambda reader, known: revise(known))

    async def put_among(self, key: str, revise: Callable[[Reader, Resource | None], Resource]) -> Resource:
        """Likewise, described with a look at what else there is."""

        def decide(tx: Transaction, draft: Draft) -> Resource:
            resource = revise(tx, tx.resource(key))
            _check_group(tx, resource)
            draft.put_resource(resource)
            return resource

        return await self._engine.command((), decide)

    async def put_with_job(self, key: str, revise: Revise, job: Job) -> Resource:
        """Likewise, with a job of its caller's making, which may wait for the operations of others."""

        def decide(tx: Transaction, draft: Draft) -> Resource:
            resource = revise(tx.resource(key))
            _check_group(tx, resource)
            draft.put_resource(resource)
            draft.jobs.append(job)
            return resource

        return await self._engine.command((), decide)

    async def drop(self, key: str) -> bool:
        """Something that no machine stands behind, gone, and what is inside it. Says whether it was there."""

        def decide(tx: Transaction, draft: Draft) -> bool:
            resource = tx.resource(key)
            if resource is None:
                return False
            draft.dropped += [key, *_inside(tx, resource)]
            return True

        return await self._engine.command((), decide)

    async def put_group(self, key: str, revise: Callable[[Resource | None], tuple[Resource, Group]]) -> Resource:
        """An availability set or a cloud service: one scope, which is there before any machine is in it."""

        def decide(tx: Transaction, draft: Draft) -> Resource:
            resource, group = revise(_present(tx.resource(key)))
            resource = _found(tx, draft, resource, group)
            settle(draft)
            return resource

        return await self._engine.command(lambda tx: _ids(_scopes_of_set(tx, key)), decide)

    async def put_service(
        self, key: str, revise: Callable[[Resource | None], tuple[Resource, Group, Sequence[Machine]]], by: Actor
    ) -> tuple[Resource, Job]:
        """A cloud service, and all the role instances it is to have: those missing come, those too many go."""

        def decide(tx: Transaction, draft: Draft) -> tuple[Resource, Job]:
            resource, group, wanted = revise(_present(tx.resource(key)))
            resource = _found(tx, draft, resource, group)
            present = {machine.name: machine for machine in tx.machines(group.scope)}
            new = [self._born(machine, draft) for machine in wanted if machine.name not in present]
            draft.machines += _placed(tx, new)
            names = {machine.name for machine in wanted}
            request = self._engine.new_id()
            leave = [machine for name, machine in present.items() if name not in names]
            operations = request_all(draft, leave, Verb.DELETE, by, self._settings, self._engine.new_id, request)
            return resource, self._job(draft, resource.id, operations, request)

        return await self._engine.command(lambda tx: _ids(_scopes_of_set(tx, key)), decide)

    async def put_machine(
        self, key: str, revise: Callable[[Resource | None], tuple[Resource, MachineSpec]]
    ) -> Resource:
        def locked(tx: Transaction) -> Sequence[str]:
            known = tx.resource(key)
            if known is not None:
                return [known.scope]
            _, spec = revise(None)
            return [scope.id for scope in _scopes_of_set(tx, spec.set_key)]

        def decide(tx: Transaction, draft: Draft) -> Resource:
            known = _present(tx.resource(key))
            resource, spec = revise(known)
            _check_group(tx, resource)
            machine = spec.machine
            scalesets.check_terminate_notice(machine.terminate_notice, spot=machine.is_spot, settings=self._settings)
            if known is None:
                resource = self._new_machine(tx, draft, resource, spec)
            else:
                resource = replace(resource, scope=known.scope, machine=known.machine)
                _redescribe(tx, draft, resource, spec)
            draft.put_resource(resource)
            settle(draft)
            return resource

        return await self._engine.command(locked, decide)

    async def put_scale_set(
        self, key: str, revise: Callable[[Resource | None], tuple[Resource, SetSpec]], by: Actor
    ) -> tuple[Resource, Job]:
        """Instances follow at once, unless they have to be given notice; the job ends when the last one has gone."""

        def decide(tx: Transaction, draft: Draft) -> tuple[Resource, Job]:
            known = _present(tx.resource(key))
            resource, spec = revise(known)
            _check_group(tx, resource)
            scalesets.check(spec, self._settings)
            resource = replace(resource, scope=spec.name)
            members = [machine for scope in draft.scopes for machine in tx.machines(scope)]
            for scope in draft.scopes.values():
                if scope.policy != spec.policy:
                    draft.put_scope(replace(scope, policy=spec.policy))
            scalesets.found(draft, spec, resource)
            draft.machines += scalesets.upgrade_by_itself(members, spec, resource.model)
            resource, operations = self._resize(tx, draft, resource, spec, members, by)
            draft.put_resource(resource)
            _put_stand_ins(tx, draft, resource, spec)
            settle(draft)
            return resource, self._job(draft, resource.id, operations)

        return await self._engine.command(lambda tx: _ids(_scopes_of_set(tx, key)), decide)

    async def put_instance(self, target: tuple[str, str], revise: Callable[[Machine], Machine]) -> Machine:
        """One instance of a scale set is told something of its own, such as a protection."""

        def decide(tx: Transaction, draft: Draft) -> Machine:
            machine = revise(_machine(tx, target))
            draft.machines.append(machine)
            return machine

        return await self._engine.command([target[0]], decide)

    # What is done to machines

    async def ask(self, target: str, machines: Sequence[tuple[str, str]], verb: Verb, by: Actor) -> Job:
        """One request for all of them: announced where there is notice to give, and all or none of it."""

        def decide(tx: Transaction, draft: Draft) -> Job:
            request = self._engine.new_id()
            found = [_machine(tx, machine) for machine in machines]
            operations = request_all(draft, found, verb, by, self._settings, self._engine.new_id, request)
            return self._job(draft, target, operations, request)

        return await self._engine.command(sorted({scope for scope, _ in machines}), decide)

    async def set_power(self, target: str, machines: Sequence[tuple[str, str]], power: Power, by: Actor) -> Job:
        def decide(tx: Transaction, draft: Draft) -> Job:
            for machine in machines:
                outcomes.set_power(draft, _machine(tx, machine), power, by)
            for scope in sorted({scope for scope, _ in machines}):
                outcomes.recount(draft, scope, tx.machines(scope))
            settle(draft)
            return self._job(draft, target, [])

        return await self._engine.command(sorted({scope for scope, _ in machines}), decide)

    async def upgrade(self, key: str, read: Callable[[Resource], SetSpec], instances: Sequence[str] | None) -> Job:
        """Bring these instances of a scale set to its latest model; None: all that are open to that.

        `read` tells what the description means, which is looked up in the same transaction.
        """

        def decide(tx: Transaction, draft: Draft) -> Job:
            resource = _known(tx, key)
            spec = read(resource)
            members = [machine for scope in draft.scopes for machine in tx.machines(scope)]
            named = None if instances is None else frozenset(instances)
            chosen = scalesets.open_to_all(members) if named is None else [m for m in members if m.instance in named]
            draft.machines += [scalesets.upgraded(machine, spec, resource.model) for machine in chosen]
            _put_stand_ins(tx, draft, resource, spec)
            return self._job(draft, resource.id, [])

        return await self._engine.command(lambda tx: _ids(_scopes_of_set(tx, key)), decide)

    async def note(self, target: str) -> Job:
        """Something was asked for that is done by being asked for."""
        return await self._engine.command((), lambda tx, draft: self._job(draft, target, []))

    async def delete(self, keys: Sequence[str], by: Actor) -> Job:
        """Resources and the machines behind them. With notice to give, they stay, leaving, until it has run down.

        A resource group takes everything in it with it.
        """

        def locked(tx: Transaction) -> Sequence[str]:
            return sorted({scope.id for resource in _with_contents(tx, keys) for scope in _scopes_behind(tx, resource)})

        def decide(tx: Transaction, draft: Draft) -> Job:
            resources = _with_contents(tx, keys)
            machines: dict[tuple[str, str], Machine] = {}
            for resource in resources:
                _check_unused(tx, resource, keys)
                behind = _machines_behind(tx, resource)
                machines |= {(machine.scope, machine.name): machine for machine in behind}
                if behind or resource.type == GROUP:
                    leaving.mark(draft, resource)
                else:
                    draft.dropped.append(resource.key)
                    leaving.dissolve(tx, draft, resource)
            if not machines:
                draft.dropped += [resource.key for resource in resources if resource.type == GROUP]
            request = self._engine.new_id()
            found = list(machines.values())
            operations = request_all(draft, found, Verb.DELETE, by, self._settings, self._engine.new_id, request)
            return self._job(draft, keys[0], operations, request)

        return await self._engine.command(locked, decide)

    # Looking

    async def resource(self, key: str) -> Resource | None:
        return await self.store.read(lambda reader: reader.resource(key))

    async def job(self, job_id: str) -> JobState | None:
        return await self.store.read(lambda reader: state_of(reader, job_id))

    # Parts

    @property
    def _settings(self) -> Settings:
        return self._engine.settings

    def _job(self, draft: Draft, target: str, operations: Sequence[Operation], job_id: str | None = None) -> Job:
        job = Job(
            id=job_id or self._engine.new_id(),
            target=target,
            started_at=draft.now,
            operations=tuple(operation.id for operation in operations),
        )
        draft.jobs.append(job)
        return job

    def _resize(
        self,
        tx: Transaction,
        draft: Draft,
        resource: Resource,
        spec: SetSpec,
        members: Sequence[Machine],
        by: Actor,
    ) -> tuple[Resource, list[Operation]]:
        stay = scalesets.staying(draft, members)
        missing = 0 if spec.capacity is None else spec.capacity - len(stay)
        if missing > 0:
            resource, born = scalesets.grow(draft, spec, resource, members, missing, self._engine.new_id)
            draft.machines += _placed(tx, born)
        if missing < 0:
            chosen = scalesets.choose(stay, -missing, spec.scale_in)
            request = self._engine.new_id()
            asked = request_all(draft, chosen, Verb.DELETE, by, self._settings, self._engine.new_id, request)
            return resource, asked
        return resource, []

    def _born(self, machine: Machine, draft: Draft) -> Machine:
        profile = replace(machine.profile, vm_id=self._engine.new_id().lower())
        return replace(machine, declared=False, created_at=draft.now, profile=profile)

    def _new_machine(self, tx: Transaction, draft: Draft, resource: Resource, spec: MachineSpec) -> Resource:
        machine = self._born(spec.machine, draft)
        if spec.set_key:
            machine = _housed(tx, machine, spec.set_key)
        else:
            scope = machine.scope
            left = tx.scope(scope)  # of a machine of the same name that was deleted behind the control plane's back
            if left is not None and left.owner != resource.key:
                raise Conflict(f"There is a scope {scope} already: give the machine another name.")
            if left is None:
                draft.put_scope(scalesets.new_scope(scope, ScopeKind.STANDALONE, resource, spec.policy, draft.now))
        if tx.machines(machine.scope, [machine.name]):
            raise Conflict(f"There is a machine {machine.name} in {machine.scope} already: give another name.")
        draft.machines += _placed(tx, [machine])
        return replace(resource, scope=machine.scope, machine=machine.name)


def _found(tx: Transaction, draft: Draft, resource: Resource, group: Group) -> Resource:
    """The one scope of a set that is no scale set, as its description wants it."""
    _check_group(tx, resource)
    scope = draft.scopes.get(group.scope)
    if scope is None:
        draft.put_scope(scalesets.new_scope(group.scope, group.kind, resource, group.policy, draft.now))
    elif scope.policy != group.policy:
        draft.put_scope(replace(scope, policy=group.policy))
    resource = replace(resource, scope=group.scope)
    draft.put_resource(resource)
    return resource


def _housed(tx: Transaction, machine: Machine, set_key: str) -> Machine:
    """In the availability set or flexible scale set that it is to be in."""
    home = next(iter(_scopes_of_set(tx, set_key)), None)
    if home is None:
        raise NotFound(f"There is no set {set_key} to put {machine.name} into.")
    if home.scale_set is not None and not home.flexible:
        raise Invalid("A virtual machine can be put into a scale set only if its orchestrationMode is Flexible.")
    number, owner = len(tx.machines(home.id)), _known(tx, set_key)
    domains = owner.body.get("properties", {})
    updates = int(domains.get("platformUpdateDomainCount") or scalesets.UPDATE_DOMAINS)
    faults = int(domains.get("platformFaultDomainCount") or 2)
    placed = replace(machine, scope=home.id, update_domain=number % updates, fault_domain=number % faults)
    return replace(placed, instance=machine.name, model=owner.model) if home.flexible else placed


def _put_stand_ins(tx: Transaction, draft: Draft, owner: Resource, spec: SetSpec) -> None:
    """Whatever of a flexible set's instances is new or changed is described anew."""
    if not spec.flexible:
        return
    for machine in draft.machines:
        told = stand_in(owner, machine)
        known = tx.resource(told.key)
        draft.put_resource(told if known is None else replace(told, id=known.id, version=known.version + 1))


def _redescribe(tx: Transaction, draft: Draft, resource: Resource, spec: MachineSpec) -> None:
    known = _machine(tx, (resource.scope, resource.machine))
    draft.machines.append(
        replace(
            known,
            priority=spec.machine.priority,
            eviction_policy=spec.machine.eviction_policy,
            terminate_notice=spec.machine.terminate_notice,
            os_image_notice=spec.machine.os_image_notice,
            profile=replace(spec.machine.profile, vm_id=known.profile.vm_id),
        )
    )
    scope = draft.scopes[resource.scope]
    if scope.kind is ScopeKind.STANDALONE and scope.policy != spec.policy:
        draft.put_scope(replace(scope, policy=spec.policy))


def _placed(tx: Transaction, machines: Sequence[Machine]) -> list[Machine]:
    """Each with a metadata address of its own. Addresses are not used twice."""
    first = IPv4Address(tx.note(ADDRESS_NOTE) or str(FIRST_ADDRESS))
    placed, left = with_addresses(machines, first)
    tx.put_note(ADDRESS_NOTE, str(left))
    return placed


def _present(resource: Resource | None) -> Resource | None:
    if resource is not None and resource.leaving:
        raise Conflict(f"{resource.name} is being deleted: wait until it is gone.")
    return resource


def _known(reader: Reader, key: str) -> Resource:
    resource = reader.resource(key)
    if resource is None:
        raise NotFound(f"There is no resource {key}.")
    return resource


def _machine(reader: Reader, target: tuple[str, str]) -> Machine:
    found = reader.machines(target[0], [target[1]])
    if not found:
        raise NotFound(f"There is no machine {target[1]} in {target[0]}.")
    return found[0]


def _check_group(reader: Reader, resource: Resource) -> None:
    """Nothing is put into a group that is not there, or about to go."""
    if not resource.group:
        return
    group = reader.resource(resource.group)
    if group is None:
        raise NotFound(f"Resource group '{resource.group.rpartition('/')[2]}' could not be found.")
    if group.leaving:
        raise Conflict(f"The resource group '{group.name}' is being deleted: wait until it is gone.")


def _check_unused(reader: Reader, resource: Resource, asked: Sequence[str]) -> None:
    """An availability set goes only when it is empty, unless its group goes with all there is."""
    if resource.type == AVAILABILITY_SET and resource.key in asked and _machines_behind(reader, resource):
        raise Conflict(f"The availability set {resource.name} still has virtual machines: delete those first.")


def _scopes_of_set(reader: Reader, key: str) -> list[Scope]:
    resource = reader.resource(key) if key else None
    if resource is None or not resource.scope:
        return []
    if resource.type == SCALE_SET:
        return list(reader.scopes_of_scale_set(resource.scope))
    alone = reader.scope(resource.scope)
    return [alone] if alone is not None else []


def _scopes_behind(reader: Reader, resource: Resource) -> list[Scope]:
    return _scopes_of_set(reader, resource.key)


def _machines_behind(reader: Reader, resource: Resource) -> list[Machine]:
    if resource.machine:
        return list(reader.machines(resource.scope, [resource.machine]))
    return [machine for scope in _scopes_behind(reader, resource) for machine in reader.machines(scope.id)]


def _with_contents(reader: Reader, keys: Sequence[str]) -> list[Resource]:
    found: dict[str, Resource] = {}
    for key in keys:
        resource = _known(reader, key)
        found[key] = resource
        if resource.type == GROUP:
            after = ""
            while page := reader.list_resources(group=key, after=after):
                found |= {inside.key: inside for inside in page}
                after = page[-1].key
    return list(found.values())


def _inside(reader: Reader, resource: Resource) -> list[str]:
    """The keys of the resources whose ids begin with that of this one."""
    found: list[str] = []
    after = prefix = f"{resource.key}/"
    while page := reader.list_resources(group=resource.group, after=after):
        found += [inside.key for inside in page if inside.key.startswith(prefix)]
        if not page[-1].key.startswith(prefix):
            break
        after = page[-1].key
    return found


def _ids(scopes: Sequence[Scope]) -> list[str]:
    return [scope.id for scope in scopes]


def state_of(reader: Reader, job_id: str) -> JobState | None:
    job = reader.job(job_id.upper())
    if job is None:
        return None
    if job.code:
        return JobState(job=job, state=OperationState.FAILED, ended_at=job.started_at, message=job.message)
    ended = job.started_at
    worst, message = OperationState.SUCCEEDED, ""
    for key in job.operations:
        operation = reader.operation(key)
        if operation is None:
            continue
        if operation.is_live:
            return JobState(job=job, state=OperationState.IN_PROGRESS, ended_at=None, message="")
        ended = max(ended, operation.ended_at or ended)
        if worst is OperationState.SUCCEEDED and operation.state is not worst:
            worst, message = operation.state, operation.message
    return JobState(job=job, state=worst, ended_at=ended, message=message)
