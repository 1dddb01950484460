"""How anything is asked of the process that happens to be up, and who asks it of which machine."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import TypeVar

from forewarn.domain.errors import Refused, Unavailable
from forewarn.domain.events import Actor, Event, Operation, Phase
from forewarn.engine.engine import Engine
from forewarn.testing.simulation.fleets import POOL_GROUP
from forewarn.testing.simulation.site import Site
from forewarn.testing.simulation.trace import Accepted, Asked

T = TypeVar("T")
Command = Callable[[Engine], Awaitable[T]]
OPERATORS = (Actor.user("alice"), Actor.user("bob"))


class Caller:
    def __init__(self, site: Site) -> None:
        self._site = site
        self._rng = site.rng
        self._promises: list[tuple[str, str, Command[Sequence[Operation]]]] = []

    async def _promise(self, what: str, key: str | None, command: Command[Sequence[Operation]]) -> None:
        if key is not None:
            self._promises.append((what, key, command))

        async def promised(engine: Engine) -> None:
            made = await command(engine)
            self._site.note(Accepted(key=key, operations=tuple(operation.id for operation in made)))

        await self._ask(what, promised)

    async def _ask(self, what: str, command: Command[T], wait: bool | None = None) -> T | None:
        """Every call is its own task, and a client does not always wait for the answer before the next one."""
        task = self._site.process.spawn(self._answered(what, command))
        if wait or (wait is None and self._rng.random() < 0.7):
            await asyncio.wait([task])
            return None if task.cancelled() else task.result()
        return None

    async def _answered(self, what: str, command: Command[T]) -> T | None:
        try:
            result = await command(self._site.process.engine)
        except (Refused, Unavailable) as no:
            self._site.note(Asked(what=what, answer=f"{type(no).__name__}: {no}"))
            return None
        except asyncio.CancelledError:
            self._site.note(Asked(what=what, answer="no answer"))
            raise
        except Exception as error:
            self._site.note(Asked(what=what, answer=repr(error), unforeseen=True))
            return None
        self._site.note(Asked(what=what, answer="done"))
        return result

    def _now(self) -> datetime:
        return self._site.process.clock.now()

    def _somebody(self) -> Actor:
        return self._rng.choice(OPERATORS)

    def _some_scope(self) -> str:
        """Now and then the one that no fleet declares, even if it is not there."""
        return self._rng.choice([*(scope.id for scope in self._site.fleet.scopes), POOL_GROUP])

    def _some_machine(self) -> str:
        return self._rng.choice([*(machine.name for machine in self._site.fleet.machines), *self._site.instances])

    def _members(self, scope: str) -> list[str]:
        """Those that are declared, and those that an owner made."""
        everybody = (*self._site.fleet.machines, *self._site.instances.values())
        return [machine.name for machine in everybody if machine.scope == scope]

    def _some_key(self) -> str | None:
        return f"key-{self._rng.getrandbits(32):08x}" if self._rng.random() < 0.3 else None

    def _live(self) -> list[Event]:
        return [event for scope in self._site.scopes.values() for event in scope.events if event.phase.is_live]

    def _some_waiting(self) -> Event | None:
        waiting = [event for event in self._live() if event.phase is Phase.SCHEDULED]
        return self._rng.choice(waiting) if waiting else None
