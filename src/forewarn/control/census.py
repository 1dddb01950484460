"""How large the fleet is and what is going on in it, counted as changes pass by.

The store could count too, but a scrape every few seconds should not walk over the whole fleet.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from forewarn.domain.consent import Rule
from forewarn.domain.draft import Change
from forewarn.domain.events import Event, EventType, Operation, Phase
from forewarn.domain.history import What
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope, ScopeKind
from forewarn.engine.engine import Engine
from forewarn.engine.walking import pages_of_machines, pages_of_scopes


@dataclass(frozen=True, kw_only=True, slots=True)
class Figures:
    """What one scope adds to the count."""

    kind: ScopeKind
    enrolled: bool
    rule: Rule
    events: tuple[tuple[EventType, Phase], ...]
    backlog: int  # actions that the drivers have not finished


class Census:
    def __init__(self, engine: Engine) -> None:
        self.commits = 0
        self.entries: Counter[What] = Counter()
        self._engine = engine
        self._scopes: dict[str, Figures] = {}
        self._members: dict[str, set[str]] = defaultdict(set)
        self._gone: set[tuple[str, str]] | None = None  # who left, while the first count is under way
        self._dissolved: set[str] = set()  # likewise, scopes
        self._complete = False
        self._counting = asyncio.Lock()
        engine.on_change(self._count)

    async def complete(self) -> None:
        """Count what was there before; once."""
        async with self._counting:
            if self._complete:
                return
            gone: set[tuple[str, str]] = set()
            self._gone = gone
            try:
                await self._count_all(gone)
            finally:
                self._gone = None
                self._dissolved.clear()
            self._complete = True

    async def _count_all(self, gone: Set[tuple[str, str]]) -> None:
        async for scopes in pages_of_scopes(self._engine.store):
            for scope in scopes:
                if scope.id not in self._dissolved:
                    self._scopes.setdefault(scope.id, figures_of(scope))
        async for machines in pages_of_machines(self._engine.store):
            self._add(machine for machine in machines if (machine.scope, machine.name) not in gone)

    def scopes(self) -> Mapping[tuple[ScopeKind, bool], int]:
        """By kind and whether enrolled."""
        return Counter((figures.kind, figures.enrolled) for figures in self._scopes.values())

    def rules(self) -> Mapping[Rule, int]:
        return Counter(figures.rule for figures in self._scopes.values())

    def machines(self) -> Mapping[ScopeKind, int]:
        counts: Counter[ScopeKind] = Counter()
        for scope, names in self._members.items():
            if scope in self._scopes:
                counts[self._scopes[scope].kind] += len(names)
        return counts

    def events(self) -> Mapping[tuple[EventType, Phase], int]:
        return Counter(event for figures in self._scopes.values() for event in figures.events)

    def backlog(self) -> int:
        return sum(figures.backlog for figures in self._scopes.values())

    def _count(self, change: Change) -> None:
        self.commits += 1
        self.entries.update(entry.what for entry in change.entries)
        for revision in change.revisions:
            self._scopes[revision.after.id] = figures_of(revision.after)
            self._dissolved.discard(revision.after.id)
        self._add(change.machines)
        for scope, name in change.gone:
            self._members[scope].discard(name)
            if self._gone is not None:
                self._gone.add((scope, name))

        for scope in change.dissolved:
            self._scopes.pop(scope, None)
            self._members.pop(scope, None)
            self._dissolved.add(scope)

    def _add(self, machines: Iterable[Machine]) -> None:
        for machine in machines:
            self._members[machine.scope].add(machine.name)


def figures_of(scope: Scope) -> Figures:
    live = {event.id: event for event in scope.events if event.phase.is_live}
    return Figures(
        kind=scope.kind,
        enrolled=scope.is_enrolled,
        rule=scope.approval_policy.rule,
        events=tuple((event.type, event.phase) for event in live.values()),
        backlog=sum(len(operation.pending) for operation in scope.operations if _is_acting(operation, live)),
    )


def _is_acting(operation: Operation, live: Mapping[str, Event]) -> bool:
    event = live.get(operation.event or "")
    return operation.event is None or (event is not None and event.phase is Phase.STARTED)
