"""What clients write, as it is kept."""

from typing import Any

import pytest

from forewarn.domain.errors import Invalid
from forewarn.wire.compute.bodies import cleaned, merged

Json = dict[str, Any]


def inside(properties: Json) -> Json:
    body: Json = cleaned({"properties": properties})["properties"]
    return body


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        pytest.param({"enable": "true"}, {"enable": True}, id="text-for-true"),
        pytest.param({"primary": "False"}, {"primary": False}, id="text-for-false"),
        pytest.param({"enable": "perhaps"}, {"enable": "perhaps"}, id="no-boolean-is-left-for-the-reader"),
        pytest.param({"mode": "manual"}, {"mode": "Manual"}, id="a-word-in-its-spelling"),
        pytest.param({"createOption": "fromImage"}, {"createOption": "FromImage"}, id="another"),
        pytest.param({"adminUsername": "true"}, {"adminUsername": "true"}, id="a-text-is-a-text"),
        pytest.param({"a": None, "b": [None, {"c": None}]}, {"b": [{}]}, id="nulls-are-nothing"),
        pytest.param({"osProfile": {"adminPassword": "p", "customData": "d"}}, {"osProfile": {}}, id="secrets"),
        pytest.param({"AdminPassword": "p", "a": [{"PROTECTEDSETTINGS": {}}]}, {"a": [{}]}, id="secrets-in-any-case"),
        pytest.param({"vmId": "x", "provisioningState": "y", "timeCreated": "z"}, {}, id="what-is-computed"),
    ],
)
def test_properties_are_cleaned(sent: Json, kept: Json) -> None:
    assert inside(sent) == kept


def test_of_the_rest_only_the_owner_s_words_are_kept() -> None:
    sent = {"id": "/x", "name": "n", "type": "t", "etag": "e", "apiVersion": "v", "dependsOn": [], "zones": ["1"]}
    assert cleaned(sent) == {"zones": ["1"]}


def test_tags_are_nobody_s_business() -> None:
    assert cleaned({"tags": {"mode": "manual", "enable": "true"}}) == {"tags": {"mode": "manual", "enable": "true"}}


@pytest.mark.parametrize("tags", ["x", ["x"], {"x": 1}])
def test_tags_are_texts(tags: object) -> None:
    with pytest.raises(Invalid, match="tags"):
        cleaned({"tags": tags})


@pytest.mark.parametrize(
    ("known", "sent", "both"),
    [
        pytest.param({"a": {"b": 1, "c": 2}}, {"a": {"c": 3}}, {"a": {"b": 1, "c": 3}}, id="objects-meet"),
        pytest.param({"a": [1, 2]}, {"a": [3]}, {"a": [3]}, id="lists-are-replaced"),
        pytest.param({"tags": {"a": "1"}}, {"tags": {"b": "2"}}, {"tags": {"b": "2"}}, id="tags-are-replaced"),
        pytest.param({"a": {"b": 1}}, {"a": 2}, {"a": 2}, id="another-kind-replaces"),
    ],
)
def test_a_description_is_merged_into_the_one_before(known: Json, sent: Json, both: Json) -> None:
    assert merged(known, sent) == both
