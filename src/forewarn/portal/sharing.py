"""The scopes that a decision about some of them looks at: these, and those that share scale sets with them."""

from collections.abc import Iterable

from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader


def sharing(reader: Reader, scopes: Iterable[str]) -> list[Scope]:
    """Those that exist, each once, by id: what a command on them would lock."""
    found: dict[str, Scope] = {}
    for name in sorted(set(scopes)):
        scope = reader.scope(name)
        if scope is None or name in found:
            continue
        group = [scope] if scope.scale_set is None else reader.scopes_of_scale_set(scope.scale_set)
        found |= {member.id: member for member in group}
    return list(found.values())
