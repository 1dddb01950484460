"""Kusto's expressions, each of which can be worked out for a row.

A property that a row does not have is null, and a comparison with null, or of two kinds of things, is false.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from forewarn.wire.kql.values import FUNCTIONS, OPERATORS, member, same, same_folded

Row = Mapping[str, Any]


class Expression(ABC):
    title = "Column1"  # of its column, where it is projected without a name

    @abstractmethod
    def of(self, row: Row, now: datetime) -> Any: ...


@dataclass(frozen=True, slots=True)
class Literal(Expression):
    value: Any

    def of(self, row: Row, now: datetime) -> Any:
        return self.value


@dataclass(frozen=True, slots=True)
class Path(Expression):
    parts: tuple[str | int, ...]

    @property
    def title(self) -> str:  # type: ignore[override]
        return "_".join(str(part) for part in self.parts)

    def of(self, row: Row, now: datetime) -> Any:
        value: Any = row
        for part in self.parts:
            value = member(value, part)
        return value


@dataclass(frozen=True, slots=True)
class Call(Expression):
    name: str
    arguments: tuple[Expression, ...]

    @property
    def title(self) -> str:  # type: ignore[override]
        return self.arguments[0].title if self.arguments else f"{self.name}_"

    def of(self, row: Row, now: datetime) -> Any:
        _, work = FUNCTIONS[self.name]
        return work(now, *(argument.of(row, now) for argument in self.arguments))


@dataclass(frozen=True, slots=True)
class Comparison(Expression):
    left: Expression
    operator: str
    right: Expression

    def of(self, row: Row, now: datetime) -> Any:
        return OPERATORS[self.operator](self.left.of(row, now), self.right.of(row, now))


@dataclass(frozen=True, slots=True)
class Among(Expression):
    left: Expression
    among: tuple[Expression, ...]
    folds: bool
    negated: bool

    def of(self, row: Row, now: datetime) -> Any:
        alike = same_folded if self.folds else same
        value = self.left.of(row, now)
        return any(alike(value, each.of(row, now)) for each in self.among) is not self.negated


@dataclass(frozen=True, slots=True)
class Every(Expression):
    parts: tuple[Expression, ...]

    def of(self, row: Row, now: datetime) -> Any:
        return all(part.of(row, now) is True for part in self.parts)


@dataclass(frozen=True, slots=True)
class Some(Expression):
    parts: tuple[Expression, ...]

    def of(self, row: Row, now: datetime) -> Any:
        return any(part.of(row, now) is True for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not(Expression):
    part: Expression

    def of(self, row: Row, now: datetime) -> Any:
        return self.part.of(row, now) is not True
