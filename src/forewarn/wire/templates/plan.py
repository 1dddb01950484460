"""From a template to the resources it asks for: what each PUT would send, in the order they must be sent."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from forewarn.wire.arm_ids import ArmId, BadId, group_id
from forewarn.wire.templates.errors import RESOURCES, Failure, TemplateError, invalid, shown, too_many, unsupported
from forewarn.wire.templates.evaluator import Context, Evaluator
from forewarn.wire.templates.order import Directory, in_order

MOST_RESOURCES = 800

Json = dict[str, Any]


class PlannedResource(Struct, frozen=True, kw_only=True):
    id: ArmId
    api_version: str
    depends_on: tuple[ArmId, ...]
    body: Json  # what a PUT of it would send


class Deployment(Struct, frozen=True, kw_only=True):
    """The part of a deployment's body that says what to do."""

    template: Json
    parameters: Json


class _Written(Struct, frozen=True):
    """A resource as it stands in the template; of a nested one, what it is in."""

    raw: Json
    parent: ArmId | None = None


_UNSUPPORTED = {
    "copy": "'copy' (iteration) is not supported; write each resource out.",
    "condition": "'condition' is not supported; leave out the resources that shall not be deployed.",
    "scope": "'scope' is not supported; a template deploys into its own resource group.",
    "resourceGroup": "'resourceGroup' is not supported; a template deploys into its own resource group.",
    "subscriptionId": "'subscriptionId' is not supported; a template deploys into its own resource group.",
}
_SEGMENTS = (
    "The template resource '{}' for type '{}' has incorrect segment lengths. A nested resource type must have identical"
    " number of segments as its resource name. A root resource type must have segment length one greater than its"
    " resource name."
)
_NOT_SENT = {"type", "name", "apiVersion", "dependsOn", "resources", "comments", "metadata"}


def read_deployment(properties: object) -> Deployment:
    """Of `properties` of a deployment's PUT. What only Azure can do is refused here."""
    if not isinstance(properties, dict):
        raise TemplateError("InvalidRequestContent", "The request content was invalid: 'properties' must be an object.")
    for link in ("templateLink", "parametersLink"):
        if properties.get(link) is not None:
            raise unsupported(f"'{link}' is not supported; send what it points to.")
    mode = properties.get("mode", "Incremental")
    if not isinstance(mode, str) or mode.lower() != "incremental":
        raise unsupported("the deployment mode must be Incremental.")
    template, parameters = properties.get("template"), properties.get("parameters")
    if not isinstance(template, dict) or not isinstance(parameters, dict | None):
        message = "The request content was invalid: 'template' and 'parameters' must be objects."
        raise TemplateError("InvalidRequestContent", message)
    return Deployment(template=template, parameters=parameters or {})


def deploy_plan(template: Mapping[str, Any], parameters: Json, context: Context) -> list[PlannedResource]:
    """Everything a template deploys, in order. Nothing is deployed if anything in it is wrong."""
    evaluator = Evaluator(template, parameters, context)
    for declaration in evaluator.declared.values():
        evaluator.parameter(declaration.name)
    group = group_id(context.subscription, context.group)
    drafts = _drafts(template, evaluator, group)
    directory = Directory(group, list(drafts))
    planned = {resource: _planned(resource, written.raw, directory, evaluator) for resource, written in drafts.items()}
    try:
        order = in_order({resource: plan.depends_on for resource, plan in planned.items()})
    except Failure as failure:
        raise invalid(evaluator.told(failure), RESOURCES) from None
    return [planned[resource] for resource in order]


def _drafts(template: Mapping[str, Any], evaluator: Evaluator, group: ArmId) -> dict[ArmId, _Written]:
    drafts: dict[ArmId, _Written] = {}
    taken: set[str] = set()
    for resource, written in _identified(template, evaluator, group):
        if resource.key in taken:
            name = evaluator.quoted(written.raw["name"], resource.relative)
            raise invalid(f"The resource '{name}' is defined multiple times in a template.", RESOURCES)
        taken.add(resource.key)
        drafts[resource] = written
    return drafts


