"""No fact can break a body's form."""

import json

import pytest

from forewarn.agent.bodies import check_template, filled

NASTY = {"description": 'a "quote" & <tag>\nand \\', "event": "E1"}


def test_json_stays_json_whatever_the_facts_are() -> None:
    template = '{"{event}": ["{description}", 1, null, {"a": "{event}: {unknown}"}]}'
    assert json.loads(filled(template, "application/json; charset=utf-8", NASTY)) == {
        "E1": [NASTY["description"], 1, None, {"a": "E1: {unknown}"}]
    }


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        pytest.param("application/x-www-form-urlencoded", "d=a+%22quote%22+%26+%3Ctag%3E%0Aand+%5C&e=E1", id="form"),
        pytest.param("application/xml", "d=a &quot;quote&quot; &amp; &lt;tag&gt;\nand \\&e=E1", id="xml"),
        pytest.param("text/plain", 'd=a "quote" & <tag>\nand \\&e=E1', id="plain"),
    ],
)
def test_facts_are_written_as_the_form_wants_them(kind: str, body: str) -> None:
    assert filled("d={description}&e={event}", kind, NASTY).decode() == body


def test_a_template_that_is_no_json_is_found_at_once() -> None:
    with pytest.raises(ValueError, match=r"no JSON .*Content-Type"):
        check_template('{"duration": {duration}}', "application/json")
    check_template('{"duration": {duration}}', "text/plain")
