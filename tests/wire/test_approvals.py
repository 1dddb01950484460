"""Approvals: what every known client sends is understood, and nothing else breaks the reader."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from forewarn.wire.approvals import event_ids
from forewarn.wire.errors import Malformed

ID = "F020BA2E-3BC0-4C40-A10B-86575A9EABD5"
OTHER = "C7061BAC-AFDC-4513-B24B-AA5F13A16123"


@pytest.mark.parametrize(
    ("body", "ids"),
    [
        pytest.param(f'{{"StartRequests":[{{"EventId":"{ID}"}}]}}', (ID,), id="plain"),
        pytest.param(
            f'{{"DocumentIncarnation":"5", "StartRequests": [{{"EventId": "{ID.lower()}"}}]}}',
            (ID,),
            id="curl-2017-incarnation-as-string-lower-case-id",
        ),
        pytest.param(f'{{"StartRequests":[{{"EventId":"{ID}"}}],"DocumentIncarnation":5}}', (ID,), id="as-number"),
        pytest.param(f'{{"DocumentIncarnation":null,"StartRequests":[{{"EventId":"{ID}"}}]}}', (ID,), id="as-null"),
        pytest.param(
            f'\ufeff{{\r\n    "StartRequests":  [\r\n  {{\r\n "EventId":  "{ID}"\r\n }}\r\n ]\r\n}}\r\n',
            (ID,),
            id="powershell-indented-with-bom",
        ),
        pytest.param(
            f'{{"StartRequests":[{{"EventId":"{OTHER}"}},{{"EventId":"{ID}"}}]}}', (OTHER, ID), id="several-in-order"
        ),
        pytest.param(
            f'{{"StartRequests":[{{"EventId":"{ID}"}},{{"EventId":"{ID.lower()}"}}]}}', (ID,), id="the-same-twice"
        ),
        pytest.param(
            f'{{"Comment":{{"deep":[1,[2]]}},"StartRequests":[{{"EventId":"{ID}","Why":"ready"}}]}}',
            (ID,),
            id="members-nobody-knows",
        ),
        pytest.param(
            f'{{"StartRequests":[{{"EventId":"{OTHER}"}}],"StartRequests":[{{"EventId":"{ID}"}}]}}',
            (ID,),
            id="the-last-of-doubled-members-counts",
        ),
        pytest.param(f'{{"n":{"9" * 60_000},"StartRequests":[{{"EventId":"{ID}"}}]}}', (ID,), id="a-huge-number"),
        pytest.param('{"StartRequests":[{"EventId":""}]}', ("",), id="an-empty-id-is-only-unknown"),
    ],
)
def test_an_approval_names_its_events(body: str, ids: tuple[str, ...]) -> None:
    assert event_ids(body.encode()) == ids


GOOD = b'"StartRequests":[{"EventId":"A"}]'


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        pytest.param(b"", "truncated", id="empty"),
        pytest.param(b"\xef\xbb\xbf", "truncated", id="only-a-bom"),
        pytest.param(b'{"StartRequests":[{"EventId":"A"}]', "truncated", id="cut-off"),
        pytest.param(b"{" + GOOD + b"} {}", "trailing characters", id="something-after-it"),
        pytest.param(b"StartRequests=A", "invalid character", id="a-form"),
        pytest.param(b"{'StartRequests':[{'EventId':'A'}]}", "malformed", id="single-quotes"),
        pytest.param(b"{" + GOOD + b',"x":NaN}', "invalid character", id="nan"),
        pytest.param(b"{" + GOOD + b',"x":-Infinity}', "malformed", id="infinity"),
        pytest.param(b'{"StartRequests":[{"EventId":"\xff"}]}', "not UTF-8", id="not-utf-8"),
        pytest.param(b"{" + GOOD + b',"x":"\xc0\xaf"}', "not UTF-8", id="overlong-utf-8-in-a-member-nobody-reads"),
        pytest.param(("{" + GOOD.decode() + "}").encode("utf-16"), "not UTF-8", id="utf-16"),
        pytest.param(b'{"StartRequests":[{"EventId":"\x00"}]}', "invalid character", id="a-raw-nul"),
        pytest.param(b'{"StartRequests":[{"EventId":"\\ud800"}]}', "", id="half-a-surrogate-pair"),
        pytest.param(b'{"StartRequests":[{"EventId":"\\ud800x\\udc00"}]}', "", id="a-torn-surrogate-pair"),
        pytest.param(b"null", "Expected `object`", id="null"),
        pytest.param(b'"A"', "Expected `object`", id="a-string"),
        pytest.param(b"[{" + GOOD + b"}]", "Expected `object`", id="an-array"),
        pytest.param(b"{}", "missing required field `StartRequests`", id="no-requests"),
        pytest.param(b'{"startRequests":[{"eventId":"A"}]}', "missing required field `StartRequests`", id="camel-case"),
        pytest.param(b'{"StartRequests":null}', "Expected `array`, got `null`", id="requests-null"),
        pytest.param(b'{"StartRequests":{"EventId":"A"}}', "Expected `array`, got `object`", id="requests-an-object"),
        pytest.param(b'{"StartRequests":[]}', "length >= 1", id="requests-empty"),
        pytest.param(b'{"StartRequests":["A"]}', "Expected `object`, got `str`", id="request-a-string"),
        pytest.param(b'{"StartRequests":[null]}', "Expected `object`, got `null`", id="request-null"),
        pytest.param(b'{"StartRequests":[{}]}', "missing required field `EventId`", id="request-without-id"),
        pytest.param(b'{"StartRequests":[{"EventId":7}]}', "Expected `str`, got `int`", id="id-a-number"),
        pytest.param(b'{"StartRequests":[{"EventId":null}]}', "Expected `str`, got `null`", id="id-null"),
        pytest.param(b'{"StartRequests":[{"EventId":["A"]}]}', "Expected `str`, got `array`", id="id-an-array"),
        pytest.param(b'{"x":' + b"[" * 60_000, "nested too deeply", id="too-deep"),
        pytest.param(b'{"x":' + b'{"a":' * 12_000, "nested too deeply", id="too-deep-in-objects"),
        pytest.param(b"[" * 60_000, "Expected `object`", id="deep-from-the-start"),
    ],
)
def test_a_malformed_approval_is_refused_with_the_reason(body: bytes, reason: str) -> None:
    with pytest.raises(Malformed) as refusal:
        event_ids(body)

    assert reason in str(refusal.value)
    assert len(str(refusal.value)) < 200


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.sampled_from(["StartRequests", "EventId", "x"]), children),
    max_leaves=8,
)


@settings(deadline=None)
@given(st.binary() | JSON_VALUES.map(lambda value: json.dumps(value).encode()))
def test_whatever_is_sent_it_is_understood_or_malformed(body: bytes) -> None:
    with suppress(Malformed):
        assert all(isinstance(id, str) for id in event_ids(body))
