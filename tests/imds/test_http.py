"""Heads are read strictly: what is not exactly HTTP/1.1 is refused, at the first sign of it."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.imds.http import CHUNKED, Head, HeadReader, Refusal
from forewarn.imds.limits import Limits

READER = HeadReader(Limits())
LINE = b"GET / HTTP/1.1\r\n"
HOST = b"Host: a\r\n"


def read(raw: bytes) -> Head:
    head = READER.read(raw)
    assert isinstance(head, Head), head
    return head


def test_a_head_is_read() -> None:
    head = read(b"GET /a?b HTTP/1.1\r\nHost: Localhost\r\nX-Y:  z \t\r\nEmpty:\r\n\r\nrest")
    assert (head.method, head.target, head.modern, head.keep_alive, head.length) == (b"GET", b"/a?b", True, True, 0)
    assert head.fields == {b"host": b"localhost", b"x-y": b"z", b"empty": b""}
    assert head.end == len(b"GET /a?b HTTP/1.1\r\nHost: Localhost\r\nX-Y:  z \t\r\nEmpty:\r\n\r\n")


def test_a_head_is_read_where_it_starts() -> None:
    raw = LINE + HOST + b"\r\n"
    head = READER.read(b"POST / HTTP/1.1\r\n\r\n" + raw, len(b"POST / HTTP/1.1\r\n\r\n"))
    assert isinstance(head, Head)
    assert (head.method, head.end) == (b"GET", len(b"POST / HTTP/1.1\r\n\r\n" + raw))


def test_a_field_sent_twice_is_one_with_a_comma() -> None:
    assert read(LINE + b"A: 1\r\nB: 2\r\na: 3\r\n\r\n").fields == {b"a": b"1, 3", b"b": b"2"}


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(b"GET / HTTP/1.1\nHost: a\n\n", id="bare LF"),
        pytest.param(LINE + b"Host: a\n\r\n", id="bare LF after a field"),
        pytest.param(LINE + b"Host: a\nX: b\r\n\r\n", id="bare LF between fields"),
        pytest.param(LINE + b"Host: a\rX: b\r\n\r\n", id="bare CR"),
        pytest.param(LINE + b"X: a\r\n b\r\n\r\n", id="obs-fold with a space"),
        pytest.param(LINE + b"X: a\r\n\tb\r\n\r\n", id="obs-fold with a tab"),
        pytest.param(LINE + b"Host : a\r\n\r\n", id="space before the colon"),
        pytest.param(LINE + b" Host: a\r\n\r\n", id="space before the first field"),
        pytest.param(LINE + b"Host\r\n\r\n", id="field without colon"),
        pytest.param(LINE + b": a\r\n\r\n", id="field without name"),
        pytest.param(LINE + b"X: a\x00b\r\n\r\n", id="NUL in a value"),
        pytest.param(LINE + b"X: a\x01b\r\n\r\n", id="control character in a value"),
        pytest.param(LINE + b"X: a\x7fb\r\n\r\n", id="DEL in a value"),
        pytest.param(LINE + b"X\x80: a\r\n\r\n", id="not ASCII in a name"),
        pytest.param(LINE + b"X: \xff\xfe\r\n\r\n", id="not UTF-8 in a value"),
        pytest.param(LINE + b"X: \xc0\xaf\r\n\r\n", id="overlong UTF-8 in a value"),
        pytest.param(b"GET /\r\n", id="HTTP/0.9"),
        pytest.param(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", id="HTTP/2 preface"),
        pytest.param(b"GET / HTTP/1.2\r\n\r\n", id="HTTP/1.2"),
        pytest.param(b"GET / http/1.1\r\n\r\n", id="lower-case version"),
        pytest.param(b"GET /a b HTTP/1.1\r\n\r\n", id="space in the target"),
        pytest.param(b"GET  / HTTP/1.1\r\n\r\n", id="two spaces"),
        pytest.param(b"GET\t/ HTTP/1.1\r\n\r\n", id="tab instead of a space"),
        pytest.param(b"GET / HTTP/1.1 \r\n\r\n", id="space after the version"),
        pytest.param(b"GET /\xc3\xa9 HTTP/1.1\r\n\r\n", id="not ASCII in the target"),
        pytest.param(b"G(T / HTTP/1.1\r\n\r\n", id="method that is no token"),
        pytest.param(b"\r\nGET / HTTP/1.1\r\n\r\n", id="empty line first"),
        pytest.param(b"TRACE / HTTP/1.1\r\n\r\n", id="TRACE"),
        pytest.param(b"CONNECT a:80 HTTP/1.1\r\n\r\n", id="CONNECT"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n", id="TLS"),
        pytest.param(LINE + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", id="both framings"),
        pytest.param(LINE + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", id="two lengths"),
        pytest.param(LINE + b"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", id="the same length twice"),
        pytest.param(LINE + b"Content-Length: +1\r\n\r\n", id="signed length"),
        pytest.param(LINE + b"Content-Length: -1\r\n\r\n", id="negative length"),
        pytest.param(LINE + b"Content-Length: 0x1\r\n\r\n", id="hexadecimal length"),
        pytest.param(LINE + b"Content-Length: 1_0\r\n\r\n", id="length with an underscore"),
        pytest.param(LINE + b"Content-Length:\r\n\r\n", id="empty length"),
        pytest.param(LINE + b"Content-Length: 99999999999\r\n\r\n", id="length beyond all measure"),
        pytest.param(LINE + b"Transfer-Encoding: gzip\r\n\r\n", id="other coding"),
        pytest.param(LINE + b"Transfer-Encoding: chunked, chunked\r\n\r\n", id="chunked twice"),
        pytest.param(LINE + b"Transfer-Encoding: xchunked\r\n\r\n", id="nearly chunked"),
        pytest.param(LINE + b"Transfer-Encoding: \x0bchunked\r\n\r\n", id="chunked after a control character"),
        pytest.param(b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", id="chunked in HTTP/1.0"),
    ],
)
def test_malformed_heads_are_refused(raw: bytes) -> None:
    assert READER.read(raw) is Refusal.MALFORMED


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        pytest.param(b"GET /" + b"a" * 2048, Refusal.LINE_TOO_LONG, id="endless request line"),
        pytest.param(b"GET /" + b"a" * 2040 + b" HTTP/1.1\r\n\r\n", Refusal.LINE_TOO_LONG, id="long request line"),
        pytest.param(LINE + b"X: " + b"a" * 8192, Refusal.HEAD_TOO_LARGE, id="endless field"),
        pytest.param(LINE + b"X: y\r\n" * 65, Refusal.HEAD_TOO_LARGE, id="65 fields and maybe more"),
        pytest.param(LINE + b"X: y\r\n" * 65 + b"\r\n", Refusal.HEAD_TOO_LARGE, id="65 fields"),
        pytest.param(LINE + b"X: " + b"a" * 8192 + b"\r\n\r\n", Refusal.HEAD_TOO_LARGE, id="large field"),
        pytest.param(LINE + b"Content-Length: 65537\r\n\r\n", Refusal.BODY_TOO_LARGE, id="large body"),
        pytest.param(LINE + b"Expect: a miracle\r\n\r\n", Refusal.EXPECTATION_UNKNOWN, id="unknown expectation"),
    ],
)
def test_heads_beyond_a_limit_are_refused(raw: bytes, refusal: Refusal) -> None:
    assert READER.read(raw) is refusal


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(
            b"GET /" + b"a" * (2048 - len("GET / HTTP/1.1")) + b" HTTP/1.1\r\n\r\n", id="request line of 2 KiB"
        ),
        pytest.param(LINE + b"X: y\r\n" * 64 + b"\r\n", id="64 fields"),
        pytest.param(LINE + b"X: " + b"a" * (8192 - len(LINE) - 7) + b"\r\n\r\n", id="head of 8 KiB"),
        pytest.param(LINE + b"Content-Length: 65536\r\n\r\n", id="body of 64 KiB"),
        pytest.param(LINE + "User-Agent: Grüße\r\n\r\n".encode(), id="UTF-8 in a value"),
        pytest.param(LINE + b"X: a\tb\r\n\r\n", id="tab in a value"),
        pytest.param(LINE + b"X: " + b" " * 8000 + b"\r\n\r\n", id="nothing but blanks"),
    ],
)
def test_heads_at_a_limit_are_read(raw: bytes) -> None:
    assert read(raw).end == len(raw)


@pytest.mark.parametrize(
    ("fields", "length"),
    [
        pytest.param(b"", 0, id="none"),
        pytest.param(b"Content-Length: 0\r\n", 0, id="zero"),
        pytest.param(b"Content-Length: 17\r\n", 17, id="sized"),
        pytest.param(b"Content-Length: 017 \r\n", 17, id="sized with zeros and blanks"),
        pytest.param(b"Transfer-Encoding: Chunked\r\n", CHUNKED, id="chunked"),
    ],
)
def test_the_length_of_the_body_is_known_from_the_head(fields: bytes, length: int) -> None:
    assert read(LINE + fields + b"\r\n").length == length


@pytest.mark.parametrize(
    ("version", "connection", "keep_alive"),
    [
        (b"1.1", None, True),
        (b"1.1", b"keep-alive", True),
        (b"1.1", b"close", False),
        (b"1.1", b"TE, Close", False),
        (b"1.1", b"keep-alive, close", False),
        (b"1.0", None, False),
        (b"1.0", b"Keep-Alive", True),
        (b"1.0", b"close", False),
    ],
)
def test_whether_the_connection_stays_open(version: bytes, connection: bytes | None, keep_alive: bool) -> None:
    field = b"" if connection is None else b"Connection: " + connection + b"\r\n"
    assert read(b"GET / HTTP/" + version + b"\r\n" + field + b"\r\n").keep_alive is keep_alive


heads = st.lists(
    st.one_of(
        st.sampled_from(
            [LINE, b"GET / HTTP/1.0\r\n", HOST, b"\r\n", b"\n", b"\r", b" ", b"Content-Length: 3\r\n", b"x" * 3000]
        ),
        st.binary(max_size=4),
    ),
    max_size=12,
).map(b"".join)


@settings(deadline=None)
@given(raw=heads)
def test_the_reason_does_not_depend_on_how_the_bytes_were_cut(raw: bytes) -> None:
    whole = READER.read(raw)
    partial: Any = None
    for cut in range(len(raw) + 1):
        partial = READER.read(raw[:cut])
        if partial is not None:
            break
    assert partial == whole
