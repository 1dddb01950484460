"""Long-running operations: how a caller is told to wait, and what they see when they ask how far it is.

A job ends when its scheduled events do, so a client that waits for one waits for its notice to run down.
"""

from urllib.parse import quote

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.routing import Row, Rows, S
from forewarn.domain.access import Right
from forewarn.domain.events import OperationState
from forewarn.domain.resources import Job
from forewarn.engine.jobs import JobState
from forewarn.wire.dates import moment

CODES = {
    OperationState.FAILED: "OperationFailed",
    OperationState.CANCELED: "OperationCanceled",
}


def waiting_headers(desk: Desk, ask: Ask, job: Job, location: str = "local") -> dict[str, str]:
    """Where a client asks how far the job is. Absolute, by the scheme and Host that the caller used."""
    place = (
        f"{ask.base}/subscriptions/{desk.subscription}/providers/Microsoft.Compute/locations/{quote(location, safe='')}"
    )
    url = f"{place}/operations/{job.id.lower()}?api-version={ask.version}"
    return {
        "Azure-AsyncOperation": url,
        "Location": f"{url}&monitor=true",
        "Azure-AsyncNotification": "Enabled",
        "Retry-After": desk.pace.first(),
    }


def accepted(desk: Desk, ask: Ask, job: Job, location: str = "local") -> Reply:
    """202 for a POST or DELETE."""
    return Reply(status=202, headers=waiting_headers(desk, ask, job, location))


async def get_job(desk: Desk, ask: Ask) -> Reply:
    state = await desk.estate.job(ask.path["operation"])
    if state is None:
        raise ArmError(404, "NotFound", "The entity was not found in this Azure location.")
    desk.access.check(ask.caller, Right.READ, state.job.target)
    over = state.state is not OperationState.IN_PROGRESS
    paced = {} if over else {"Retry-After": desk.pace.again()}
    if ask.query.get("monitor", "").lower() == "true":
        if state.state in CODES:
            raise ArmError(409, CODES[state.state], why(state))
        return Reply(status=200 if over else 202, headers=paced if over else {**paced, "Location": _again(ask)})
    return Reply(body=tell(state), headers=paced)


def tell(state: JobState) -> Json:
    body: Json = {
        "startTime": moment(state.job.started_at),
        "status": state.state.value,
        "name": state.job.id.lower(),
    }
    if state.ended_at is not None:
        body["endTime"] = moment(state.ended_at)
    if state.state in CODES:
        body["error"] = {"code": state.job.code or CODES[state.state], "message": why(state)}
    return body


def why(state: JobState) -> str:
    if state.message:
        return state.message
    return "The scheduled event was canceled." if state.state is OperationState.CANCELED else "The operation failed."


def _again(ask: Ask) -> str:
    return f"{ask.base}{quote(ask.url)}?api-version={ask.version}&monitor=true"


ROWS: Rows = (
    Row(
        method="GET",
        path=f"{S}/providers/Microsoft.Compute/locations/{{location}}/operations/{{operation}}",
        handler=get_job,
        open=True,  # who may see a resource may see what happens to it
    ),
)
