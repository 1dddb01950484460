"""JSON with comments and the rest of it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.wire.jsonc import plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param('{"a": 1, template:{"b": 2}}', {"a": 1, "template": {"b": 2}}, id="bare-key"),
        pytest.param('{"a": 1, // one\n "b": /* two */ 2}', {"a": 1, "b": 2}, id="comments"),
        pytest.param('{"a": [1, 2,], /* x */ "b": {"c": 3, // y\n},}', {"a": [1, 2], "b": {"c": 3}}, id="commas"),
        pytest.param('{"a": "one\ntwo\tthree"}', {"a": "one\ntwo\tthree"}, id="several-lines"),
        pytest.param('{"a": "// no: comment, /* none */ ,]"}', {"a": "// no: comment, /* none */ ,]"}, id="in-strings"),
        pytest.param(r'{"a\"b": "\\", c: true}', {'a"b': "\\", "c": True}, id="escapes"),
        pytest.param("[true, false, null, -1.5e+3]", [True, False, None, -1500.0], id="words"),
    ],
)
def test_what_people_write_is_understood(text: str, value: object) -> None:
    assert json.loads(plain(text)) == value


@pytest.mark.parametrize("text", ['{"a', "{a}", "{'a': 1}", "/* never ends", '{"a": 1 2}'])
def test_what_makes_no_sense_stays_so(text: str) -> None:
    with pytest.raises(ValueError, match="line 1"):
        json.loads(plain(text))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    ),
    st.sampled_from([None, 2]),
)
def test_json_stays_what_it_is(value: object, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    assert json.loads(plain(text)) == value


def test_it_takes_no_longer_for_what_never_ends() -> None:
    for text in (
        '"' + '\\"' * 300_000,
        "/*" * 300_000,
        "," * 300_000,
        ", " * 300_000,
        "a " * 300_000,
        '{"a":[' * 99_999,
    ):
        plain(text)
