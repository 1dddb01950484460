"""Every word that the portal says, in one file for each language. English is complete; the others say all it says.

Errors speak English themselves. Each other language has a file of refusals, by their keys.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from forewarn.domain.errors import ForewarnError

LANGUAGES = {"en": "English", "fr": "Français"}
DEFAULT = "en"


class Texts:
    """`texts("fleet.title")`, with whatever the text names in braces given by name."""

    def __init__(self, language: str, table: Mapping[str, Any], refusals: Mapping[str, str] | None = None) -> None:
        self.language = language
        self.refusals = refusals or {}
        self._flat = dict(flattened(table))

    def __call__(self, key: str, /, **facts: object) -> str:
        return self._flat[key].format(**facts) if facts else self._flat[key]

    def keys(self) -> set[str]:
        return set(self._flat)

    def refusal(self, error: ForewarnError) -> str | None:
        """None where this language has no words for it."""
        if self.language == DEFAULT:
            return str(error)
        known = self.refusals.get(error.key)
        return known.format(**error.facts) if known else None


@cache
def texts_of(language: str) -> Texts:
    refusals = {} if language == DEFAULT else _read(f"{language}.refusals.toml")
    return Texts(language, _read(f"{language}.toml"), refusals)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files(__name__).joinpath(name).read_text(encoding="utf-8"))


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
