"""The fleet in memory, for pages that search, group and count all of it.

It is filled when somebody first looks, and follows every change from then on.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping

from forewarn.domain.draft import Change
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, without_ended
from forewarn.engine.engine import Engine
from forewarn.engine.walking import pages_of_machines, pages_of_scopes
from forewarn.portal.diary import Diary

Key = tuple[str, str]


class Roster:
    def __init__(self, engine: Engine) -> None:
        self.diary = Diary(engine)
        self._engine = engine
        self._scopes: dict[str, Scope] = {}
        self._machines: dict[Key, Machine] = {}
        self._filling = asyncio.Lock()
        self._since: list[Change] | None = None  # what happened while it was being filled
        self._full = False
        self.unwritten = 0
        """How many changes there were of which the history says nothing."""
        engine.on_change(self._follow)

    async def fill(self) -> "Roster":
        """Itself, once it knows everybody."""
        async with self._filling:
            if not self._full:
                self._since = []
                async for scopes in pages_of_scopes(self._engine.store):
                    self._scopes |= {scope.id: scope for scope in scopes}
                async for machines in pages_of_machines(self._engine.store):
                    self._machines |= {(machine.scope, machine.name): machine for machine in machines}
                for change in self._since:
                    self._apply(change)
                self._since, self._full = None, True
        return self

    @property
    def scopes(self) -> Mapping[str, Scope]:
        return self._scopes

    @property
    def machines(self) -> Iterable[Machine]:
        return self._machines.values()

    def machine(self, scope: str, name: str) -> Machine | None:
        return self._machines.get((scope, name))

    def of_scope(self, scope: str) -> list[Machine]:
        return [machine for machine in self._machines.values() if machine.scope == scope]

    def members(self, scopes: Collection[str]) -> Mapping[str, list[Machine]]:
        """Of each of these scopes, in one walk over the fleet."""
        found: dict[str, list[Machine]] = {scope: [] for scope in scopes}
        for machine in self._machines.values():
            if machine.scope in found:
                found[machine.scope].append(machine)
        return found

    def _follow(self, change: Change) -> None:
        self.unwritten += is_unwritten(change)
        if self._since is not None:
            self._since.append(change)
        elif self._full:
            self._apply(change)

    def _apply(self, change: Change) -> None:
        self._scopes |= {revision.after.id: without_ended(revision.after) for revision in change.revisions}
        self._machines |= {(machine.scope, machine.name): machine for machine in change.machines}
        for key in change.gone:
            self._machines.pop(key, None)
        for scope in change.dissolved:
            self._scopes.pop(scope, None)


def is_unwritten(change: Change) -> bool:
    """Whether something changed that pages show, and no entry of the history tells of it: a new model, a new set."""
    return not change.entries and bool(change.resources or change.dropped or change.machines or change.gone)
