"""The template functions there are. Each gets the evaluator and the values of its arguments."""

import base64
import hashlib
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from forewarn.wire.arm_ids import ArmId, BadId, group_id, parse_id
from forewarn.wire.catalogue import provider, provider_type
from forewarn.wire.templates.errors import Failure

if TYPE_CHECKING:
    from forewarn.wire.templates.evaluator import Evaluator

Function = Callable[["Evaluator", tuple[Any, ...]], Any]

_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{([0-9]{1,3})\}|[{}]")


def call(evaluator: "Evaluator", name: str, arguments: tuple[Any, ...]) -> Any:
    function = _BY_NAME.get(name.lower())
    if function is None:
        supported = ", ".join(sorted(FUNCTIONS))
        raise Failure(f"The template function '{name}' is not valid. Forewarn supports {supported}.")
    return function(evaluator, arguments)


def member(value: Any, key: Any) -> Any:
    """`value.key`, `value[key]`. Names are found in any case, as in ARM."""
    if isinstance(value, dict) and isinstance(key, str):
        found = key if key in value else next((name for name in value if name.lower() == key.lower()), None)
        if found is None:
            words = "The language expression property '{}' doesn't exist, available properties are '{}'."
            raise Failure(words, key, ", ".join(value))
        return value[found]
    if isinstance(value, list) and isinstance(key, int):
        if not 0 <= key < len(value):
            raise Failure("The language expression property array index '{}' is out of bounds.", key)
        return value[key]
    raise Failure("The language expression property '{}' can't be evaluated.", key)


def _concat(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    if arguments and all(isinstance(argument, list) for argument in arguments):
        evaluator.spend(sum(map(len, arguments)))
        return [item for argument in arguments for item in argument]
    texts = [_text("concat", argument) for argument in _some("concat", arguments)]
    evaluator.spend(sum(map(len, texts)))
    return "".join(texts)


def _format(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> str:
    pattern, *values = _some("format", arguments)
    texts = [_text("format", value) for value in values]

    def filled(match: re.Match[str]) -> str:
        if match[1] is None:
            if len(match[0]) == 1:
                raise Failure("The template function 'format' takes placeholders such as {{0}} only.")
            return match[0][0]
        if int(match[1]) >= len(texts):
            raise Failure("The template function 'format' has a placeholder without a value.")
        evaluator.spend(len(texts[int(match[1])]))
        return texts[int(match[1])]

    return _PLACEHOLDER.sub(filled, _text("format", pattern))


def _lower(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> str:
    [text] = _strings("toLower", arguments, 1, 1)
    evaluator.spend(len(text))
    return text.lower()


def _upper(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> str:
    [text] = _strings("toUpper", arguments, 1, 1)
    evaluator.spend(len(text))
    return text.upper()


def _unique_string(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> str:
    """Thirteen letters and digits that depend on nothing but the arguments. Azure's are others."""
    texts = _strings("uniqueString", arguments, 1)
    digest = hashlib.sha256("\0".join(texts).encode("utf-8", "surrogatepass")).digest()
    return base64.b32encode(digest).decode().lower()[:13]


def _parameters(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    return evaluator.parameter(*_strings("parameters", arguments, 1, 1))


def _variables(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    return evaluator.variable(*_strings("variables", arguments, 1, 1))


def _reference(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    target, *options = _strings("reference", arguments, 1, 3)
    return evaluator.referred(target, full=len(options) == 2 and options[1].lower() == "full")


def _resource_id(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> str:
    texts = _strings("resourceId", arguments, 2)
    at = next((index for index, text in enumerate(texts) if "/" in text), None)
    if at is None or at > 2:
        raise Failure("The template function 'resourceId' needs a resource type such as Microsoft.Compute/disks.")
    subscription = texts[0] if at == 2 else evaluator.context.subscription
    group = texts[at - 1] if at else evaluator.context.group
    try:
        text = group_id(subscription, group).resource(texts[at], *texts[at + 1 :]).text
    except BadId as refusal:
        raise Failure("Unable to evaluate template language function 'resourceId': {}", str(refusal)) from None
    evaluator.spend(len(text))
    return text


def _providers(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    namespace, *types = _strings("providers", arguments, 1, 2)
    found = provider_type(namespace, types[0]) if types else provider(evaluator.context.subscription, namespace)
    if found is None:
        raise Failure("The resource provider or type '{}' is not known here.", "/".join((namespace, *types)))
    return found


def _subscription(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    _strings("subscription", arguments, 0, 0)
    context = evaluator.context
    return {
        "id": f"/subscriptions/{context.subscription}",
        "subscriptionId": context.subscription,
        "tenantId": context.tenant,
        "displayName": context.subscription_name,
    }


def _resource_group(evaluator: "Evaluator", arguments: tuple[Any, ...]) -> Any:
    _strings("resourceGroup", arguments, 0, 0)
    context = evaluator.context
    return {
        "id": ArmId(subscription=context.subscription, group=context.group).text,
        "name": context.group,
        "type": "Microsoft.Resources/resourceGroups",
        "location": context.location,
        "tags": dict(context.tags),
        "properties": {"provisioningState": "Succeeded"},
    }


FUNCTIONS: Mapping[str, Function] = {
    "concat": _concat,
    "format": _format,
    "parameters": _parameters,
    "providers": _providers,
    "reference": _reference,
    "resourceGroup": _resource_group,
    "resourceId": _resource_id,
    "subscription": _subscription,
    "toLower": _lower,
    "toUpper": _upper,
    "uniqueString": _unique_string,
    "variables": _variables,
}
_BY_NAME = {name.lower(): function for name, function in FUNCTIONS.items()}


def _some(name: str, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    if not arguments:
        raise Failure(f"Unable to evaluate template language function '{name}': it needs an argument.")
    return arguments


def _strings(name: str, arguments: tuple[Any, ...], least: int, most: int = 1000) -> list[str]:
    if not least <= len(arguments) <= most or not all(isinstance(argument, str) for argument in arguments):
        wanted = f"{least}" if least == most else f"at least {least}" if most == 1000 else f"{least} to {most}"
        words = f"Unable to evaluate template language function '{name}': it takes {wanted} argument(s), all strings."
        raise Failure(words)
    return list(arguments)


def _text(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int) and abs(value) < 2**63:
        return str(value)
    raise Failure(f"Unable to evaluate template language function '{name}': it takes strings and integers.")


def parsed_target(text: str) -> ArmId | None:
    """The id `reference` is given; None if it is given a name."""
    if not text.startswith("/"):
        return None
    try:
        return parse_id(text)
    except BadId as refusal:
        raise Failure("Unable to evaluate template language function 'reference': {}", str(refusal)) from None
