"""How far a job is: it ends when the last of its operations does, and as badly as the worst of them."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime

from forewarn.domain.draft import Change
from forewarn.domain.events import Operation, OperationState
from forewarn.domain.resources import Job
from forewarn.engine.ports import Reader, Store

ENDINGS = (OperationState.FAILED, OperationState.CANCELED, OperationState.SUCCEEDED)
"""The worst first."""


@dataclass(frozen=True, kw_only=True, slots=True)
class JobState:
    job: Job
    state: OperationState
    ended_at: datetime | None
    message: str
    waits_in: str = ""  # the scope of an operation that is under way


class Jobs:
    """Callers ask again and again. Of a job that waits it is remembered that it does, until something changes there."""

    def __init__(self, store: Store, most: int = 10_000) -> None:
        """`most`: so many are remembered at once."""
        self._store = store
        self._most = most
        self._waiting: dict[str, JobState] = {}
        self._by_scope: defaultdict[str, set[str]] = defaultdict(set)
        self._changes = 0

    async def state(self, job_id: str) -> JobState | None:
        known = self._waiting.get(job_id.upper())
        if known is not None:
            return known
        changes = self._changes
        found = await self._store.read(lambda reader: state_of(reader, job_id))
        if found is not None and found.waits_in and self._changes == changes:  # else it may be over by now
            self._remember(found)
        return found

    def note(self, change: Change) -> None:
        """After its commit, before anybody is told of it."""
        self._changes += 1
        for scope in (*(revision.after.id for revision in change.revisions), *change.dissolved):
            for job_id in self._by_scope.pop(scope, ()):
                self._waiting.pop(job_id, None)

    def _remember(self, state: JobState) -> None:
        if len(self._waiting) >= self._most:
            self._waiting.clear()
            self._by_scope.clear()
        self._waiting[state.job.id] = state
        self._by_scope[state.waits_in].add(state.job.id)


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
            return JobState(
                job=job, state=OperationState.IN_PROGRESS, ended_at=None, message="", waits_in=operation.scope
            )
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
