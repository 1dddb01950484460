"""Deployments of templates into a resource group.

A deployment is done when its PUT is answered, but for what has to wait for notice: its job ends when the last of that
has. It is kept with its template and without the values of its secure parameters.
"""

import asyncio
import hashlib
from collections.abc import Callable, Sequence
from datetime import datetime
from http import HTTPStatus
from urllib.parse import quote

import msgspec
from msgspec.structs import replace

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.bodies import tags_of
from forewarn.arm.deploying import Outcome, Step, deploy, validate
from forewarn.arm.errors import ArmError
from forewarn.arm.groups import find_group
from forewarn.arm.jobs import CODES, why
from forewarn.arm.paging import looked_up
from forewarn.arm.routing import RG, Row, Rows
from forewarn.domain.access import Right
from forewarn.domain.events import OperationState
from forewarn.domain.resources import Job, Resource
from forewarn.engine.jobs import JobState, state_of
from forewarn.engine.ports import Reader
from forewarn.wire.arm_ids import ArmId, group_id
from forewarn.wire.dates import moment

DEPLOYMENT = "Microsoft.Resources/deployments"
FAILED = (
    "At least one resource deployment operation failed. Please list deployment operations for details. "
    "Please see https://aka.ms/arm-deployment-operations for usage details."
)
WORDS = {
    OperationState.IN_PROGRESS: "Running",
    OperationState.SUCCEEDED: "Succeeded",
    OperationState.FAILED: "Failed",
    OperationState.CANCELED: "Canceled",
}


# What a deployment says


def tell(deployment: Resource, state: JobState | None) -> Json:
    """`state`: None once its job is forgotten, which is long after it has ended."""
    properties: Json = {"provisioningState": "Succeeded", **deployment.body["properties"]}
    if state is not None:
        properties["provisioningState"] = WORDS[state.state]
        error = error_of(deployment, state)
        if error is not None:
            properties["error"] = error
        if state.ended_at is not None:
            properties["duration"] = _duration(state.job.started_at, state.ended_at)
    if properties["provisioningState"] != "Succeeded":
        properties.pop("outputs", None)
    tags = {"tags": deployment.body["tags"]} if deployment.body.get("tags") else {}
    return {"id": deployment.id, "name": deployment.name, "type": DEPLOYMENT, **tags, "properties": properties}


def error_of(deployment: Resource, state: JobState) -> Json | None:
    """Why it failed: at once, or because something it waited for did."""
    known: Json | None = deployment.body["properties"].get("error")
    if known is not None or state.state not in CODES:
        return known
    return _failure(deployment.id, [{"code": CODES[state.state], "message": why(state)}])


def _failure(id: str, details: Sequence[Json]) -> Json:
    return {"code": "DeploymentFailed", "message": FAILED, "target": id, "details": list(details)}


# The handlers


