"""The part of Kusto's query language that Resource Graph is asked in here: read, and run over rows.

    maintenanceresources
    | where type == 'microsoft.maintenance/scheduledevents' and properties.EventStatus in~ ('scheduled', 'started')
    | project name, impact = properties.EventType, due = todatetime(properties.NotBefore)
    | order by due asc

Whatever else Kusto knows is refused by its name. Names of tables, columns and properties are found in any letter case.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from forewarn.wire.kql.expressions import Expression
from forewarn.wire.kql.parser import Parser
from forewarn.wire.kql.tokens import Kind, QueryError, tokens
from forewarn.wire.kql.values import order_of

__all__ = ["SUPPORTED", "Query", "QueryError", "parse", "run"]

Row = Mapping[str, Any]
SUPPORTED = "where, project, extend, order by (or sort by), take (or limit) and count"
LONGEST = 16 * 1024


@dataclass(frozen=True, slots=True)
class Where:
    condition: Expression


@dataclass(frozen=True, slots=True)
class Project:
    columns: tuple[tuple[str, Expression], ...]
    keeps: bool  # extend: the other columns stay


@dataclass(frozen=True, slots=True)
class Order:
    keys: tuple[tuple[Expression, bool], ...]  # with whether it descends


@dataclass(frozen=True, slots=True)
class Take:
    count: int


@dataclass(frozen=True, slots=True)
class Count:
    pass


Step = Where | Project | Order | Take | Count


@dataclass(frozen=True, slots=True)
class Query:
    table: str  # in lower case
    steps: tuple[Step, ...]


def parse(text: str) -> Query:
    """QueryError, with words for whoever wrote it, if it cannot be understood."""
    if len(text) > LONGEST:
        raise QueryError(f"A query has at most {LONGEST} characters.")
    parser = Parser(tokens(text))
    table = parser.expect(Kind.NAME, "the name of a table").text
    steps: list[Step] = []
    while not parser.at_end:
        parser.expect_symbol("|")
        steps.append(_step(parser))
    return Query(table.lower(), tuple(steps))


def run(query: Query, rows: Iterable[Row], now: datetime) -> list[Row]:
    found: list[Row] = list(rows)
    for step in query.steps:
        found = _apply(step, found, now)
    return found


def _step(parser: Parser) -> Step:
    name = parser.expect(Kind.NAME, f"one of {SUPPORTED}").text
    read = STEPS.get(name.lower())
    if read is None:
        raise QueryError(f"The operator '{name[:50]}' is not supported here: use {SUPPORTED}.")
    return read(parser)


def _where(parser: Parser) -> Step:
    return Where(parser.expression())


def _columns(parser: Parser) -> tuple[tuple[str, Expression], ...]:
    columns = [_column(parser)]
    while parser.take_symbol(","):
        columns.append(_column(parser))
    return tuple(columns)


def _column(parser: Parser) -> tuple[str, Expression]:
    name = parser.assigned_name()
    expression = parser.expression()
    return name or expression.title, expression


def _order(parser: Parser) -> Step:
    parser.expect_word("by")
    keys = [_key(parser)]
    while parser.take_symbol(","):
        keys.append(_key(parser))
    return Order(tuple(keys))


def _key(parser: Parser) -> tuple[Expression, bool]:
    expression = parser.expression()
    descends = not parser.take_word("asc")
    if descends:
        parser.take_word("desc")
    return expression, descends


def _take(parser: Parser) -> Step:
    number = parser.expect(Kind.NUMBER, "how many rows to take").value
    if not isinstance(number, int):
        raise QueryError("take needs a whole number of rows.")
    return Take(number)


STEPS: dict[str, Callable[[Parser], Step]] = {
    "where": _where,
    "project": lambda parser: Project(_columns(parser), keeps=False),
    "extend": lambda parser: Project(_columns(parser), keeps=True),
    "order": _order,
    "sort": _order,
    "take": _take,
    "limit": _take,
    "count": lambda parser: Count(),
}


def _apply(step: Step, rows: list[Row], now: datetime) -> list[Row]:
    match step:
        case Where(condition):
            return [row for row in rows if condition.of(row, now) is True]
        case Project(columns, keeps):
            return [{**(row if keeps else {}), **{n: _told(e.of(row, now)) for n, e in columns}} for row in rows]
        case Order(keys):
            return _sorted(rows, keys, now)
        case Take(count):
            return rows[:count]
        case Count():
            return [{"Count": len(rows)}]


def _sorted(rows: list[Row], keys: Sequence[tuple[Expression, bool]], now: datetime) -> list[Row]:
    for expression, descends in reversed(keys):
        rows = sorted(rows, key=lambda row: order_of(expression.of(row, now)), reverse=descends)
    return rows


def _told(value: Any) -> Any:
    match value:
        case datetime():
            return f"{value.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z"
        case timedelta():
            return str(value)
        case _:
            return value
