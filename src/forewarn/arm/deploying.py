"""A deployment carried out: each resource of its template goes the way it would go if its owner sent it alone.

What is wrong with a template or a resource is kept as the deployment's outcome: the clients ask for that, and cannot
read a refusal. What depends on a resource that failed is left out; everything else is deployed.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from forewarn.access.tokens import Caller
from forewarn.arm.applying import APPLY, Order
from forewarn.arm.asking import Desk, Json
from forewarn.arm.errors import told
from forewarn.arm.keeping import put, tell
from forewarn.arm.showing import show
from forewarn.domain.access import Right
from forewarn.domain.errors import Refused
from forewarn.domain.events import Actor
from forewarn.domain.resources import Job, Resource
from forewarn.domain.subscriptions import EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION
from forewarn.engine.ports import Reader
from forewarn.wire.arm_ids import ArmId
from forewarn.wire.errors import Malformed
from forewarn.wire.templates import (
    Context,
    Deployment,
    PlannedResource,
    Reference,
    TemplateError,
    deploy_plan,
    outputs,
    parameters_view,
    read_deployment,
    resources_view,
)

SECRETIVE = frozenset({EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION})
"""Types whose resources hold the URLs of webhooks, and the codes in them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """What became of one resource of a template."""

    target: ArmId
    status: int
    error: Json | None = None
    job: Job | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    properties: Json  # what the deployment says of itself
    template: Json = field(default_factory=dict)
    steps: Sequence[Step] = ()
    errors: Sequence[Json] = ()


async def deploy(desk: Desk, group: Resource, properties: object, caller: Caller) -> Outcome:
    context = context_of(desk, group)
    try:
        asked, plan, described = await asyncio.to_thread(_planned, properties, context)
    except TemplateError as error:
        return Outcome(properties={}, errors=[_error(error)])
    steps, made = await _carry_out(desk, plan, caller.actor)
    errors = [step.error for step in steps if step.error is not None]
    template = without_secrets(asked.template)
    if errors:
        return Outcome(properties=described, template=template, steps=steps, errors=errors)
    try:
        described["outputs"] = await _outputs(desk, asked, context, made, caller)
    except TemplateError as error:
        errors.append(_error(error))
    return Outcome(properties=described, template=template, steps=steps, errors=errors)


async def validate(desk: Desk, group: Resource, properties: object) -> Json:
    """What a deployment would say of itself; TemplateError if there cannot be one."""
    _, _, described = await asyncio.to_thread(_planned, properties, context_of(desk, group))
    return described


def context_of(desk: Desk, group: Resource) -> Context:
    return Context(
        subscription=desk.subscription,
        tenant=desk.access.tenant,
        group=group.name,
        location=group.location,
        tags=group.body.get("tags", {}),
    )


def without_secrets(template: Json) -> Json:
    """The template without the values that its secure parameters have if none is given."""
    declared = template.get("parameters")
    if not isinstance(declared, dict):
        return template
    kept = {name: _without_default(body) for name, body in declared.items()}
    return {**template, "parameters": kept}


def _planned(properties: object, context: Context) -> tuple[Deployment, list[PlannedResource], Json]:
    """What is asked for, what there is to do, and how the deployment describes it. Takes a moment: for a thread."""
    asked = read_deployment(properties)
    plan = deploy_plan(asked.template, asked.parameters, context)
    parameters = parameters_view(asked.template, asked.parameters, context)
    return asked, plan, {"parameters": parameters, **resources_view(plan)}


async def _carry_out(desk: Desk, plan: Sequence[PlannedResource], by: Actor) -> tuple[list[Step], dict[str, Json]]:
    """The steps taken, and the resources made, by key."""
    steps: list[Step] = []
    made: dict[str, Json] = {}
    for planned in plan:
        if not all(needed.key in made for needed in _needed(planned, plan)):
            continue
        try:
            made[planned.id.key], status, job = await _apply(desk, planned, by)
        except (Refused, Malformed) as error:
            steps.append(Step(target=planned.id, status=told(error)[0], error=_error(error)))
        else:
            steps.append(Step(target=planned.id, status=status, job=job))
    return steps, made


async def _apply(desk: Desk, planned: PlannedResource, by: Actor) -> tuple[Json, int, Job | None]:
    apply = APPLY.get(planned.id.type)
    if apply is None:
        body, new = await put(desk, planned.id, planned.body)
        return body, 201 if new else 200, None
    order = Order(id=planned.id, body=planned.body, version=planned.api_version, by=by)
    applied = await apply(desk, order)
    return await show(desk, applied.resource), 201 if applied.created else 200, applied.job


def _needed(planned: PlannedResource, plan: Sequence[PlannedResource]) -> list[ArmId]:
    """What must be there before it, of what this deployment makes."""
    parent = planned.id.parent
    inside = [other.id for other in plan if parent is not None and other.id.key == parent.key]
    return [*planned.depends_on, *inside]


async def _outputs(desk: Desk, asked: Deployment, context: Context, made: dict[str, Json], caller: Caller) -> Json:
    """What the caller may not read is not there; nor is what holds secrets, since outputs are for every reader."""

    def reading(reader: Reader) -> Reference:
        def reference(target: ArmId, full: bool) -> Json | None:
            found = made.get(target.key)
            if found is None and target.type not in SECRETIVE and desk.access.may(caller, Right.READ, target.text):
                resource = reader.resource(target.key)
                found = tell(resource) if resource is not None else None
            return found if found is None or full else found.get("properties", {})

        return reference

    return await desk.estate.store.read(
        lambda reader: outputs(asked.template, asked.parameters, context, reading(reader))
    )


def _error(error: Refused | Malformed) -> Json:
    _, detail = told(error)
    shown = {"code": detail.code, "message": detail.message}
    return shown if detail.target is None else {**shown, "target": detail.target}


def _without_default(declaration: object) -> object:
    if not isinstance(declaration, dict) or not str(declaration.get("type", "")).lower().startswith("secure"):
        return declaration
    return {name: value for name, value in declaration.items() if name != "defaultValue"}
