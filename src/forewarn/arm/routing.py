"""The route table of ARM, and how a path finds its row: in any letter case, with doubled slashes.

A pattern's fixed segments match before its `{names}`, so a particular type wins over the generic store. `{rest...}` at
the end of a pattern catches whatever follows.
"""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from forewarn.arm.asking import Ask, Desk, Reply
from forewarn.domain.access import Right

Handler = Callable[[Desk, Ask], Awaitable[Reply]]
S = "/subscriptions/{subscription}"
RG = S + "/resourceGroups/{group}"
COMPUTE = RG + "/providers/Microsoft.Compute"


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    method: str
    path: str
    handler: Handler
    right: Right | None = None  # None: READ for GET and HEAD, else WRITE
    versioned: bool = True  # an api-version is needed
    open: bool = False  # to whoever has a token: the handler looks itself at what they may see

    @property
    def needs(self) -> Right:
        if self.right is not None:
            return self.right
        return Right.READ if self.method in ("GET", "HEAD") else Right.WRITE


Rows = tuple[Row, ...]


@dataclass(slots=True)
class _Node:
    fixed: dict[str, "_Node"] = field(default_factory=dict)
    named: dict[str, "_Node"] = field(default_factory=dict)  # by the name of what they catch
    rows: dict[str, Row] = field(default_factory=dict)  # by method
    rest: dict[str, Row] = field(default_factory=dict)
    rest_name: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    rows: dict[str, Row]  # what the path can do, by method
    path: dict[str, str]


class Router:
    def __init__(self, rows: Iterable[Row]) -> None:
        self._root = _Node()
        for row in rows:
            self._add(row)

    def find(self, path: str) -> Found | None:
        """None if nothing answers at this path, whatever the method."""
        return _walk(self._root, [part for part in path.split("/") if part], 0)

    def _add(self, row: Row) -> None:
        node = self._root
        for part in row.path.strip("/").split("/"):
            if part.endswith("...}"):
                node.rest_name = part[1:-4]
                assert row.method not in node.rest, f"{row.method} {row.path} is in the table twice"
                node.rest[row.method] = row
                return
            branch = node.named if part.startswith("{") else node.fixed
            node = branch.setdefault(part.strip("{}") if part.startswith("{") else part.lower(), _Node())
        assert row.method not in node.rows, f"{row.method} {row.path} is in the table twice"
        node.rows[row.method] = row


def _walk(node: _Node, parts: list[str], at: int) -> Found | None:
    if at == len(parts):
        return Found(node.rows, {}) if node.rows else None
    fixed = node.fixed.get(parts[at].lower())
    found = _walk(fixed, parts, at + 1) if fixed is not None else None
    if found is not None:
        return found
    for name, following in node.named.items():
        found = _walk(following, parts, at + 1)
        if found is not None:
            return Found(found.rows, {name: parts[at], **found.path})
    return Found(node.rest, {node.rest_name: "/".join(parts[at:])}) if node.rest else None
