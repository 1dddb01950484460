"""The store in memory: for tests, and for those who build on the test kit. It keeps the promises of the real one."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Lock
from typing import TypeVar

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.draft import Change, Revision
from forewarn.domain.errors import Conflict, Unavailable
from forewarn.domain.events import Action
from forewarn.domain.history import Entry, chain
from forewarn.domain.notices import KEPT
from forewarn.domain.resources import Job
from forewarn.domain.scopes import Scope, without_ended
from forewarn.engine.ports import JOBS_KEPT, Reader, Transaction
from forewarn.store.memory_reader import MemoryReader
from forewarn.store.tables import UndoLog, take_back

T = TypeVar("T")


class MemoryStore:
    """Works run one after another, in the caller's thread. The caller then waits its turn, as after a real commit."""

    def __init__(self) -> None:
        self._undo: UndoLog = []
        self._held = MemoryTransaction(self._undo)
        self._one_at_a_time = Lock()
        self._closed = False

    async def run(self, work: Callable[[Transaction], T], then: Callable[[T], None] | None = None) -> T:
        with self._one_at_a_time:
            self._check_open()
            try:
                value = work(self._held)
            except BaseException:
                take_back(self._undo)
                raise
            self._undo.clear()
        if then is not None:
            then(value)
        await asyncio.sleep(0)
        return value

    async def read(self, work: Callable[[Reader], T]) -> T:
        with self._one_at_a_time:
            self._check_open()
            value = work(self._held)
        await asyncio.sleep(0)
        return value

    async def close(self) -> None:
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise Unavailable("The store is closed. Nothing was changed.")


class MemoryTransaction(MemoryReader):
    def lock(self, scope: str) -> Sequence[Scope]:
        found = self.scope(scope)
        if found is None or found.scale_set is None:
            return [] if found is None else [found]
        return [self._counted(s) for s in self._scopes.after("") if s.scale_set == found.scale_set]

    def save(self, change: Change) -> Sequence[Entry]:
        for revision in change.revisions:
            self._save_scope(revision)
        for machine in change.machines:
            self._machines.put((machine.scope, machine.name), machine)
        for key in change.gone:
            self._machines.drop(key)
        for action in change.actions:
            self._actions.put((action.operation, action.machine), action)
            self._leases.drop((action.operation, action.machine))
        for key in change.finished:
            self._actions.drop(key)
            self._leases.drop(key)
        for resource in change.resources:
            self._resources.put(resource.key, resource)
        for name in change.dropped:
            self._resources.drop(name)
        for name in change.dissolved:
            self._scopes.drop(name)
            self._due.drop(name)
        for job in change.jobs:
            self._put_job(job)
        self._save_publication(change)
        return [self._append(entry) for entry in change.entries]

    def _save_publication(self, change: Change) -> None:
        for notice in change.notices:
            self._published.put(notice.event.id, notice)
        for event in change.withdrawn:
            self._published.drop(event)
        if ended := [notice.event.ended_at for notice in change.notices if notice.event.ended_at]:
            before = max(ended) - KEPT
            for old in [n.event for n in self._published.values() if n.event.ended_at and n.event.ended_at < before]:
                self._published.drop(old.id)
        for delivery in change.deliveries:
            self._deliveries.put(delivery.key, delivery)
            self._held_deliveries.drop(delivery.key)
        for key in change.delivered:
            self._deliveries.drop(key)
            self._held_deliveries.drop(key)

    def _put_job(self, job: Job) -> None:
        self._jobs.put(job.id, job)
        for old in [known.id for known in self._jobs.values() if known.started_at < job.started_at - JOBS_KEPT]:
            self._jobs.drop(old)

    def save_campaign(self, campaign: Campaign) -> None:
        self._campaigns.put(campaign.id, campaign)

    def mark_seen(self, scope: str, at: datetime, due: datetime | None) -> None:
        found = self._scopes.get(scope)
        if found is not None:
            self._scopes.put(scope, replace(found, last_seen=at))
            self._set_due(scope, due)

    def lease(self, now: datetime, wall: datetime, until: datetime, limit: int) -> Sequence[Action]:
        free = [
            (action.due, key, action)
            for key, action in self._actions.items()
            if action.due <= now and ((held := self._leases.get(key)) is None or held <= wall)
        ]
        leased: list[Action] = []
        for _, key, action in sorted(free, key=lambda f: f[:2])[:limit]:
            taken = replace(action, fence=action.fence + 1, attempts=action.attempts + 1)
            self._actions.put(key, taken)
            self._leases.put(key, until)
            leased.append(taken)
        return leased

    def lease_deliveries(self, subscription: str, wall: datetime, until: datetime, limit: int) -> Sequence[Delivery]:
        free = [delivery for delivery in self._free_deliveries(wall) if delivery.subscription == subscription]
        leased: list[Delivery] = []
        for delivery in sorted(free, key=lambda d: (d.due, d.notice.at, d.notice.id))[:limit]:
            taken = replace(delivery, fence=delivery.fence + 1, attempts=delivery.attempts + 1)
            self._deliveries.put(taken.key, taken)
            self._held_deliveries.put(taken.key, until)
            leased.append(taken)
        return leased

    def free_deliveries(self) -> None:
        for key in list(dict(self._held_deliveries.items())):
            self._held_deliveries.drop(key)

    def put_note(self, key: str, text: str) -> None:
        self._notes.put(key, text)

    def put_answer(self, key: str, text: str, at: datetime) -> None:
        self._answers.put(key, (text, at))

    def forget_answers(self, before: datetime) -> None:
        for key in [key for key, (_, at) in self._answers.items() if at < before]:
            self._answers.drop(key)

    def _save_scope(self, revision: Revision) -> None:
        after = revision.after
        if revision.before is None and self._scopes.get(after.id) is not None:
            raise Conflict(f"It is already there (scope {after.id}).")
        for event in after.events:
            self._events.put(event.id, event)
        for operation in after.operations:
            self._operations.put(operation.id, operation)
        self._scopes.put(after.id, without_ended(after))
        self._set_due(after.id, revision.due)

    def _set_due(self, scope: str, due: datetime | None) -> None:
        if due is None:
            self._due.drop(scope)
        else:
            self._due.put(scope, due)

    def _append(self, entry: Entry) -> Entry:
        linked = chain(entry, self._digests.get(entry.scope) or "", self.last_entry() + 1)
        self._history.put(linked.seq, linked)
        self._digests.put(linked.scope, linked.digest)
        return linked
