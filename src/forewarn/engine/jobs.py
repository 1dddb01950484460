"""How far a job is: it ends when the last of its operations does, and as badly as the worst of them."""

from dataclasses import dataclass
from datetime import datetime

from forewarn.domain.events import Operation, OperationState
from forewarn.domain.resources import Job
from forewarn.engine.ports import Reader

ENDINGS = (OperationState.FAILED, OperationState.CANCELED, OperationState.SUCCEEDED)
"""The worst first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobState:
    job: Job
    state: OperationState
    ended_at: datetime | None
    message: str


def state_of(reader: Reader, job_id: str) -> JobState | None:
    job = reader.job(job_id.upper())
    if job is None:
        return None
    if job.code:
        return JobState(job=job, state=OperationState.FAILED, ended_at=job.started_at, message=job.message)
    operations: list[Operation] = []
    for key in job.operations:
        operation = reader.operation(key)
        if operation is None:
            continue
        if operation.is_live:
            return JobState(job=job, state=OperationState.IN_PROGRESS, ended_at=None, message="")
        operations.append(operation)
    return _over(job, operations)


def _over(job: Job, operations: list[Operation]) -> JobState:
    worst = min((o.state for o in operations), key=ENDINGS.index, default=OperationState.SUCCEEDED)
    return JobState(
        job=job,
        state=worst,
        ended_at=max((o.ended_at for o in operations if o.ended_at is not None), default=job.started_at),
        message="; ".join(dict.fromkeys(o.message for o in operations if o.state is worst and o.message)),
    )
