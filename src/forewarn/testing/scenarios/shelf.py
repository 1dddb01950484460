"""The scenarios that are shipped."""

from importlib import resources
from importlib.resources.abc import Traversable

from forewarn.testing.scenarios.model import Scenario
from forewarn.testing.scenarios.reading import parse

SUFFIX = ".toml"


def names() -> list[str]:
    return sorted(file.name.removesuffix(SUFFIX) for file in _folder().iterdir() if file.name.endswith(SUFFIX))


def text_of(name: str) -> str:
    """KeyError if there is none of that name."""
    if name not in names():
        raise KeyError(name)
    return _folder().joinpath(name + SUFFIX).read_text(encoding="utf-8")


def shipped(name: str) -> Scenario:
    """KeyError if there is none of that name."""
    return parse(text_of(name), name + SUFFIX)


def _folder() -> Traversable:
    return resources.files(__name__.rpartition(".")[0]) / "shipped"
