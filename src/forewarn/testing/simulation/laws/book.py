"""What a law is, and how it is put into the book."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from forewarn.testing.simulation.trace import Trace


@dataclass(frozen=True, slots=True)
class Breach:
    """Where a law was broken, and by what."""

    step: int
    text: str


Rule: TypeAlias = Callable[[Trace], Iterator[Breach]]


@dataclass(frozen=True, slots=True)
class Law:
    text: str
    breaches: Rule

    @property
    def name(self) -> str:
        return self.breaches.__name__


LAWS: list[Law] = []


def law(text: str) -> Callable[[Rule], Rule]:
    def enact(rule: Rule) -> Rule:
        LAWS.append(Law(text, rule))
        return rule

    return enact
