"""Finding what a request names: a machine by its name or SCOPE/NAME, an event by its id or the beginning of it."""

from collections.abc import Iterable, Sequence

from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Event
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import group_prefix
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader

CANDIDATES = 10
SHORTEST = 4
"""Characters of an event's id that must be there."""


MOST_GROUPS = 10_000


async def find_machine(engine: Engine, name: str) -> Machine:
    return await engine.store.read(lambda r: _machine(r, name))


async def find_machines(engine: Engine, names: Sequence[str]) -> list[Machine]:
    return await engine.store.read(lambda r: [_machine(r, name) for name in dict.fromkeys(names)])


def _machine(reader: Reader, text: str) -> Machine:
    scope, slash, name = text.rpartition("/")
    found = reader.machines(scope, [name]) if slash else reader.machines_named(name)
    if not found:
        raise NotFound(f"There is no machine {text[:200]}. `forewarn fleet` lists those there are.")
    if len(found) > 1:
        named = _listed(f"{machine.scope}/{machine.name}" for machine in found)
        raise Conflict(f"{len(found)} machines are called {name}: say which one, {named}.")
    return found[0]


async def find_event(engine: Engine, text: str) -> Event:
    """By id, or by an unambiguous beginning of one; among those that are live first."""
    start = text.upper()
    if len(start) < SHORTEST:
        raise Invalid(f"{text!r} is too short for an event: give its id, or {SHORTEST} characters of it or more.")
    return await engine.store.read(lambda r: _event(r, start))


def _event(reader: Reader, start: str) -> Event:
    exact = reader.event(start)
    if exact is not None:
        return exact
    for live in (True, False):
        page = reader.list_events(live=live, after=start, limit=CANDIDATES)
        found = [event for event in page if event.id.startswith(start)]
        if len(found) > 1:
            raise Conflict(f"More than one event begins with {start}: {_listed(event.id for event in found)}.")
        if found:
            return found[0]
    raise NotFound(f"There is no event {start[:200]}. `forewarn events --all` lists those there ever were.")


async def find_scopes(engine: Engine, names: Sequence[str]) -> list[str]:
    """Scopes by id; a scale set's name stands for all its placement groups."""

    def look(reader: Reader) -> list[str]:
        return [scope for name in names for scope in _scopes(reader, name)]

    return list(dict.fromkeys(await engine.store.read(look)))


def _scopes(reader: Reader, name: str) -> list[str]:
    if reader.scope(name) is not None:
        return [name]
    page = reader.list_scopes(after=group_prefix(name), limit=MOST_GROUPS)
    groups = [scope.id for scope in page if scope.scale_set == name]
    if not groups:
        raise NotFound(f"There is no scope or scale set {name[:200]}. `forewarn fleet` lists those there are.")
    return groups


def _listed(words: Iterable[str]) -> str:
    known = list(words)
    more = f" or one of {len(known) - CANDIDATES} more" if len(known) > CANDIDATES else ""
    return " or ".join(known[:CANDIDATES]) + more
