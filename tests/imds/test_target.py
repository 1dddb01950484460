"""One reading of path and query; whatever could be read in two ways is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.imds.target import Target, read_target

EVENTS = "/metadata/scheduledevents"


@pytest.mark.parametrize(
    ("raw", "path", "query"),
    [
        pytest.param("/", "/", {}, id="root"),
        pytest.param(f"{EVENTS}?api-version=2020-07-01", EVENTS, {"api-version": "2020-07-01"}, id="usual"),
        pytest.param(f"{EVENTS}%3Fapi-version=1", EVENTS, {"api-version": "1"}, id="encoded question mark"),
        pytest.param(f"{EVENTS}%3fa=1&b=2", EVENTS, {"a": "1", "b": "2"}, id="and another key"),
        pytest.param(f"{EVENTS}%3Fa=1?b", EVENTS, {"a": "1?b"}, id="the first question mark counts"),
        pytest.param("/a?b=%3F", "/a", {"b": "?"}, id="question mark in a value"),
        pytest.param("/%6Detadata", "/metadata", {}, id="encoded letter"),
        pytest.param("/%256D", "/%6D", {}, id="decoded once"),
        pytest.param("/a?b=%26c=d", "/a", {"b": "&c=d"}, id="split before decoding"),
        pytest.param("/a?b=https%3A%2F%2Fc%2F", "/a", {"b": "https://c/"}, id="slash in a value"),
        pytest.param("/a?API-Version=1", "/a", {"api-version": "1"}, id="case of keys"),
        pytest.param("/a?b", "/a", {"b": ""}, id="key alone"),
        pytest.param("/a?&b=1&", "/a", {"b": "1"}, id="empty pairs"),
        pytest.param("/a?", "/a", {}, id="empty query"),
        pytest.param("/a?b=1=2", "/a", {"b": "1=2"}, id="equals sign in a value"),
        pytest.param("/%C3%A9?%C3%A9=%C3%A9", "/é", {"é": "é"}, id="UTF-8"),
        pytest.param("/a.b/..c/d..", "/a.b/..c/d..", {}, id="dots that are no dot segments"),
        pytest.param("/a?b=../c", "/a", {"b": "../c"}, id="dots in a value"),
    ],
)
def test_targets_are_read(raw: str, path: str, query: dict[str, str]) -> None:
    assert read_target(raw.encode()) == Target(path, query, None)


@pytest.mark.parametrize(
    ("raw", "authority", "path"),
    [
        (b"http://169.254.169.254/metadata", b"169.254.169.254", "/metadata"),
        (b"HTTP://a:80/metadata", b"a:80", "/metadata"),
        (b"http://a", b"a", "/"),
        (b"http://a?b=c", b"a", "/"),
    ],
)
def test_absolute_targets_are_read(raw: bytes, authority: bytes, path: str) -> None:
    target = read_target(raw)
    assert target is not None
    assert (target.authority, target.path) == (authority, path)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"*", id="asterisk"),
        pytest.param(b"metadata", id="no slash"),
        pytest.param(b"a:80", id="authority"),
        pytest.param(b"https://a/metadata", id="https"),
        pytest.param(b"ftp://a/metadata", id="ftp"),
        pytest.param(b"http:///metadata", id="no authority"),
        pytest.param(b"http://me@a/metadata", id="user"),
        pytest.param(b"/metadata%2Fscheduledevents", id="encoded slash"),
        pytest.param(b"/metadata%2fscheduledevents", id="encoded slash in lower case"),
        pytest.param(b"/metadata\\scheduledevents", id="backslash"),
        pytest.param(b"/metadata%5Cscheduledevents", id="encoded backslash"),
        pytest.param(b"/metadata/../secret", id="dot-dot"),
        pytest.param(b"/metadata/./a", id="dot"),
        pytest.param(b"/metadata/..", id="dot-dot at the end"),
        pytest.param(b"/metadata/..?a=b", id="dot-dot before the query"),
        pytest.param(b"/metadata/..%3Fa=b", id="dot-dot before an encoded question mark"),
        pytest.param(b"/metadata/%2e%2e/secret", id="encoded dot-dot"),
        pytest.param(b"/metadata/.%2E/secret", id="half-encoded dot-dot"),
        pytest.param(b"/x/..%2fmetadata", id="dot-dot and encoded slash"),
        pytest.param(b"/metadata;a=b", id="semicolon"),
        pytest.param(b"/metadata%3Ba=b", id="encoded semicolon"),
        pytest.param(b"/metadata?a=b;c=d", id="semicolon in the query"),
        pytest.param(b"/metadata#a", id="fragment"),
        pytest.param(b"/metadata%00", id="NUL"),
        pytest.param(b"/metadata?a=%00", id="NUL in the query"),
        pytest.param(b"/metadata%0D%0A", id="line end"),
        pytest.param(b"/metadata%7F", id="DEL"),
        pytest.param(b"/metadata%", id="lone percent sign"),
        pytest.param(b"/metadata%4", id="half an escape"),
        pytest.param(b"/metadata%zz", id="escape that is none"),
        pytest.param(b"/metadata?a=%u0041", id="escape of another kind"),
        pytest.param(b"/metadata/%C0%AE%C0%AE/", id="overlong dots"),
        pytest.param(b"/metadata%C0%AF", id="overlong slash"),
        pytest.param(b"/metadata%FF", id="not UTF-8"),
        pytest.param(b"/metadata?a=%ED%A0%80", id="surrogate"),
        pytest.param(b"/metadata?api-version=1&api-version=1", id="key twice"),
        pytest.param(b"/metadata?api-version=1&API-VERSION=1", id="key twice in another case"),
        pytest.param(b"/metadata?api-version=1&api%2Dversion=1", id="key twice, once encoded"),
        pytest.param(b"/metadata?a&a", id="key twice without a value"),
        pytest.param(b"/metadata%3Fa=1&a=2", id="key twice after an encoded question mark"),
    ],
)
def test_ambiguous_targets_are_refused(raw: bytes) -> None:
    assert read_target(raw) is None


@settings(deadline=None)
@given(st.binary(max_size=60).map(lambda raw: b"/" + raw))
def test_what_is_read_has_nothing_ambiguous_left(raw: bytes) -> None:
    target = read_target(raw)
    if target is not None:
        assert not set(target.path) & {"\0", "\\", ";", "?", "#"}
        assert not {".", ".."} & set(target.path.split("/"))
