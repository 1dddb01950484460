"""Every language says all that English says, with the same places to fill in."""

import re

import pytest

from forewarn.portal.texts import DEFAULT, LANGUAGES, Texts, chosen, texts_of

PLACE = re.compile(r"\{\w+\}")


@pytest.mark.parametrize("language", [one for one in LANGUAGES if one != DEFAULT])
def test_a_language_is_complete(language: str) -> None:
    english, other = texts_of(DEFAULT), texts_of(language)
    assert other.keys() == english.keys()
    for key in sorted(english.keys()):
        assert sorted(PLACE.findall(other(key))) == sorted(PLACE.findall(english(key))), key


@pytest.mark.parametrize(
    ("wanted", "accepted", "language"),
    [
        pytest.param("fr", "en", "fr", id="what was chosen"),
        pytest.param("", "de-CH, fr;q=0.8, en;q=0.5", "fr", id="the first we have"),
        pytest.param("xx", "", "en", id="nothing we have"),
    ],
)
def test_which_language(wanted: str, accepted: str, language: str) -> None:
    assert chosen(wanted, accepted) == language


def test_a_text_is_filled_in() -> None:
    assert Texts("en", {"a": {"b": "{n} of {m}"}})("a.b", n=1, m=2) == "1 of 2"
