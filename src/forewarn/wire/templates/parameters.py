"""What a template declares as parameters, and whether the values that came fit. No message here contains a value."""

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from forewarn.wire.templates.errors import PARAMETERS, TemplateError, invalid, shown, too_many, unsupported

MOST_PARAMETERS = 256

Json = dict[str, Any]


class Kind(Struct, frozen=True):
    """A type of parameters and outputs: as ARM answers it, and as its errors call the JSON it expects."""

    name: str
    expected: str
    secure: bool = False


KINDS = {
    kind.name.lower(): kind
    for kind in (
        Kind("String", "String, Uri"),
        Kind("SecureString", "String, Uri", secure=True),
        Kind("Int", "Integer"),
        Kind("Bool", "Boolean"),
        Kind("Object", "Object"),
        Kind("SecureObject", "Object", secure=True),
        Kind("Array", "Array"),
    )
}


class Declaration(Struct, frozen=True, kw_only=True):
    name: str
    kind: Kind
    default: Any | UnsetType = UNSET
    allowed: list[Any] | None = None
    limits: dict[str, int]


def declarations(template: Mapping[str, Any]) -> dict[str, Declaration]:
    """By lower-case name: ARM does not tell `Name` from `name`."""
    declared = section(template, "parameters")
    if len(declared) > MOST_PARAMETERS:
        raise too_many("parameters", MOST_PARAMETERS, len(declared))
    return {name.lower(): _declaration(name, body) for name, body in declared.items()}


def given_values(declared: Mapping[str, Declaration], parameters: Json) -> Json:
    """The values that came with the deployment, by lower-case name, checked."""
    if strangers := [name for name in parameters if name.lower() not in declared]:
        known = ", ".join(declaration.name for declaration in declared.values())
        raise invalid(
            f"The template parameters '{shown(', '.join(strangers))}' in the parameters file are not valid; they are"
            " not present in the original template and can therefore not be provided at deployment time. The only"
            f" supported parameters for this template are '{shown(known)}'.",
            "https://aka.ms/arm-pass-parameter-values",
        )
    values = {name.lower(): _value(name, body) for name, body in parameters.items()}
    for name, value in values.items():
        check(declared[name], value)
    return {name: value for name, value in values.items() if value is not None}


def check(declaration: Declaration, value: Any) -> None:
    """A value against its declaration. None is no value."""
    if value is None:
        return
    if not fits(declaration.kind, value):
        reason = f"Expected a value of type '{declaration.kind.expected}', but received a value of type"
        raise _not_valid(declaration.name, f"{reason} '{json_type(value)}'.")
    allowed = declaration.allowed
    if (
        allowed is not None
        and value not in allowed
        and not (isinstance(value, list) and all(item in allowed for item in value))
    ):
        options = shown(", ".join(map(shown, allowed)))
        raise _not_valid(declaration.name, f"The parameter value is not part of the allowed value(s): '{options}'.")
    for limit, bound in declaration.limits.items():
        holds, words = _LIMITS[limit]
        if not holds(value, bound):
            raise _not_valid(declaration.name, f"{words} '{bound}'.")


def missing(declaration: Declaration) -> TemplateError:
    return invalid(f"The value for the template parameter '{shown(declaration.name)}' is not provided.", PARAMETERS)


def fits(kind: Kind, value: Any) -> bool:
    return json_type(value) in kind.expected.split(", ")


def json_type(value: Any) -> str:
    for python, name in _JSON_TYPES:
        if isinstance(value, python):
            return name
    return "Null"


_JSON_TYPES: tuple[tuple[type, str], ...] = (
    (str, "String"),
    (bool, "Boolean"),  # before int: Python counts bools among them
    (int, "Integer"),
    (float, "Float"),
    (dict, "Object"),
    (list, "Array"),
)

_LIMITS: dict[str, tuple[Callable[[Any, int], bool], str]] = {
    "minLength": (lambda value, bound: len(value) >= bound, "Length of the value should be greater than or equal to"),
    "maxLength": (lambda value, bound: len(value) <= bound, "Length of the value should be less than or equal to"),
    "minValue": (lambda value, bound: value >= bound, "The value should be greater than or equal to"),
    "maxValue": (lambda value, bound: value <= bound, "The value should be less than or equal to"),
}


def section(template: Mapping[str, Any], name: str) -> Json:
    found = template.get(name)
    if found is None:
        return {}
    if not isinstance(found, dict):
        raise invalid(f"The template section '{name}' must be an object.", "https://aka.ms/arm-template")
    return found


def _declaration(name: str, body: Any) -> Declaration:
    kind = KINDS.get(str(body.get("type", "")).lower()) if isinstance(body, dict) else None
    if kind is None:
        known = ", ".join(kind.name for kind in KINDS.values())
        raise invalid(
            f"The type of the template parameter '{shown(name)}' is not valid: it must be one of {known}.",
            "https://aka.ms/arm-syntax-parameters",
        )
    allowed = body.get("allowedValues")
    if allowed is not None and not isinstance(allowed, list):
        raise _not_valid(name, "Its allowedValues must be an array.")
    limits = {limit: body[limit] for limit in _LIMITS if body.get(limit) is not None}
    for limit, bound in limits.items():
        if json_type(bound) != "Integer" or not _limited(limit, kind):
            raise _not_valid(name, f"Its {limit} must be an integer and fit its type.")
    default = body.get("defaultValue")
    return Declaration(
        name=name, kind=kind, default=UNSET if default is None else default, allowed=allowed, limits=limits
    )


def _limited(limit: str, kind: Kind) -> bool:
    return kind.expected == "Integer" if limit.endswith("Value") else kind.expected in ("String, Uri", "Array")


def _value(name: str, body: Any) -> Any:
    if isinstance(body, dict) and "reference" in body:
        raise unsupported(f"the parameter '{shown(name)}' is a reference to a key vault; give its value instead.")
    if not isinstance(body, dict) or "value" not in body:
        reason = f"The template parameter '{shown(name)}' must be an object with a 'value'."
        raise invalid(reason, PARAMETERS)
    return body["value"]


def _not_valid(name: str, reason: str) -> TemplateError:
    return invalid(f"The provided value for the template parameter '{shown(name)}' is not valid. {reason}", PARAMETERS)
