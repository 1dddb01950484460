"""The owner of a scale set that no file declares: it grows, shrinks, is deleted and made anew."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import TypeVar

from msgspec.structs import replace

from forewarn.domain.events import Actor, Operation
from forewarn.domain.machines import Machine
from forewarn.domain.requesting import Verb
from forewarn.domain.resources import GROUP, SCALE_SET, Resource
from forewarn.domain.scalesets import RepairAction, Repairs, ScaleIn, SetSpec, Upgrade
from forewarn.engine.behind import Target
from forewarn.engine.engine import Engine
from forewarn.engine.estate import Estate
from forewarn.testing.simulation.asking import Caller
from forewarn.testing.simulation.fleets import POOL, POOL_GROUP

T = TypeVar("T")
HOME = Resource(id="/rg", type=GROUP, name="rg")
SET = Resource(id=f"/rg/{POOL}", type=SCALE_SET, name=POOL, group=HOME.key)


class Owner(Caller):
    async def scale(self) -> None:
        """A number, a model, or both."""
        notice = self._rng.choice([None, timedelta(minutes=5), timedelta(minutes=15)])
        spec = SetSpec(
            name=POOL,
            title=POOL_GROUP,  # so that an instance's name says where it is
            capacity=self._rng.choice([None, 0, 1, 2, 3, 3, 4, 5, 6]),
            upgrade=self._rng.choice(list(Upgrade)),
            scale_in=self._rng.choice(list(ScaleIn)),
            fault_domains=self._rng.choice([1, 2]),
            instance=Machine(scope="", name="", terminate_notice=notice),
        )
        wish = self._site.new_id()

        def revise(known: Resource | None) -> tuple[Resource, SetSpec]:
            before = known or SET
            body = {"wish": wish, "capacity": spec.capacity, "notice": None if notice is None else notice.seconds}
            model = before.model + (before.body.get("notice") != body["notice"])
            return replace(before, body=body, model=model, version=before.version + 1), spec

        await self._order("a resource group", lambda estate: estate.put(HOME.key, lambda known: known or HOME))
        what = f"{POOL} should be of {spec.capacity} with {notice}"
        await self._order(what, lambda estate: estate.put_scale_set(SET.key, revise, self._somebody()))

    async def upgrade(self) -> None:
        notice = self._rng.choice([None, timedelta(minutes=10)])
        instance = Machine(scope="", name="", terminate_notice=notice)
        spec = SetSpec(name=POOL, title=POOL_GROUP, instance=instance)
        await self._order(f"{POOL} is upgraded", lambda estate: estate.upgrade(SET.key, lambda _: spec, None))

    async def protect(self) -> None:
        for machine in self._some_instances():
            keep, asked = self._rng.random() < 0.5, (machine.scope, machine.name)
            await self._order(
                f"{machine.name} is{'' if keep else ' no longer'} protected",
                lambda estate, asked=asked, keep=keep: estate.put_instance(  # type: ignore[misc]
                    asked, lambda known: replace(known, keep_on_scale_in=keep)
                ),
            )

    async def ask_of_instances(self) -> None:
        targets = [(machine.scope, machine.name) for machine in self._some_instances()]
        verb = self._rng.choice([Verb.DELETE, Verb.DELETE, Verb.RESTART, Verb.REDEPLOY, Verb.REIMAGE])
        what = f"{verb.value} of {', '.join(name for _, name in targets)}"
        await self._order(what, lambda estate: estate.ask(SET.id, targets, verb, self._somebody()))

    async def report_unhealthy(self) -> None:
        repairs = Repairs(
            enabled=self._rng.random() < 0.9,
            grace=self._rng.choice([timedelta(0), timedelta(minutes=10)]),
            action=self._rng.choice([RepairAction.REPLACE, *RepairAction]),
        )
        notice = self._rng.choice([None, timedelta(minutes=5)])
        instance = Machine(scope="", name="", terminate_notice=notice)
        spec = SetSpec(name=POOL, title=POOL_GROUP, repairs=repairs, instance=instance)
        for machine in self._some_instances():
            target, key, by = (machine.scope, machine.name), self._some_key(), self._somebody()

            async def command(
                engine: Engine, target: Target = target, key: str | None = key, by: Actor = by
            ) -> list[Operation]:
                return [await engine.repair(target, lambda _: spec, by, key)]

            await self._promise(f"{by} reports {machine.name} unhealthy", key, command)

    async def delete_all(self) -> None:
        """The set, or the group it is in."""
        key = self._rng.choice([SET.key, SET.key, HOME.key])
        await self._order(f"delete {key}", lambda estate: estate.delete([key], self._somebody()))

    async def _order(self, what: str, command: Callable[[Estate], Awaitable[T]]) -> None:
        async def ordered(engine: Engine) -> T:
            return await command(self._site.parts.estate(engine))

        await self._ask(what, ordered)

    def _some_instances(self) -> list[Machine]:
        there = list(self._site.instances.values())
        return self._rng.sample(there, self._rng.randint(0, min(3, len(there))))
