"""Reading expressions from tokens."""

from collections.abc import Sequence

from forewarn.wire.kql.expressions import Among, Call, Comparison, Every, Expression, Literal, Not, Path, Some
from forewarn.wire.kql.tokens import Kind, QueryError, Token
from forewarn.wire.kql.values import FUNCTIONS, LITERALS, MEMBERSHIP, OPERATORS

DEEPEST = 50
LITERAL = (Kind.STRING, Kind.NUMBER, Kind.TIMESPAN, Kind.MOMENT)


class Parser:
    def __init__(self, tokens: Sequence[Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    @property
    def at_end(self) -> bool:
        return self._here.kind is Kind.END

    def expect(self, kind: Kind, wanted: str) -> Token:
        if self._here.kind is not kind:
            raise self._unexpected(wanted)
        return self._next()

    def expect_symbol(self, symbol: str) -> None:
        if not self.take_symbol(symbol):
            raise self._unexpected(f"'{symbol}'")

    def expect_word(self, word: str) -> None:
        if not self.take_word(word):
            raise self._unexpected(f"'{word}'")

    def take_symbol(self, symbol: str) -> bool:
        return self._take(Kind.SYMBOL, symbol)

    def take_word(self, word: str) -> bool:
        return self._take(Kind.NAME, word)

    def assigned_name(self) -> str:
        """`name =` in front of an expression; "" if there is none."""
        following = self._tokens[self._at + 1] if not self.at_end else self._here
        if self._here.kind is not Kind.NAME or following != Token(Kind.SYMBOL, "="):
            return ""
        name = self._next().text
        self._next()
        return name

    def expression(self) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST:
            raise QueryError(f"An expression is nested at most {DEEPEST} deep.")
        parts = [self._conjunction()]
        while self.take_word("or"):
            parts.append(self._conjunction())
        self._depth -= 1
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _conjunction(self) -> Expression:
        parts = [self._comparison()]
        while self.take_word("and"):
            parts.append(self._comparison())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _comparison(self) -> Expression:
        left = self._operand()
        operator = self._here.text
        if self._here.kind not in (Kind.SYMBOL, Kind.NAME):
            return left
        if operator in MEMBERSHIP:
            self._next()
            return Among(left, self._list(), *MEMBERSHIP[operator])
        if operator in OPERATORS:
            self._next()
            return Comparison(left, operator, self._operand())
        if self._here.kind is Kind.NAME and operator not in ("and", "or", "asc", "desc"):
            known = ", ".join([*OPERATORS, *MEMBERSHIP, "and", "or", "not"])
            raise QueryError(f"The operator '{operator[:50]}' is not supported here: use one of {known}.")
        return left

    def _operand(self) -> Expression:
        token = self._here
        if token.kind in LITERAL:
            return Literal(self._next().value)
        if self.take_symbol("-"):
            number = self.expect(Kind.NUMBER, "a number").value
            return Literal(-number)
        if self.take_symbol("("):
            inner = self.expression()
            self.expect_symbol(")")
            return inner
        if token.kind is not Kind.NAME:
            raise self._unexpected("a column, a value or '('")
        self._next()
        if token.text in LITERALS:
            return Literal(LITERALS[token.text])
        if self._here == Token(Kind.SYMBOL, "("):
            return self._call(token.text)
        return self._path(token.text)

    def _call(self, name: str) -> Expression:
        if name == "not":
            (condition,) = self._arguments(name, 1)
            return Not(condition)
        if name not in FUNCTIONS:
            raise QueryError(
                f"The function '{name[:50]}' is not supported here: use one of {', '.join(FUNCTIONS)}, not."
            )
        return Call(name, self._arguments(name, FUNCTIONS[name][0]))

    def _arguments(self, name: str, count: int) -> tuple[Expression, ...]:
        self.expect_symbol("(")
        found = () if count == 0 else (self.expression(),)
        self.expect_symbol(")")
        return found

    def _list(self) -> tuple[Expression, ...]:
        self.expect_symbol("(")
        found = [self.expression()]
        while self.take_symbol(","):
            found.append(self.expression())
        self.expect_symbol(")")
        return tuple(found)

    def _path(self, first: str) -> Path:
        parts: list[str | int] = [first]
        while True:
            if self.take_symbol("."):
                parts.append(self.expect(Kind.NAME, "a property's name").text)
            elif self.take_symbol("["):
                parts.append(self._index())
                self.expect_symbol("]")
            else:
                return Path(tuple(parts))

    def _index(self) -> str | int:
        token = self._next()
        if token.kind is Kind.STRING or (token.kind is Kind.NUMBER and isinstance(token.value, int)):
            key: str | int = token.value
            return key
        raise QueryError("In [ ] stands the name of a property, in quotes, or the place in a list.")

    @property
    def _here(self) -> Token:
        return self._tokens[self._at]

    def _next(self) -> Token:
        token = self._here
        if token.kind is not Kind.END:
            self._at += 1
        return token

    def _take(self, kind: Kind, text: str) -> bool:
        if self._here.kind is not kind or self._here.text != text:
            return False
        self._at += 1
        return True

    def _unexpected(self, wanted: str) -> QueryError:
        found = f"'{self._here.text[:50]}'" if self._here.text else self._here.kind.value
        return QueryError(f"Expected {wanted}, and found {found}.")
