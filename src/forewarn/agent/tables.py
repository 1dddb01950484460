"""Columns for people, without a library."""

import shutil
from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None) -> str:
    """As wide as it must be; the last column is folded where the terminal ends (`width`; None: never)."""
    lines = [header, *[[printable(cell) for cell in row] for row in rows]]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    before = sum(widths[:-1]) + 2 * (len(widths) - 1)
    last = max(width - before, 20) if width is not None else None
    return "\n".join(line for cells in lines for line in _row(cells, widths, before, last))


def _row(cells: Sequence[str], widths: Sequence[int], before: int, last: int | None) -> list[str]:
    *front, end = cells
    start = "".join(f"{cell:<{width}}  " for cell, width in zip(front, widths, strict=False))
    parts = folded(end, last)
    return [(start + parts[0]).rstrip(), *(" " * before + part for part in parts[1:])]


def folded(text: str, width: int | None) -> list[str]:
    """Between words, as far as they let it."""
    lines = [""]
    for word in text.split(" "):
        joined = f"{lines[-1]} {word}" if lines[-1] else word
        if width is None or len(joined) <= width or not lines[-1]:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines


def terminal_width(is_terminal: bool) -> int | None:
    """None in a pipe, where nothing is ever folded."""
    return shutil.get_terminal_size().columns if is_terminal else None


def printable(text: str) -> str:
    """What a stranger wrote must not steer the reader's terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
