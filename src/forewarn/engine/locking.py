"""Which scopes a command holds while it decides."""

from collections.abc import Iterable

from forewarn.domain.errors import NotFound
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Transaction


def lock_known(tx: Transaction, scopes: Iterable[str]) -> list[Scope]:
    """Those that exist, with those that share a scale set with them; each once."""
    locked: dict[str, Scope] = {}
    for scope in sorted(set(scopes)):
        if scope not in locked:
            locked.update((member.id, member) for member in tx.lock(scope))
    return list(locked.values())


def lock_all(tx: Transaction, scopes: Iterable[str]) -> list[Scope]:
    """The same, where each has to exist."""
    named = set(scopes)
    locked = lock_known(tx, named)
    missing = sorted(named - {scope.id for scope in locked})
    if missing:
        raise NotFound(f"There is no scope {missing[0]}. `forewarn fleet` lists those there are.")
    return locked
