"""Every word that the portal says, in one file for each language. English is complete; the others say all it says."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

LANGUAGES = {"en": "English", "fr": "Français"}
DEFAULT = "en"


class Texts:
    """`texts("fleet.title")`, with whatever the text names in braces given by name."""

    def __init__(self, language: str, table: Mapping[str, Any]) -> None:
        self.language = language
        self._flat = dict(flattened(table))

    def __call__(self, key: str, /, **facts: object) -> str:
        return self._flat[key].format(**facts) if facts else self._flat[key]

    def keys(self) -> set[str]:
        return set(self._flat)


@cache
def texts_of(language: str) -> Texts:
    text = files(__name__).joinpath(f"{language}.toml").read_text(encoding="utf-8")
    return Texts(language, tomllib.loads(text))


def chosen(wanted: str, accepted: str) -> str:
    """The language that was chosen, or the first of the browser's that we have."""
    if wanted in LANGUAGES:
        return wanted
    spoken = (part.split(";")[0].strip().lower()[:2] for part in accepted.split(","))
    return next((language for language in spoken if language in LANGUAGES), DEFAULT)


def flattened(table: Mapping[str, Any], prefix: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        if isinstance(value, Mapping):
            yield from flattened(value, (*prefix, name))
        else:
            yield ".".join((*prefix, name)), str(value)
