"""What a deployment answers when it is done: its outputs, its parameters, and what it deployed."""

from collections.abc import Mapping, Sequence
from typing import Any

from forewarn.wire.arm_ids import ArmId
from forewarn.wire.templates.errors import TemplateError, invalid, shown, too_many, unsupported
from forewarn.wire.templates.evaluator import Context, Evaluator, Reference
from forewarn.wire.templates.parameters import KINDS, Kind, fits, json_type, section
from forewarn.wire.templates.plan import PlannedResource, deploy_plan

MOST_OUTPUTS = 64

Json = dict[str, Any]

_SEE = "https://aka.ms/arm-syntax-outputs"


def outputs(template: Mapping[str, Any], parameters: Json, context: Context, reference: Reference) -> Json:
    """`{name: {type, value}}`, once the resources are there. Of a secure output only the type."""
    declared = section(template, "outputs")
    if len(declared) > MOST_OUTPUTS:
        raise too_many("outputs", MOST_OUTPUTS, len(declared))
    resources = [planned.id for planned in deploy_plan(template, parameters, context)]
    evaluator = Evaluator(template, parameters, context, reference, resources)
    return {camel_cased(name): _output(name, body, evaluator) for name, body in declared.items()}


def parameters_view(template: Mapping[str, Any], parameters: Json, context: Context) -> Json:
    """The parameters as `GET` of a deployment shows them, defaults included. Of a secure one only the type."""
    evaluator = Evaluator(template, parameters, context)
    view: Json = {}
    for declaration in evaluator.declared.values():
        view[declaration.name] = {"type": declaration.kind.name}
        if not declaration.kind.secure:
            view[declaration.name]["value"] = evaluator.parameter(declaration.name)
    return view


def resources_view(resources: Sequence[PlannedResource]) -> Json:
    """`providers`, `dependencies` and `outputResources` of a deployment's properties."""
    ids = sorted((planned.id.text for planned in resources), key=str.lower)
    return {
        "providers": _providers(resources),
        "dependencies": [_dependency(planned) for planned in resources if planned.depends_on],
        "outputResources": [{"id": text} for text in ids],
    }


def camel_cased(name: str) -> str:
    """As ARM answers it: `VMSS` → `vmss`, `VMName` → `vmName`, `Name` → `name`.

    Of the capitals a name begins with all become small but the last, which stays if a small letter follows it.
    """
    for index, character in enumerate(name):
        last = index > 0 and index + 1 < len(name) and not name[index + 1].isupper()
        if not character.isupper() or last:
            return name[:index].lower() + name[index:]
    return name.lower()


def _output(name: str, body: Any, evaluator: Evaluator) -> Json:
    if not isinstance(body, dict) or (kind := KINDS.get(str(body.get("type", "")).lower())) is None:
        known = ", ".join(kind.name for kind in KINDS.values())
        raise invalid(f"The template output '{shown(name)}' must have a type: one of {known}.", _SEE)
    for unknown in ("copy", "condition"):
        if unknown in body:
            raise unsupported(f"'{unknown}' of an output is not supported.")
    value = evaluator.resolve(body.get("value"))
    if not fits(kind, value):
        raise _misfit(name, kind, value)
    return {"type": kind.name} if kind.secure else {"type": kind.name, "value": value}


def _misfit(name: str, kind: Kind, value: Any) -> TemplateError:
    reason = f"Template output JToken type is not valid. Expected '{kind.expected}'. Actual '{json_type(value)}'."
    return invalid(f"The template output '{shown(name)}' is not valid: {reason}", _SEE)


def _providers(resources: Sequence[PlannedResource]) -> list[Json]:
    spaces: dict[str, dict[str, dict[str | None, None]]] = {}
    for planned in resources:
        types = spaces.setdefault(planned.id.namespace, {})
        types.setdefault("/".join(planned.id.types), {})[planned.body.get("location")] = None
    return [
        {
            "namespace": namespace,
            "resourceTypes": [{"resourceType": path, "locations": list(places)} for path, places in types.items()],
        }
        for namespace, types in spaces.items()
    ]


def _dependency(planned: PlannedResource) -> Json:
    return {"dependsOn": [_named(one) for one in planned.depends_on], **_named(planned.id)}


def _named(resource: ArmId) -> Json:
    return {"id": resource.text, "resourceType": resource.type, "resourceName": resource.full_name}
