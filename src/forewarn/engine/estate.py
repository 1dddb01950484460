"""The commands behind the control plane's resources: what their owner describes, and the machines that follow from it.

A caller says how the description changes (`revise`, run inside the transaction on what is stored then, perhaps more
than once) and what it means for machines; which machines come, go or change, and what is announced, is decided in the
domain.
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from forewarn.domain import outcomes, scalesets, scaling
from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Operation
from forewarn.domain.machines import Machine, Power
from forewarn.domain.requesting import Request, Verb, request_all
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.scaling import ScaleSet
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle
from forewarn.engine import behind, leaving, seating
from forewarn.engine.behind import Target
from forewarn.engine.engine import Engine
from forewarn.engine.jobs import Jobs, JobState
from forewarn.engine.ports import Reader, Transaction
from forewarn.engine.seating import MachineSpec, ReviseScope, ScopeSpec

__all__ = ["Estate", "JobState", "MachineSpec", "ScopeSpec"]

Revise = Callable[[Resource | None], Resource]


class Estate:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.store = engine.store
        self._jobs = Jobs(engine.store)
        engine.on_change(self._jobs.note)

    # Descriptions

    async def put(self, key: str, revise: Revise, job: Job | None = None) -> Resource:
        """Something that no machine stands behind; perhaps with a job of its caller's, which waits for others'."""
        return await self.put_among(key, lambda reader, known: revise(known), job)

    async def put_among(
        self, key: str, revise: Callable[[Reader, Resource | None], Resource], job: Job | None = None
    ) -> Resource:
        """Likewise, described with a look at what else there is."""

        def decide(tx: Transaction, draft: Draft) -> Resource:
            resource = revise(tx, behind.usable(tx.resource(key)))
            behind.check_group(tx, resource)
            draft.put_resource(resource)
            draft.jobs += [job] if job is not None else []
            return resource

        return await self._engine.command((), decide)

    async def drop(self, key: str) -> bool:
        """Something that no machine stands behind, gone, and what is inside it. Says whether it was there."""

        def decide(tx: Transaction, draft: Draft) -> bool:
            resource = tx.resource(key)
            if resource is None:
                return False
            draft.dropped |= {key, *behind.inside(tx, resource)}
            return True

        return await self._engine.command((), decide)

    async def put_availability_set(self, key: str, revise: ReviseScope) -> Resource:
        """One scope, which is there before any machine is in it."""

        def decide(tx: Transaction, draft: Draft) -> Resource:
            resource, _ = seating.put_scope(tx, draft, key, revise)
            settle(draft)
            return resource

        return await self._engine.command(lambda tx: behind.scope_ids(tx, tx.resource(key)), decide)

    async def put_cloud_service(self, key: str, revise: ReviseScope, by: Actor) -> tuple[Resource, Job]:
        """Likewise, with its role instances. Those missing come, those too many go."""

        def decide(tx: Transaction, draft: Draft) -> tuple[Resource, Job]:
            resource, spec = seating.put_scope(tx, draft, key, revise)
            surplus = seating.fill_scope(tx, draft, resource.scope, spec.machines, self._engine.new_id)
            return resource, self._requested(draft, resource.id, surplus, Verb.DELETE, by)

        return await self._engine.command(lambda tx: behind.scope_ids(tx, tx.resource(key)), decide)

    async def put_machine(
        self, key: str, revise: Callable[[Resource | None], tuple[Resource, MachineSpec]]
    ) -> Resource:
        """A virtual machine: alone, in an availability set, or in a flexible scale set."""

        def locked(tx: Transaction) -> Sequence[str]:
            known = tx.resource(key)
            home = known if known is not None else tx.resource(revise(None)[1].set_key)
            return behind.scope_ids(tx, home)

        def decide(tx: Transaction, draft: Draft) -> Resource:
            known = behind.usable(tx.resource(key))
            resource, spec = revise(known)
            behind.check_group(tx, resource)
            machine = spec.machine
            scalesets.check_terminate_notice(machine.terminate_notice, spot=machine.is_spot, settings=self._settings)
            if known is None:
                resource = seating.open_machine(tx, draft, resource, spec, self._engine.new_id())
            else:
                resource = replace(resource, scope=known.scope, machine=known.machine)
                seating.change_machine(tx, draft, resource, spec)
            draft.put_resource(resource)
            settle(draft)
            return resource

        return await self._engine.command(locked, decide)

    async def put_scale_set(
        self, key: str, revise: Callable[[Resource | None], tuple[Resource, SetSpec]], by: Actor
    ) -> tuple[Resource, Job]:
        """Instances follow at once, unless they have to be given notice; the job ends when the last one has gone.

        `revise` counts the resource's `model` up when what instances are made from has changed.
        """

        def decide(tx: Transaction, draft: Draft) -> tuple[Resource, Job]:
            known = behind.usable(tx.resource(key))
            resource, spec = revise(known)
            behind.check_group(tx, resource)
            if known is not None:
                spec = replace(spec, name=known.scope)
            scalesets.check(spec, self._settings)
            scale_set = seating.open_scale_set(tx, draft, replace(resource, scope=spec.name), spec)
            scale_set, operations = self._resized(tx, draft, scale_set, by)
            draft.put_resource(scale_set.resource)
            seating.stand_for(tx, draft, scale_set.resource, spec)
            settle(draft)
            return scale_set.resource, self._job(draft, resource.id, operations)

        return await self._engine.command(lambda tx: behind.scope_ids(tx, tx.resource(key)), decide)

    async def put_instance(self, target: Target, revise: Callable[[Machine], Machine]) -> Machine:
        """One instance of a scale set is told something of its own, such as a protection."""

        def decide(tx: Transaction, draft: Draft) -> Machine:
            (known,) = behind.find_machines(tx, [target])
            machine = revise(known)
            draft.machines.append(machine)
            return machine

        return await self._engine.command([target[0]], decide)

    # What is done to machines

    async def ask(self, target: str, machines: Sequence[Target], verb: Verb, by: Actor) -> Job:
        """One request for all of them: announced where there is notice to give, and all or none of it."""

        def decide(tx: Transaction, draft: Draft) -> Job:
            return self._requested(draft, target, behind.find_machines(tx, machines), verb, by)

        return await self._engine.command(_scopes(machines), decide)

    async def set_power(self, target: str, machines: Sequence[Target], power: Power, by: Actor) -> Job:
        def decide(tx: Transaction, draft: Draft) -> Job:
            for machine in behind.find_machines(tx, machines):
                outcomes.set_power(draft, machine, power, by)
            behind.recount(tx, draft, _scopes(machines))
            settle(draft)
            return self._job(draft, target, ())

        return await self._engine.command(_scopes(machines), decide)

    async def upgrade(self, key: str, read: Callable[[Resource], SetSpec], instances: Sequence[str] | None) -> Job:
        """Bring these instances of a scale set to its latest model; None: all that follow it.

        `read` tells what a description means: that of the moment at which this is done.
        """

        def decide(tx: Transaction, draft: Draft) -> Job:
            resource = behind.known(tx, key)
            behind.usable(resource)
            spec = read(resource)
            chosen = scalesets.to_upgrade(behind.machines(tx, resource), instances)
            draft.machines += [scalesets.upgraded(machine, spec, resource.model) for machine in chosen]
            seating.stand_for(tx, draft, resource, spec)
            return self._job(draft, resource.id, ())

        return await self._engine.command(lambda tx: behind.scope_ids(tx, tx.resource(key)), decide)

    async def note(self, target: str) -> Job:
        """Something was asked for that is done by being asked for."""
        return await self._engine.command((), lambda tx, draft: self._job(draft, target, ()))

    async def delete(self, keys: Sequence[str], by: Actor) -> Job:
        """Resources and the machines behind them. With notice to give, they stay, leaving, until it has run down.

        A resource group takes everything in it with it: what has machines as it goes, the rest at the end.
        """

        def locked(tx: Transaction) -> Sequence[str]:
            return [scope for resource in behind.with_contents(tx, keys) for scope in behind.scope_ids(tx, resource)]

        def decide(tx: Transaction, draft: Draft) -> Job:
            resources = behind.with_contents(tx, keys)
            machines = leaving.begin(tx, draft, resources, keys)
            return self._requested(draft, resources[0].id, machines, Verb.DELETE, by)

        return await self._engine.command(locked, decide)

    # Looking

    async def resource(self, key: str) -> Resource | None:
        return await self.store.read(lambda reader: reader.resource(key))

    async def job(self, job_id: str) -> JobState | None:
        return await self._jobs.state(job_id)

    # Parts

    @property
    def _settings(self) -> Settings:
        return self._engine.settings

    def _resized(
        self, tx: Transaction, draft: Draft, scale_set: ScaleSet, by: Actor
    ) -> tuple[ScaleSet, Sequence[Operation]]:
        """With as many instances staying as are asked for; and the deletes of those that are too many."""
        spec, new_id = scale_set.spec, self._engine.new_id
        missing = 0 if spec.capacity is None else spec.capacity - len(scale_set.staying)
        if missing > 0:
            return seating.grow(tx, draft, scale_set, missing, new_id), ()
        chosen = scaling.choose(scale_set.staying, -missing, spec.scale_in)
        asked = Request(verb=Verb.DELETE, by=by, id=new_id())
        return scale_set, request_all(draft, chosen, asked, self._settings, new_id)

    def _requested(self, draft: Draft, target: str, machines: Sequence[Machine], verb: Verb, by: Actor) -> Job:
        asked = Request(verb=verb, by=by, id=self._engine.new_id())
        operations = request_all(draft, machines, asked, self._settings, self._engine.new_id)
        return self._job(draft, target, operations)

    def _job(self, draft: Draft, target: str, operations: Sequence[Operation]) -> Job:
        job = Job(
            id=self._engine.new_id(),
            target=target,
            started_at=draft.now,
            operations=tuple(operation.id for operation in operations),
        )
        draft.jobs.append(job)
        return job


def _scopes(machines: Sequence[Target]) -> list[str]:
    return sorted({scope for scope, _ in machines})
