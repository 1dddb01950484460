"""The answers, pinned by golden files: bytes, status and headers."""

import json

import pytest

from forewarn.wire import answers
from forewarn.wire.answers import HTML, JSON, SERVER_IIS, SERVER_IMDS, XML, Answer
from tests.wire.goldens import golden, names

ID = "F020BA2E-3BC0-4C40-A10B-86575A9EABD5"

ANSWERS: dict[str, Answer] = {
    "400-api-version-events.json": answers.EVENT_VERSION_REFUSED,
    "400-api-version-instance.json": answers.INSTANCE_VERSION_REFUSED,
    "400-bad-request.json": answers.bad_request("Host is missing", close=True),
    "400-forwarded.json": answers.FORWARDED,
    "400-head.xml": answers.HEAD_REFUSED,
    "400-leaf-needs-text.json": answers.LEAF_NEEDS_TEXT,
    "400-malformed-approval.json": answers.malformed_approval("the body is not UTF-8"),
    "400-missing-metadata-header.json": answers.MISSING_HEADER,
    "400-unknown-event.json": answers.unknown_events([ID]),
    "403-unknown-caller.json": answers.UNKNOWN_CALLER,
    "404-no-such-element.json": answers.NO_SUCH_ELEMENT,
    "404-not-found.json": answers.NOT_FOUND,
    "404-outside-metadata.html": answers.OUTSIDE_METADATA,
    "405-method-not-allowed.json": answers.method_not_allowed("GET", "POST"),
    "408-request-timeout.json": answers.REQUEST_TIMEOUT,
    "410-gone.json": answers.GONE,
    "413-content-too-large.json": answers.CONTENT_TOO_LARGE,
    "414-uri-too-long.json": answers.URI_TOO_LONG,
    "417-expectation-failed.json": answers.EXPECTATION_FAILED,
    "429-too-many-requests.json": answers.TOO_MANY_REQUESTS,
    "431-headers-too-large.json": answers.HEADERS_TOO_LARGE,
    "500-internal-error.json": answers.INTERNAL_ERROR,
}
CONTENT_TYPES = {"json": JSON, "html": HTML, "xml": XML}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_error_is_answered_byte_for_byte(name: str) -> None:
    answer = ANSWERS[name]
    kind = name.rpartition(".")[2]

    assert answer.body == golden(f"errors/{name}")
    assert answer.status == int(name[:3])
    assert answer.content_type == CONTENT_TYPES[kind]
    assert answer.server == (SERVER_IMDS if kind == "json" else SERVER_IIS)


def test_every_golden_error_is_checked() -> None:
    assert names("errors") == set(ANSWERS)


@pytest.mark.parametrize("name", [name for name in ANSWERS if name.endswith(".json")])
def test_an_error_is_an_object_with_a_sentence(name: str) -> None:
    assert isinstance(json.loads(ANSWERS[name].body)["error"], str)


def test_the_pages_have_the_captured_lengths() -> None:
    assert len(answers.OUTSIDE_METADATA.body) == 1245
    assert len(answers.HEAD_REFUSED.body) == 323
    assert b"<title>404 - File or directory not found.</title>" in answers.OUTSIDE_METADATA.body


def test_an_answer_without_a_body_describes_none() -> None:
    for answer, status in ((answers.APPROVED, 200), (answers.NOT_MODIFIED, 304)):
        assert (answer.status, answer.body, answer.content_type) == (status, b"", None)


def test_only_what_leaves_the_connection_in_doubt_closes_it() -> None:
    closing = {name for name, answer in ANSWERS.items() if answer.close}

    assert {name[:3] for name in closing} == {"400", "408", "413", "414", "431"}
    assert not answers.bad_request("api-version is given twice").close


def test_a_wrong_verb_is_told_the_right_ones() -> None:
    assert answers.method_not_allowed("GET", "POST").allow == "GET, POST"


def test_few_of_many_unknown_ids_are_named_and_none_at_length() -> None:
    answer = answers.unknown_events(["X" * 50_000, *(str(number) for number in range(2_000))])

    error = json.loads(answer.body)["error"]
    assert error.startswith("Bad request. Unknown event id: XXXX")
    assert error.endswith("…, 0, 1, 2, 3, 4, 5, 6 and 1993 more")
    assert len(answer.body) < 200


@pytest.mark.parametrize(
    "reason",
    [
        pytest.param("x" * 100_000, id="long"),
        pytest.param('a "quoted"\r\nline', id="quotes-and-line-ends"),
        pytest.param("\x00\x1b", id="control-characters"),
        pytest.param("\udcff", id="not-encodable"),
    ],
)
def test_an_error_can_carry_any_text_of_the_senders(reason: str) -> None:
    answer = answers.bad_request(reason)

    assert "error" in json.loads(answer.body)
    assert len(answer.body) < 400
    assert not set(answer.body) & set(b"\r\n\x00\x1b")
