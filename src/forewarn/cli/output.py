"""How answers look: aligned columns for people, JSON for programs, nothing but plain text in a pipe."""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from forewarn.wire.durations import format_duration

WIDE = 10_000
"""Columns of a pipe: nothing is ever cut there."""

STYLES = {
    "Scheduled": "yellow",
    "Started": "bold red",
    "Completed": "green",
    "Succeeded": "green",
    "Canceled": "dim",
    "Failed": "bold red",
}


class Output:
    def __init__(self, *, as_json: bool, file: TextIO | None = None, errors: TextIO | None = None) -> None:
        self.as_json = as_json
        self._file = file or sys.stdout
        self._errors = errors or sys.stderr
        self.console = Console(file=self._file, width=None if self._file.isatty() else WIDE, highlight=False)

    @property
    def is_terminal(self) -> bool:
        return self._file.isatty()

    def json(self, value: object) -> None:
        print(json.dumps(value, indent=2, ensure_ascii=False), file=self._file)

    def json_line(self, value: object) -> None:
        print(json.dumps(value, ensure_ascii=False), file=self._file, flush=True)

    def line(self, text: str = "") -> None:
        print(printable(text), file=self._file, flush=True)

    def cells(self, *words: str) -> None:
        """One line of a log, its known words in their colours."""
        self.console.print(Text("  ").join(styled(word) for word in words if word), soft_wrap=True)
        self._file.flush()

    def table(self, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in columns:
            table.add_column(column, overflow="fold")
        for row in rows:
            table.add_row(*(styled(cell) for cell in row))
        with self.console.capture() as drawn:
            self.console.print(table)
        print("\n".join(line.rstrip() for line in drawn.get().splitlines()), file=self._file, flush=True)

    def note(self, text: str) -> None:
        """For the person, beside the answer."""
        print(printable(text), file=self._errors, flush=True)

    @contextmanager
    def progress(self, text: str) -> Iterator[Callable[[str], None]]:
        """Shows that something takes its time, where somebody looks at it. Call what is given with another text."""
        if self._errors.isatty():
            with Console(file=self._errors).status(Text(text)) as status:
                yield lambda text: status.update(Text(printable(text)))
        else:
            yield lambda text: None


def styled(word: str) -> Text:
    return Text(printable(word), style=STYLES.get(word.strip(), ""))


def printable(text: str) -> str:
    """What a stranger wrote must not steer the reader's terminal."""
    return "".join(c if c.isprintable() or c == "\n" else "\N{REPLACEMENT CHARACTER}" for c in text)


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


def clock_time(text: str) -> str:
    return f"{moment(text):%H:%M:%S}Z"


def full_time(text: str) -> str:
    return f"{moment(text):%Y-%m-%d %H:%M:%S}Z"


def span(length: timedelta) -> str:
    """To the second; to the minute where it is hours, to the hour where it is days."""
    seconds = int(abs(length).total_seconds())
    coarse = seconds - seconds % (3600 if seconds >= 86_400 else 60 if seconds >= 3600 else 1)
    return format_duration(timedelta(seconds=coarse))


def short(identifier: str) -> str:
    """The beginning of an id, enough to name it with."""
    return identifier[:8]


def actor(who: dict[str, Any]) -> str:
    return f"{who['kind']}:{who['name']}"
