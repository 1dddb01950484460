"""Finding what a request names: a machine by its name or SCOPE/NAME, anything else by its id or the beginning of it."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeAlias, TypeVar

from forewarn.domain.campaigns import Campaign
from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Event, Operation
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import group_prefix
from forewarn.engine.engine import Engine
from forewarn.engine.ports import Reader

N = TypeVar("N", Event, Operation, Campaign)
Look: TypeAlias = Callable[[Reader, str], Iterator[Sequence[N]]]
CANDIDATES = 10
SHORTEST = 4
"""Characters of an id that must be there."""

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
    """Among those that are live first."""

    def look(reader: Reader, start: str) -> Iterator[Sequence[Event]]:
        yield [event] if (event := reader.event(start)) else []
        yield reader.list_events(live=True, after=start, limit=CANDIDATES)
        yield reader.list_events(live=False, after=start, limit=CANDIDATES)

    return await engine.store.read(lambda r: _by_start(text, look, r, "event", "forewarn events --all"))


async def find_operation(engine: Engine, text: str) -> Operation:
    """Among those that are under way first."""

    def look(reader: Reader, start: str) -> Iterator[Sequence[Operation]]:
        yield [operation] if (operation := reader.operation(start)) else []
        yield reader.list_operations(live=True, after=start, limit=CANDIDATES)
        yield reader.list_operations(live=False, after=start, limit=CANDIDATES)

    return await engine.store.read(lambda r: _by_start(text, look, r, "operation", "forewarn operations --all"))


async def find_campaign(engine: Engine, text: str) -> Campaign:
    def look(reader: Reader, start: str) -> Iterator[Sequence[Campaign]]:
        yield [campaign] if (campaign := reader.campaign(start)) else []
        yield reader.list_campaigns(after=start, limit=CANDIDATES)

    return await engine.store.read(lambda r: _by_start(text, look, r, "campaign", "forewarn campaign list"))


def _by_start(text: str, look: Look[N], reader: Reader, noun: str, lister: str) -> N:
    """By id, or by an unambiguous beginning of one, in the first place where there is any."""
    start = text.upper()
    if len(start) < SHORTEST:
        raise Invalid(f"{text!r} is too short for an id: give {SHORTEST} characters of it or more.")
    for page in look(reader, start):
        found = [item for item in page if item.id.startswith(start)]
        if len(found) > 1:
            raise Conflict(f"More than one {noun} begins with {start}: {_listed(item.id for item in found)}.")
        if found:
            return found[0]
    raise NotFound(f"There is no {noun} {text[:200]}. `{lister}` lists those there are.")


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
