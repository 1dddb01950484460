"""Which scopes a command holds while it decides."""

from collections.abc import Iterable, Sequence

from forewarn.domain.errors import NotFound
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Transaction


def lock_known(tx: Transaction, scopes: Iterable[str]) -> list[Scope]:
    """Those that exist, with those that share a scale set with them; each once."""
    locked: dict[str, Scope] = {}
    for scope in sorted(set(scopes)):
        if scope not in locked:
            locked |= {member.id: member for member in tx.lock(scope)}
    return list(locked.values())


def lock_all(tx: Transaction, scopes: Sequence[str]) -> list[Scope]:
    """The same, where each has to exist."""
    locked = lock_known(tx, scopes)
    missing = set(scopes).difference(scope.id for scope in locked)
    if missing:
        raise NotFound(
            "There is no scope {scope}. `forewarn fleet` lists those there are.", key="no_scope", scope=min(missing)
        )
    return locked
