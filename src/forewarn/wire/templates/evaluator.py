"""Gives the texts of one template their values.

What comes out is a fresh tree: nothing in it is shared with the template or with another value. A template of a few
lines can stand for more than any memory holds (`b: [a, a]`, `c: [b, b]`, …), so every value made is paid for out of
one budget, and one counter says how deep things nest.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import UNSET, Struct

from forewarn.wire.arm_ids import ArmId
from forewarn.wire.templates.errors import Failure, TemplateError, invalid, shown, too_many, unevaluated, unsupported
from forewarn.wire.templates.functions import call, member, parsed_target
from forewarn.wire.templates.parameters import check, declarations, given_values, missing, section
from forewarn.wire.templates.parser import Call, Literal, Node, parse

MOST_VARIABLES = 256
LARGEST = 4 * 1024 * 1024  # of all values together, in characters; ARM's limit for a template
OVERHEAD = 16  # what each value and each step towards it costs, however short it is
DEEPEST = 100

Json = dict[str, Any]
Reference = Callable[[ArmId, bool], Json | None]
"""Of a resource its properties, or (True) the whole of it; None if there is no such resource."""


class Context(Struct, frozen=True, kw_only=True):
    """Where the deployment happens."""

    subscription: str
    tenant: str
    group: str
    location: str  # of the group
    tags: Mapping[str, str] = {}
    subscription_name: str = "Forewarn"


class Evaluator:
    def __init__(
        self,
        template: Mapping[str, Any],
        parameters: Json,
        context: Context,
        reference: Reference | None = None,
        resources: Sequence[ArmId] = (),
    ) -> None:
        _check_depth(template)
        _check_depth(parameters)
        self.context = context
        self.declared = declarations(template)
        self._given = given_values(self.declared, parameters)
        self._variables = {name.lower(): value for name, value in section(template, "variables").items()}
        if len(self._variables) > MOST_VARIABLES:
            raise too_many("variables", MOST_VARIABLES, len(self._variables))
        for name, value in self._variables.items():
            _check_copy(name, value)
        self._reference = reference
        self._resources = resources
        self._discreet = any(declaration.kind.secure for declaration in self.declared.values())
        self._made: dict[str, Any] = {}
        self._making: set[str] = set()
        self._left = LARGEST
        self._depth = 0

    def resolve(self, value: Any) -> Any:
        """A part of the template with every expression in it replaced by its value."""
        self._deeper()
        try:
            if isinstance(value, str):
                return self._resolve_text(value)
            if isinstance(value, list):
                return [self.resolve(item) for item in value]
            if isinstance(value, dict):
                return {self._resolve_key(name, item): self.resolve(item) for name, item in value.items()}
            return value
        finally:
            self._depth -= 1

    def quoted(self, raw: Any, value: object) -> str:
        """A value as an error may quote it: as it stands in the template, if there are secrets it could contain."""
        return shown(raw if self._discreet else value)

    def told(self, failure: Failure) -> str:
        return failure.told(discreet=self._discreet)

    def spend(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise invalid(f"The template is larger than {LARGEST} characters.", "https://aka.ms/arm-template")

    def parameter(self, name: str) -> Any:
        declaration = self.declared.get(name.lower())
        if declaration is None:
            raise Failure("The template parameter '{}' is not found.", name)
        if name.lower() in self._given:
            return self._given[name.lower()]
        if declaration.default is UNSET:
            raise missing(declaration)
        value = self._once(f"parameter '{declaration.name}'", declaration.default)
        check(declaration, value)
        return value

    def variable(self, name: str) -> Any:
        if name.lower() not in self._variables:
            raise Failure("The template variable '{}' is not found.", name)
        return self._once(f"variable '{name.lower()}'", self._variables[name.lower()])

    def referred(self, target: str, *, full: bool) -> Json:
        if self._reference is None:
            words = (
                "The template function 'reference' is not expected at this location: Forewarn supports it in outputs."
            )
            raise Failure(words)
        found = self._reference(self._target(target), full)
        if found is None:
            raise Failure("The resource '{}' is not found.", target)
        return found

    def _target(self, text: str) -> ArmId:
        target = parsed_target(text)
        if target is not None:
            return target
        named = [resource for resource in self._resources if resource.full_name.lower() == text.lower()]
        if len(named) != 1:
            words = "The template reference '{}' is not valid: could not find template resource with this name."
            raise Failure(words, text)
        return named[0]

    def _once(self, what: str, value: Any) -> Any:
        if what in self._making:
            raise unevaluated(f"The template {shown(what)} is made of itself")
        if what not in self._made:
            self._making.add(what)
            self._made[what] = self.resolve(value)
            self._making.remove(what)
        return self._made[what]

    def _resolve_text(self, text: str) -> Any:
        node = parse(text)
        if isinstance(node, str):
            self.spend(len(node))
            return node
        try:
            return self._copied(self._value(node))
        except Failure as failure:
            reason = self.told(failure)
            raise unevaluated(f"The language expression '{shown(text)}' is not valid: {reason}") from None

    def _resolve_key(self, name: str, value: Any) -> str:
        _check_copy(name, value)
        key = self._resolve_text(name)
        if not isinstance(key, str):
            raise unevaluated(f"The language expression '{shown(name)}' must be a string to be the name of a property")
        return key

    def _value(self, node: Node) -> Any:
        if isinstance(node, Literal):
            return node.value
        self._deeper()
        try:
            if isinstance(node, Call):
                return call(self, node.name, tuple(self._value(argument) for argument in node.arguments))
            return member(self._value(node.of), self._value(node.key))
        finally:
            self._depth -= 1

    def _copied(self, value: Any) -> Any:
        """A tree of its own, paid for."""
        self._deeper()
        try:
            if isinstance(value, dict):
                self.spend(sum(map(len, value)))
                return {name: self._copied(item) for name, item in value.items()}
            if isinstance(value, list):
                return [self._copied(item) for item in value]
            self.spend(len(value) if isinstance(value, str) else 0)
            return value
        finally:
            self._depth -= 1

    def _deeper(self) -> None:
        self.spend(OVERHEAD)
        self._depth += 1
        if self._depth > DEEPEST:
            raise _too_deep()


def _check_copy(name: str, value: object) -> None:
    if name.lower() == "copy" and isinstance(value, list):
        raise unsupported("'copy' (iteration) is not supported; write each element out.")


def _check_depth(value: object) -> None:
    """Before anything looks inside: what walks through a value afterwards may do so by recursion."""
    level = [value]
    for _ in range(DEEPEST):
        inner = [
            item.values() if isinstance(item, Mapping) else item for item in level if isinstance(item, dict | list)
        ]
        level = [item for items in inner for item in items]
        if not level:
            return
    raise _too_deep()


def _too_deep() -> TemplateError:
    return invalid(f"The template is nested more than {DEEPEST} levels deep.", "https://aka.ms/arm-template")
