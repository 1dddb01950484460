import io
from datetime import timedelta

import pytest

from forewarn.cli.output import Output, printable, span

URL = "http://127.0.0.1:8254/metadata/scheduledevents?api-version=2020-07-01"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_pipe_gets_whole_lines_without_control_codes() -> None:
    pipe = io.StringIO()
    Output(as_json=False, file=pipe).table(("NAME", "URL"), [("a" * 200, URL), ("b", "Started")])
    lines = pipe.getvalue().splitlines()
    assert lines[1].split() == ["a" * 200, URL]
    assert all(line == line.rstrip() and line.isprintable() for line in lines)


def test_a_narrow_terminal_loses_no_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal = Terminal()
    Output(as_json=False, file=terminal).table(("URL",), [(URL,)])
    assert URL in terminal.getvalue().replace("\n", "")


def test_text_in_brackets_is_text() -> None:
    pipe = io.StringIO()
    out = Output(as_json=False, file=pipe)
    out.table(("X",), [("[bold]x[/bold]",)])
    out.cells("[red]y")
    assert pipe.getvalue().split() == ["X", "[bold]x[/bold]", "[red]y"]


def test_progress_is_not_for_pipes() -> None:
    errors = io.StringIO()
    with Output(as_json=False, file=io.StringIO(), errors=errors).progress("working"):
        pass
    assert errors.getvalue() == ""


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0s"), (59.9, "59s"), (899, "14m59s"), (3661, "1h1m"), (86_399, "23h59m"), (90_061, "1d1h"), (-5, "5s")],
)
def test_a_span_is_as_exact_as_it_needs_to_be(seconds: float, expected: str) -> None:
    assert span(timedelta(seconds=seconds)) == expected


def test_what_cannot_be_printed_is_shown_as_such() -> None:
    assert printable("a\x1b[2Jb\rc\nd\u202ee") == "a\ufffd[2Jb\ufffdc\nd\ufffde"
