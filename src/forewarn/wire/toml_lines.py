"""On which line of a TOML file a key stands.

The standard parser tells values, not places. This reads the same text once more, and only when there is an error to
report; the text is known to be valid TOML by then.
"""

import ast
import re
from collections.abc import Iterator

Path = tuple[str, ...]

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}' r"|'''.*?'{3,5}" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'",
    re.DOTALL,
)
_PART = re.compile(r"[ \t]*(?:([A-Za-z0-9_-]+)|" + _STRING.pattern + r")[ \t]*", re.DOTALL)
_PLAIN = re.compile(r"[^,\]}#\n]+")


def line_of(text: str, path: Path) -> int:
    """The line of the key, or of the nearest table around it; 1 if not even that is there."""
    places: dict[Path, int] = {}
    for found, position in _Scanner(text).places():
        places.setdefault(found, position)
    while path and path not in places:
        path = path[:-1]
    return text.count("\n", 0, places[path]) + 1 if path else 1


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._last: dict[Path, int] = {}  # of each [[array of tables]], the number of the one begun last

    def places(self) -> Iterator[tuple[Path, int]]:
        table: Path = ()
        while self._skip_blank():
            start = self._at
            if self._text[self._at] == "[":
                is_array = self._text.startswith("[[", self._at)
                self._at += 2 if is_array else 1
                table = self._numbered(self._key(), is_array)
                yield from _with_parents((), table, start)
                self._at = self._text.find("]", self._at) + 1
                self._at += self._text.startswith("]", self._at)
            else:
                yield from self._pair(table)

    def _numbered(self, key: Path, is_array: bool) -> Path:
        """The path of a table: its name within an array of tables is the number that it has there."""
        path: Path = ()
        for place, part in enumerate(key, 1):
            path = (*path, part)
            if is_array and place == len(key):
                self._last[path] = self._last.get(path, -1) + 1
            if path in self._last:
                path = (*path, str(self._last[path]))
        return path

    def _pair(self, table: Path) -> Iterator[tuple[Path, int]]:
        start = self._at
        key = self._key()
        self._at += 1  # the equals sign
        yield from _with_parents(table, key, start)
        yield from self._value(table + key)

    def _value(self, path: Path) -> Iterator[tuple[Path, int]]:
        self._skip_blank()
        if self._text[self._at] == "{":
            yield from self._items("}", path)
        elif self._text[self._at] == "[":
            yield from self._items("]", path)
        else:
            token = _STRING.match(self._text, self._at) or _PLAIN.match(self._text, self._at)
            self._at = token.end() if token else self._at + 1

    def _items(self, close: str, path: Path) -> Iterator[tuple[Path, int]]:
        self._at += 1
        index = 0
        while self._skip_blank() and self._text[self._at] != close:
            if self._text[self._at] == ",":
                self._at += 1
            elif close == "}":
                yield from self._pair(path)
            else:
                yield (*path, str(index)), self._at
                yield from self._value((*path, str(index)))
                index += 1
        self._at += 1

    def _key(self) -> Path:
        parts: list[str] = []
        while part := _PART.match(self._text, self._at):
            parts.append(part[1] or _unquoted(part[0].strip()))
            self._at = part.end()
            if not self._text.startswith(".", self._at):
                break
            self._at += 1
        return tuple(parts)

    def _skip_blank(self) -> bool:
        """Go to the next thing that matters; False at the end."""
        blank = _BLANK.match(self._text, self._at)
        self._at = blank.end() if blank else self._at
        return self._at < len(self._text)


def _with_parents(table: Path, key: Path, position: int) -> Iterator[tuple[Path, int]]:
    for length in range(1, len(key) + 1):
        yield table + key[:length], position


def _unquoted(part: str) -> str:
    return part[1:-1] if part.startswith("'") else str(ast.literal_eval(part))
