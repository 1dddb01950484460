"""Bodies come in pieces, cut anywhere, and are the same for it."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.imds.body import Body, ChunkedBody, SizedBody
from forewarn.imds.http import Refusal
from forewarn.imds.limits import Limits

LIMITS = Limits(body=64, chunks=4)


def fill(body: Body, pieces: list[bytes]) -> bytes | Refusal | None:
    """Feeds piece by piece; what was not asked for any more is part of the rest."""
    for number, piece in enumerate(pieces):
        rest = body.feed(piece)
        if isinstance(rest, bytes):
            return rest + b"".join(pieces[number + 1 :])
        if rest is not None:
            return rest
    return None


def cut(raw: bytes, places: list[int]) -> list[bytes]:
    ends = [0, *sorted(place % (len(raw) + 1) for place in places), len(raw)]
    return [raw[start:end] for start, end in pairwise(ends)]


places = st.lists(st.integers(0, 1000), max_size=8)


@settings(deadline=None)
@given(places)
def test_a_sized_body_ends_after_its_length(places: list[int]) -> None:
    body = SizedBody(5)
    assert fill(body, cut(b"helloGET", places)) == b"GET"
    assert body.content == b"hello"


@settings(deadline=None)
@given(places)
def test_a_chunked_body_ends_after_its_last_chunk(places: list[int]) -> None:
    body = ChunkedBody(LIMITS)
    assert fill(body, cut(b"3\r\nhel\r\n002\r\nlo\r\n0\r\n\r\nGET", places)) == b"GET"
    assert body.content == b"hello"


@settings(deadline=None)
@given(places)
def test_a_body_that_is_not_complete_waits_for_more(places: list[int]) -> None:
    assert fill(SizedBody(5), cut(b"hell", places)) is None
    assert fill(ChunkedBody(LIMITS), cut(b"3\r\nhel\r\n0\r\n\r", places)) is None


@pytest.mark.parametrize(
    ("raw", "refusal"),
    [
        pytest.param(b"z\r\n", Refusal.MALFORMED, id="size that is no number"),
        pytest.param(b"\r\n", Refusal.MALFORMED, id="no size"),
        pytest.param(b"+3\r\nhel\r\n", Refusal.MALFORMED, id="signed size"),
        pytest.param(b"0x3\r\nhel\r\n", Refusal.MALFORMED, id="size with a prefix"),
        pytest.param(b" 3\r\nhel\r\n", Refusal.MALFORMED, id="blank before the size"),
        pytest.param(b"3 \r\nhel\r\n", Refusal.MALFORMED, id="blank after the size"),
        pytest.param(b"3\nhel\r\n0\r\n\r\n", Refusal.MALFORMED, id="bare LF after the size"),
        pytest.param(b"3;a=b\r\nhel\r\n", Refusal.MALFORMED, id="extension"),
        pytest.param(b"3\r\nhello\r\n", Refusal.MALFORMED, id="chunk longer than its size"),
        pytest.param(b"3\r\nhel\n0\r\n\r\n", Refusal.MALFORMED, id="bare LF after the chunk"),
        pytest.param(b"0\r\nA: b\r\n\r\n", Refusal.MALFORMED, id="trailer"),
        pytest.param(b"000000000001\r\n", Refusal.MALFORMED, id="endless size"),
        pytest.param(b"41\r\n", Refusal.BODY_TOO_LARGE, id="chunk beyond the limit"),
        pytest.param(b"40\r\n" + b"x" * 64 + b"\r\n1\r\n", Refusal.BODY_TOO_LARGE, id="chunks beyond the limit"),
        pytest.param(b"1\r\nx\r\n" * 4 + b"0\r\n\r\n", Refusal.BODY_TOO_LARGE, id="too many chunks"),
    ],
)
@settings(deadline=None)
@given(places=places)
def test_wrong_chunks_are_refused(raw: bytes, refusal: Refusal, places: list[int]) -> None:
    assert fill(ChunkedBody(LIMITS), cut(raw, places)) is refusal
