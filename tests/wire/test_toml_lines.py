"""The line of a key, wherever TOML lets it stand."""

import tomllib
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from forewarn.wire.toml_lines import Path, line_of

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=5)
TEXTS = st.sampled_from(
    ["# no comment", "[no.table]", "no = 'pair'", 'quote " and \\ slash', "}", "]", ",", "a\nb = 1"]
)
VALUES = st.recursive(
    TEXTS | st.integers() | st.booleans() | st.just(1.5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=6,
)


def quoted(text: str) -> str:
    return '"' + "".join(f"\\U{ord(c):08x}" if c in '"\\\n' or not c.isprintable() else c for c in text) + '"'


def long(text: str) -> str:
    return '"""\n' + text.replace("\\", "\\\\").replace('"', '\\"') + '"""'


def written(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return long(value) if "\n" in value else quoted(value)
        case list():
            return "[ # [\n" + "".join(f"  {written(item)}, # ]\n" for item in value) + "]"
        case dict():
            return "{" + ", ".join(f"{quoted(key)} = {written(item)}" for key, item in value.items()) + "}"
        case _:
            return str(value)


def document(tables: dict[str, dict[str, object]]) -> Iterator[tuple[str, Path]]:
    """Pieces of text, each with the path that begins with it."""
    for name, table in tables.items():
        yield f"[ t . {quoted(name)} ] # [x]\n", ("t", name)
        for key, value in table.items():
            yield f"{quoted(key)} = {written(value)} # = 1\n\n", ("t", name, key)


@given(st.dictionaries(NAMES, st.dictionaries(NAMES, VALUES, max_size=4), min_size=1, max_size=4))
def test_every_key_is_found_on_the_line_it_was_written_on(tables: dict[str, dict[str, object]]) -> None:
    pieces = list(document(tables))
    text = "".join(piece for piece, _ in pieces)
    assert tomllib.loads(text)["t"] == tables
    line = 1
    for piece, path in pieces:
        assert line_of(text, path) == line
        line += piece.count("\n")


def test_what_is_not_there_is_where_its_table_is() -> None:
    assert line_of("a = 1\n[b]\nc = 2\n", ("b", "d", "e")) == 2


def test_the_first_line_stands_for_what_has_no_place_at_all() -> None:
    assert line_of("\na = 1\n", ("x",)) == 1


def test_a_table_of_an_array_is_known_by_its_number() -> None:
    text = "[[a]]\nb = 1\n[[a]]\nb = 2\n[a.c]\nd = 3\n[[a.e]]\n[[a.e]]\nf = 4\n"
    places = {("a",): 1, ("a", "0", "b"): 2, ("a", "1"): 3, ("a", "1", "b"): 4, ("a", "1", "c", "d"): 6}
    for path, line in {**places, ("a", "1", "e", "1", "f"): 9, ("a", "1", "x"): 3}.items():
        assert line_of(text, path) == line
