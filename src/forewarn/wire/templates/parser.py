"""Template expressions as a tree: `[concat(parameters('a').b[0], 'c')]`.

expression := (string | integer | name '(' [expression {',' expression}] ')') {'.' name | '[' expression ']'}

A text that starts with `[` and ends with `]` is an expression; `[[…]` is the text `[…]`; every other text is itself.
"""

import re

from msgspec import Struct

from forewarn.wire.templates.errors import TemplateError, shown, unevaluated

LONGEST_EXPRESSION = 24_576  # ARM's limit
DEEPEST_EXPRESSION = 50


class Literal(Struct, frozen=True):
    value: str | int


class Call(Struct, frozen=True):
    name: str
    arguments: tuple["Node", ...]


class Member(Struct, frozen=True):
    """`of.key` and `of[key]`."""

    of: "Node"
    key: "Node"


Node = Literal | Call | Member


class _Token(Struct, frozen=True):
    kind: str
    text: str


_TOKEN = re.compile(
    r"\s*(?:(?P<String>'(?:[^']|'')*+')|(?P<Integer>-?[0-9]{1,18}(?![0-9]))|(?P<Identifier>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<LeftParenthesis>\()|(?P<RightParenthesis>\))|(?P<LeftSquareBracket>\[)|(?P<RightSquareBracket>\])"
    r"|(?P<Comma>,)|(?P<Dot>\.)|(?P<EndOfData>\Z))"
)


def parse(text: str) -> Node | str:
    """The expression in a text, or the text itself if it is none."""
    if not (text.startswith("[") and text.endswith("]")):
        return text
    if text.startswith("[["):
        return text[1:]
    if len(text) > LONGEST_EXPRESSION:
        reason = (
            f"The language expression length limit exceeded. Limit: '{LONGEST_EXPRESSION}' and actual: '{len(text)}'"
        )
        raise unevaluated(reason)
    return _Parser(text[1:-1]).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._token = self._next()

    def whole(self) -> Node:
        node = self._expression()
        self._take("EndOfData")
        return node

    def _expression(self) -> Node:
        before = self._depth
        self._deeper()
        node = self._primary()
        while self._token.kind in ("Dot", "LeftSquareBracket"):
            self._deeper()
            node = Member(node, self._key())
        self._depth = before
        return node

    def _primary(self) -> Node:
        if self._token.kind == "String":
            return Literal(self._take("String")[1:-1].replace("''", "'"))
        if self._token.kind == "Integer":
            return Literal(int(self._take("Integer")))
        name = self._take("Identifier")
        while self._token.kind == "Dot":  # a function of the template's own: namespace.name(…)
            self._take("Dot")
            name = f"{name}.{self._take('Identifier')}"
        return Call(name, self._arguments())

    def _arguments(self) -> tuple[Node, ...]:
        self._take("LeftParenthesis")
        found: list[Node] = []
        while self._token.kind != "RightParenthesis":
            if found:
                self._take("Comma")
            found.append(self._expression())
        self._take("RightParenthesis")
        return tuple(found)

    def _key(self) -> Node:
        if self._token.kind == "Dot":
            self._take("Dot")
            return Literal(self._take("Identifier"))
        self._take("LeftSquareBracket")
        key = self._expression()
        self._take("RightSquareBracket")
        return key

    def _take(self, kind: str) -> str:
        token = self._token
        if token.kind != kind:
            reason = f"Unable to parse language expression '{shown(self._text)}': expected token '{kind}'"
            raise unevaluated(f"{reason} and actual '{token.kind}'.")
        if kind != "EndOfData":
            self._token = self._next()
        return token.text

    def _next(self) -> _Token:
        match = _TOKEN.match(self._text, self._at)
        if match is None or match.lastgroup is None:
            raise self._unexpected()
        self._at = match.end()
        return _Token(match.lastgroup, match[match.lastgroup])

    def _unexpected(self) -> TemplateError:
        at = len(self._text) - len(self._text[self._at :].lstrip())
        reason = f"The language expression '{shown(self._text)}' is not valid: the string character"
        return unevaluated(f"{reason} '{shown(self._text[at])}' at position '{at}' is not expected.")

    def _deeper(self) -> None:
        self._depth += 1
        if self._depth > DEEPEST_EXPRESSION:
            raise unevaluated(f"The language expression is nested more than {DEEPEST_EXPRESSION} levels deep")