def _identified(template: Mapping[str, Any], evaluator: Evaluator, group: ArmId) -> Iterator[tuple[ArmId, _Written]]:
    """Each resource with its id: a parent, then its children."""
    if template.get("functions"):
        raise unsupported("'functions' (user-defined functions) are not supported.")
    pending = [_Written(raw) for raw in _resources(template.get("resources"))]
    count = 0
    while pending:
        count += 1
        if count + len(pending) - 1 > MOST_RESOURCES:
            raise too_many("resources", MOST_RESOURCES, count + len(pending) - 1)
        written = pending.pop(0)
        resource = _id(written, evaluator, group)
        pending[:0] = [_Written(raw, resource) for raw in _resources(written.raw.get("resources") or [])]
        yield resource, written


def _resources(found: Any) -> list[Json]:
    if isinstance(found, dict):
        raise unsupported("'resources' with symbolic names (languageVersion 2.0) is not supported; use an array.")
    if not isinstance(found, list) or not all(isinstance(raw, dict) for raw in found):
        raise invalid("The template section 'resources' must be an array of objects.", RESOURCES)
    return found


def _id(written: _Written, evaluator: Evaluator, group: ArmId) -> ArmId:
    raw = written.raw
    for name, words in _UNSUPPORTED.items():
        if name in raw:
            raise unsupported(words)
    type, name = _text(raw, "type", evaluator), _text(raw, "name", evaluator)
    if written.parent is not None and "." not in type.split("/")[0]:
        type, name = f"{written.parent.type}/{type}", f"{written.parent.full_name}/{name}"
    if type.lower() == "microsoft.resources/deployments":
        raise unsupported("nested deployments (Microsoft.Resources/deployments) are not supported.")
    if "/providers/" in type.lower():
        raise unsupported("resources that extend others are not supported in templates.")
    where, what = evaluator.quoted(raw["name"], name), evaluator.quoted(raw["type"], type)
    if len(type.split("/")) != len(name.split("/")) + 1:
        raise invalid(_SEGMENTS.format(where, what), RESOURCES)
    try:
        return group.resource(type, *name.split("/"))
    except BadId as refusal:
        reason = evaluator.quoted("its type or its name is malformed.", str(refusal))
        raise invalid(f"The template resource '{where}' is not valid: {reason}", RESOURCES) from None


def _planned(resource: ArmId, raw: Json, directory: Directory, evaluator: Evaluator) -> PlannedResource:
    return PlannedResource(
        id=resource,
        api_version=_text(raw, "apiVersion", evaluator),
        depends_on=_dependencies(raw.get("dependsOn"), directory, evaluator),
        body=evaluator.resolve({name: value for name, value in raw.items() if name not in _NOT_SENT}),
    )


def _dependencies(raw: Any, directory: Directory, evaluator: Evaluator) -> tuple[ArmId, ...]:
    texts = [] if raw is None else evaluator.resolve(raw)
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise invalid("The 'dependsOn' of a template resource must be an array of strings.", RESOURCES)
    found: dict[ArmId, None] = {}
    for index, text in enumerate(texts):
        dependency = directory.find(text)
        if dependency is None:
            name = evaluator.quoted(raw[index] if isinstance(raw, list) else raw, text)
            raise invalid(f"The resource '{name}' is not defined in the template.", "https://aka.ms/arm-template")
        found[dependency] = None
    return tuple(found)


def _text(raw: Json, name: str, evaluator: Evaluator) -> str:
    value = evaluator.resolve(raw.get(name))
    if not isinstance(value, str) or not value:
        where = shown(raw.get("name", ""))
        raise invalid(f"The template resource '{where}' must have a '{name}', a string.", RESOURCES)
    return value
