"""Queries of Resource Graph: what is understood gives the rows it should, and what is not is refused by its name."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.wire.kql import QueryError, parse, run

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
ROWS: list[dict[str, Any]] = [
    {
        "name": "a",
        "type": "vm",
        "size": 3,
        "spot": True,
        "properties": {"EventType": "Reboot", "NotBefore": "Sun, 15 Nov 2026 11:30:00 GMT", "Resources": ["web_1"]},
    },
    {
        "name": "b",
        "type": "VM",
        "size": 1,
        "spot": False,
        "properties": {"EventType": "Freeze", "NotBefore": "", "Resources": ["web_2", "db-3"]},
    },
    {"name": "c", "type": "disk", "size": 2, "tags": {"env name": "test"}, "properties": {}},
]


def names(query: str) -> str:
    return "".join(row["name"] for row in run(parse(query), ROWS, NOW))


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        pytest.param("type == 'vm'", "a", id="equal-minds-the-case"),
        pytest.param("type =~ 'vm'", "ab", id="equal-in-any-case"),
        pytest.param("type != 'vm'", "bc", id="not-equal"),
        pytest.param("type !~ 'vm'", "c", id="not-equal-in-any-case"),
        pytest.param("size == 3", "a", id="number"),
        pytest.param("size > 1 and size <= 3", "ac", id="range"),
        pytest.param("size < 2", "b", id="less"),
        pytest.param("size > -1", "abc", id="negative-number"),
        pytest.param("size == '3'", "", id="a-number-is-no-string"),
        pytest.param("spot == true", "a", id="true"),
        pytest.param("spot", "a", id="a-column-alone"),
        pytest.param("name in ('a', 'c')", "ac", id="in"),
        pytest.param("type in~ ('VM')", "ab", id="in-any-case"),
        pytest.param("name !in ('a', 'c')", "b", id="not-in"),
        pytest.param("properties.EventType == 'Reboot'", "a", id="dotted"),
        pytest.param("properties.eventtype == 'Reboot'", "a", id="dotted-in-any-case"),
        pytest.param("properties['EventType'] == 'Freeze'", "b", id="in-brackets"),
        pytest.param("properties.Resources[1] == 'db-3'", "b", id="place-in-a-list"),
        pytest.param("tags['env name'] == 'test'", "c", id="a-name-with-a-blank"),
        pytest.param("properties.Nothing.at.all == 'x'", "", id="nothing-there"),
        pytest.param("isnull(tags) and isnotempty(properties.EventType)", "ab", id="null-and-empty"),
        pytest.param("properties.EventType contains 'REE'", "b", id="contains"),
        pytest.param("properties.Resources has 'web_1'", "a", id="has-a-term"),
        pytest.param("properties.Resources has 'eb'", "", id="has-no-part-of-a-term"),
        pytest.param("type startswith 'D'", "c", id="startswith"),
        pytest.param("type !startswith 'd' and type endswith 'm'", "ab", id="not-startswith"),
        pytest.param("name == 'a' or name == 'b' and size == 9", "a", id="and-binds-closer-than-or"),
        pytest.param("(name == 'a' or name == 'b') and size == 1", "b", id="parentheses"),
        pytest.param("not(type =~ 'vm')", "c", id="not"),
        pytest.param("tolower(type) == 'vm'", "ab", id="tolower"),
        pytest.param("tostring(size) == '2'", "c", id="tostring"),
        pytest.param("todatetime(properties.NotBefore) > ago(1h)", "a", id="todatetime-and-ago"),
        pytest.param("todatetime(properties.NotBefore) < now()", "a", id="now"),
        pytest.param("todatetime(properties.NotBefore) == datetime(2026-11-15T11:30:00Z)", "a", id="datetime"),
        pytest.param(r"name == 'a' // and name == 'b'", "a", id="comment"),
        pytest.param('name == @"a"', "a", id="verbatim-string"),
        pytest.param(r"name == '\a'", "a", id="escaped"),
    ],
)
def test_where(condition: str, found: str) -> None:
    assert names(f"resources | where {condition}") == found


def test_project_names_its_columns_as_kusto_does() -> None:
    query = (
        "Resources | where name=='a' | project name, kind=type, properties.EventType, tostring(properties.Resources)"
    )
    assert run(parse(query), ROWS, NOW) == [
        {"name": "a", "kind": "vm", "properties_EventType": "Reboot", "properties_Resources": '["web_1"]'}
    ]


def test_extend_keeps_the_other_columns_and_gives_moments_as_text() -> None:
    (row,) = run(parse("t | where name=='a' | extend due = todatetime(properties.NotBefore)"), ROWS, NOW)
    assert (row["name"], row["due"]) == ("a", "2026-11-15T11:30:00.0000000Z")


@pytest.mark.parametrize(
    ("steps", "found"),
    [
        pytest.param("order by size asc", "bca", id="ascending"),
        pytest.param("order by size", "acb", id="descending-unless-told"),
        pytest.param("sort by tolower(type) asc, name desc", "cba", id="two-keys"),
        pytest.param("order by todatetime(properties.NotBefore) asc", "bca", id="null-first"),
        pytest.param("order by size asc | take 1", "b", id="take"),
        pytest.param("limit 2", "ab", id="limit"),
    ],
)
def test_order_and_take(steps: str, found: str) -> None:
    assert names(f"resources | {steps}") == found


def test_count_counts() -> None:
    assert run(parse("resources\n| where size > 1\n| count"), ROWS, NOW) == [{"Count": 2}]


@pytest.mark.parametrize(
    ("query", "told"),
    [
        pytest.param("", "the name of a table", id="nothing"),
        pytest.param("resources where a == 1", "'|'", id="no-pipe"),
        pytest.param("resources | summarize count() by type", "'summarize' is not supported here: use", id="summarize"),
        pytest.param("resources | join (x) on y", "'join' is not supported", id="join"),
        pytest.param("resources | where name matches regex 'a'", "'matches' is not supported here", id="comparison"),
        pytest.param("resources | where strlen(name) == 1", "'strlen' is not supported here", id="function"),
        pytest.param("resources | where name ==", "the end of the query", id="half"),
        pytest.param("resources | take x", "how many rows", id="take-what"),
        pytest.param("resources | where name == 'a", "cannot be read from", id="open-string"),
        pytest.param("resources | where name == datetime(tomorrow)", "is not a moment", id="no-moment"),
        pytest.param("r | where " + "(" * 60 + "a" + ")" * 60, "nested at most", id="too-deep"),
        pytest.param("r | where a == " + "9" * 30, "too long", id="too-long-a-number"),
        pytest.param("r" * 20_000, "at most", id="too-long"),
    ],
)
def test_what_is_not_understood_is_refused_by_its_name(query: str, told: str) -> None:
    with pytest.raises(QueryError) as error:
        parse(query)
    assert told in str(error.value)


WORDS = st.sampled_from(
    [
        *("resources", "properties", "type", "|", "where", "project", "extend", "order", "sort", "by", "take", "count"),
        *("and", "or", "not", "in", "in~", "!in", "has", "contains", "==", "!=", "=~", "(", ")", "[", "]", ",", "."),
        *("=", "<", ">", "-", "'a'", '"b"', "12", "1.5", "3d", "tostring", "ago", "now", "datetime(2026-01-01)", "//"),
        *("\n", "true", "null", "asc", "desc"),
    ]
)


@given(st.one_of(st.text(), st.lists(WORDS, max_size=30).map(" ".join), st.lists(WORDS, max_size=30).map("".join)))
def test_any_text_is_a_query_or_a_query_error(text: str) -> None:
    try:
        query = parse(text)
    except QueryError:
        return
    run(query, ROWS, NOW)