async def put_deployment(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    where = _where(desk, group, ask.path["name"])
    sent = await asyncio.to_thread(lambda: ask.template_body)
    tags = tags_of(sent)
    started = desk.clock.now()
    outcome = await deploy(desk, group, sent.get("properties"), ask.caller)
    job = _job(desk, where, outcome, started)
    body = {**({"tags": tags} if tags else {}), **_kept(where, outcome, job)}

    def revise(known: Resource | None) -> Resource:
        made = Resource(id=where.text, type=DEPLOYMENT, name=where.name, group=group.key, body=body, created_at=started)
        return made if known is None else replace(made, id=known.id, version=known.version + 1)

    deployment = await desk.estate.put(where.key, revise, job)
    state = await desk.estate.job(job.id)
    url = f"{ask.base}{quote(deployment.id)}/operationStatuses/{job.id.lower()}?api-version={ask.version}"
    told = tell(deployment, state)
    # Some clients are done, and cannot read why, when they see Failed here: it is what they are told when they ask.
    told["properties"] = {**told["properties"], "provisioningState": "Accepted"}
    headers = {"Azure-AsyncOperation": url, "Retry-After": desk.pace.first()}
    return Reply(status=201 if deployment.version == 1 else 200, body=told, headers=headers)


async def get_deployment(desk: Desk, ask: Ask) -> Reply:
    deployment = await _find(desk, ask)
    return Reply(body=tell(deployment, await desk.estate.job(_job_id(deployment))))


async def has_deployment(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    found = await desk.estate.resource(_where(desk, group, ask.path["name"]).key)
    return Reply(status=404 if found is None else 204)


async def delete_deployment(desk: Desk, ask: Ask) -> Reply:
    """What it deployed stays."""
    await desk.estate.drop(_where(desk, await find_group(desk, ask), ask.path["name"]).key)
    return Reply(status=204)


async def list_deployments(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)

    def telling(reader: Reader) -> Callable[[Resource], Json]:
        return lambda deployment: tell(deployment, state_of(reader, _job_id(deployment)))

    return await looked_up(desk, ask, telling, group=group.key, kind=DEPLOYMENT)


async def get_status(desk: Desk, ask: Ask) -> Reply:
    deployment = await _find(desk, ask)
    state = await desk.estate.job(ask.path["operation"])
    if state is None or state.job.target.lower() != deployment.key:
        raise ArmError(404, "NotFound", "There is no such operation of this deployment.")
    body: Json = {"status": WORDS[state.state]}
    if state.job.id.lower() == _job_id(deployment) and (error := error_of(deployment, state)) is not None:
        body["error"] = error
    return Reply(body=body, headers={"Retry-After": desk.pace.again()} if state.ended_at is None else {})


async def list_operations(desk: Desk, ask: Ask) -> Reply:
    deployment = await _find(desk, ask)
    return Reply(body={"value": [await _told(desk, step) for step in deployment.body["operations"]]})


async def get_operation(desk: Desk, ask: Ask) -> Reply:
    deployment = await _find(desk, ask)
    wanted = ask.path["operation"].lower()
    for step in deployment.body["operations"]:
        if step["operationId"].lower() == wanted:
            return Reply(body=await _told(desk, step))
    raise ArmError(404, "DeploymentOperationNotFound", f"Deployment operation '{wanted[:100]}' could not be found.")


async def export_template(desk: Desk, ask: Ask) -> Reply:
    return Reply(body={"template": (await _find(desk, ask)).body["template"]})


async def validate_deployment(desk: Desk, ask: Ask) -> Reply:
    group = await find_group(desk, ask)
    where = _where(desk, group, ask.path["name"])
    sent = await asyncio.to_thread(lambda: ask.template_body)
    properties = await validate(desk, group, sent.get("properties"))
    described = {"mode": "Incremental", "provisioningState": "Succeeded", "timestamp": moment(desk.clock.now())}
    validated = {"validatedResources": properties.pop("outputResources")}
    told = {
        "id": where.text,
        "name": where.name,
        "type": DEPLOYMENT,
        "properties": {**described, **properties, **validated},
    }
    return Reply(body=told)


# Parts


def _kept(where: ArmId, outcome: Outcome, job: Job) -> Json:
    digest = hashlib.sha256(msgspec.json.encode(outcome.template, order="deterministic")).digest()
    properties: Json = {
        **outcome.properties,
        "mode": "Incremental",
        "timestamp": moment(job.started_at),
        "duration": _duration(job.started_at, job.started_at),
        "correlationId": job.id.lower(),
        "templateHash": str(int.from_bytes(digest[:8])),
    }
    if outcome.errors:
        properties["provisioningState"] = "Failed"
        properties["error"] = _failure(where.text, outcome.errors)
    steps = [_step(where, step, job.started_at) for step in outcome.steps]
    return {"properties": properties, "template": outcome.template, "operations": steps}


def _job(desk: Desk, where: ArmId, outcome: Outcome, started: datetime) -> Job:
    return Job(
        id=desk.new_id().upper(),
        target=where.text,
        started_at=started,
        operations=tuple(key for step in outcome.steps if step.job is not None for key in step.job.operations),
        code="DeploymentFailed" if outcome.errors else "",
        message=FAILED if outcome.errors else "",
    )


def _step(where: ArmId, step: Step, at: datetime) -> Json:
    """As it is kept: with the job to ask, if there is one, how far it is."""
    target = {"id": step.target.text, "resourceType": step.target.type, "resourceName": step.target.full_name}
    name = hashlib.sha256(step.target.key.encode()).hexdigest()[:16].upper()
    properties: Json = {
        "provisioningOperation": "Create",
        "provisioningState": "Succeeded" if step.error is None else "Failed",
        "timestamp": moment(at),
        "duration": _duration(at, at),
        "statusCode": HTTPStatus(step.status).phrase.replace(" ", ""),
        "targetResource": target,
    }
    if step.error is not None:
        properties["statusMessage"] = {"error": step.error}
    kept: Json = {"id": f"{where.text}/operations/{name}", "operationId": name, "properties": properties}
    return kept if step.job is None else {**kept, "job": step.job.id}


async def _told(desk: Desk, step: Json) -> Json:
    told = {name: value for name, value in step.items() if name != "job"}
    state = await desk.estate.job(step["job"]) if "job" in step else None
    if state is not None:
        told["properties"] = {**told["properties"], "provisioningState": WORDS[state.state]}
    return told


def _where(desk: Desk, group: Resource, name: str) -> ArmId:
    return group_id(desk.subscription, group.name).resource(DEPLOYMENT, name)


def _job_id(deployment: Resource) -> str:
    job: str = deployment.body["properties"]["correlationId"]
    return job


async def _find(desk: Desk, ask: Ask) -> Resource:
    name = ask.path["name"]
    deployment = await desk.estate.resource(_where(desk, await find_group(desk, ask), name).key)
    if deployment is None:
        raise ArmError(404, "DeploymentNotFound", f"Deployment '{name}' could not be found.")
    return deployment


def _duration(start: datetime, end: datetime) -> str:
    return f"PT{max((end - start).total_seconds(), 0):g}S"


PATH = f"{RG}/providers/{DEPLOYMENT}"
ONE = f"{PATH}/{{name}}"
OLDER = f"{RG}/deployments/{{name}}"
"""Where the clients still look for the operations of a deployment."""
ROWS: Rows = (
    Row(method="GET", path=PATH, handler=list_deployments),
    Row(method="GET", path=ONE, handler=get_deployment),
    Row(method="HEAD", path=ONE, handler=has_deployment),
    Row(method="PUT", path=ONE, handler=put_deployment),
    Row(method="DELETE", path=ONE, handler=delete_deployment),
    Row(method="POST", path=f"{ONE}/validate", handler=validate_deployment),
    Row(method="POST", path=f"{ONE}/exportTemplate", handler=export_template, right=Right.READ),
    Row(method="GET", path=f"{ONE}/operations", handler=list_operations),
    Row(method="GET", path=f"{ONE}/operations/{{operation}}", handler=get_operation),
    Row(method="GET", path=f"{OLDER}/operations", handler=list_operations),
    Row(method="GET", path=f"{OLDER}/operations/{{operation}}", handler=get_operation),
    Row(method="GET", path=f"{ONE}/operationStatuses/{{operation}}", handler=get_status),
)
