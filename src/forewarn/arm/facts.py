"""What stands behind resources, looked up once each while one answer is made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from forewarn.domain.machines import Machine
from forewarn.domain.resources import Resource
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader
from forewarn.wire.compute.scalesets import Instance
from forewarn.wire.compute.states import Provisioning, states_of


@dataclass(frozen=True, slots=True)
class Home:
    """A scope, who is in it, and what is being done to them."""

    scope: Scope
    machines: Mapping[str, Machine]
    states: Mapping[str, Provisioning]


class Facts:
    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._homes: dict[str, Home | None] = {}
        self._sets: dict[str, list[Home]] = {}

    def home(self, scope: str) -> Home | None:
        if scope not in self._homes:
            found = self._reader.scope(scope)
            self._homes[scope] = None if found is None else self._home(found)
        return self._homes[scope]

    def machine(self, resource: Resource) -> tuple[Machine | None, Provisioning]:
        """Of a virtual machine's resource."""
        home = self.home(resource.scope)
        machine = home.machines.get(resource.machine) if home else None
        if resource.leaving or home is None:
            return machine, Provisioning.DELETING
        return machine, home.states.get(resource.machine, Provisioning.SUCCEEDED)

    def scopes(self, resource: Resource) -> list[Scope]:
        """Of a scale set."""
        return [home.scope for home in self._homes_of_set(resource.scope)]

    def instances(self, resource: Resource) -> list[Instance]:
        """Of a scale set, in the order of their ids."""
        found = [
            Instance(machine, home.states.get(machine.name, Provisioning.SUCCEEDED))
            for home in self._homes_of_set(resource.scope)
            for machine in home.machines.values()
        ]
        return sorted(found, key=lambda instance: instance_order(instance.machine.instance))

    def ids_of_members(self, scope: str) -> list[str]:
        """The ids of the resources that stand for the machines of a scope."""
        home = self.home(scope)
        names = home.machines if home else ()
        return [told.id for name in names for told in self._reader.resources_of_machine(scope, name)]

    def _homes_of_set(self, scale_set: str) -> list[Home]:
        if scale_set not in self._sets:
            self._sets[scale_set] = [self._home(scope) for scope in self._reader.scopes_of_scale_set(scale_set)]
        return self._sets[scale_set]

    def _home(self, scope: Scope) -> Home:
        machines = {machine.name: machine for machine in self._reader.machines(scope.id)}
        return Home(scope, machines, states_of(scope))


def instance_order(instance: str) -> tuple[int, str]:
    return (int(instance), "") if instance.isdecimal() and len(instance) < 20 else (0, instance)


def staying(instances: Sequence[Instance]) -> int:
    """How many of them nobody is deleting: the capacity."""
    return sum(instance.state is not Provisioning.DELETING for instance in instances)
