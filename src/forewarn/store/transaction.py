"""One unit of work on the writer's connection. Beginning and ending it is the batch's business."""

from collections.abc import Iterator, Sequence
from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.draft import Change, Revision
from forewarn.domain.events import Action, Event, Operation
from forewarn.domain.history import Entry, chain
from forewarn.domain.machines import Power
from forewarn.domain.notices import KEPT
from forewarn.domain.scopes import Scope, without_ended
from forewarn.engine.ports import JOBS_KEPT
from forewarn.store import codec
from forewarn.store.connecting import Connection
from forewarn.store.queries import SQL
from forewarn.store.reader import SqlReader

HELD = 4096
"""How many scopes, and how many last digests, are kept in memory beside their rows."""


class SqlTransaction(SqlReader):
    """The writer's. It alone writes, so it may keep what it has written and need not read it again."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.seq = self.last_entry()
        """The last position in the history that was given away."""
        self.writes = 0
        """Counted, so that a work that has failed before it wrote anything needs no rolling back."""
        self._held: dict[str, Scope] = {}
        self._digests: dict[str, str] = {}

    def forget(self, seq: int) -> None:
        """Something was rolled back: of what is true only the rows know, and the history goes on after `seq`."""
        self._held.clear()
        self._digests.clear()
        self.seq = seq

    def lock(self, scope: str) -> Sequence[Scope]:
        held = self._held.get(scope) or self._read(scope)
        if held is None:
            return []
        if held.scale_set is None:
            return [held]
        ids = [row[0] for row in self._execute(SQL["ids_of_scale_set"], (held.scale_set,)).fetchall()]
        members = [self._held.get(member) or self._read(member) for member in ids]
        return [member for member in members if member is not None]

    def save(self, change: Change) -> Sequence[Entry]:
        self.writes += 1
        for revision in change.revisions:
            self._save_scope(revision)
            self._hold_after(revision)
        for machine in change.machines:
            running = int(machine.power is Power.RUNNING)
            self._execute(SQL["put_machine"], (machine.scope, machine.name, running, codec.body(machine)))
        for key in change.gone:
            self._execute(SQL["drop_machine"], key)
        for scope in {*(machine.scope for machine in change.machines), *(scope for scope, _ in change.gone)}:
            self._recount(scope)
        for action in change.actions:
            self._execute(SQL["put_action"], codec.from_action(action))
        for key in change.finished:
            self._execute(SQL["drop_action"], key)
        if change.resources or change.dropped or change.dissolved or change.jobs:
            self._save_estate(change)
        if change.notices or change.withdrawn or change.deliveries or change.delivered:
            self._save_publication(change)
        return self._append(change.entries)

    def _save_estate(self, change: Change) -> None:
        for resource in change.resources:
            self._execute(SQL["put_resource"], codec.from_resource(resource))
        for key in change.dropped:
            self._execute(SQL["drop_resource"], (key,))
        for scope in change.dissolved:
            self._execute(SQL["drop_scope"], (scope,))
            self._held.pop(scope, None)
        for job in change.jobs:
            self._execute(SQL["put_job"], (job.id, codec.to_micros(job.started_at), codec.body(job)))
            self._execute(SQL["forget_jobs"], (codec.to_micros(job.started_at - JOBS_KEPT),))

    def _save_publication(self, change: Change) -> None:
        for notice in change.notices:
            self._execute(SQL["put_published"], codec.from_notice(notice))
        for event in change.withdrawn:
            self._execute(SQL["drop_published"], (event,))
        if ended := [notice.event.ended_at for notice in change.notices if notice.event.ended_at]:
            self._execute(SQL["forget_published"], (codec.to_micros(max(ended) - KEPT),))
        for delivery in change.deliveries:
            self._execute(SQL["put_delivery"], codec.from_delivery(delivery))
        for key in change.delivered:
            self._execute(SQL["drop_delivery"], key)

    def save_campaign(self, campaign: Campaign) -> None:
        self.writes += 1
        self._execute(SQL["put_campaign"], (campaign.id, codec.body(campaign)))

    def mark_seen(self, scope: str, at: datetime, due: datetime | None) -> None:
        self.writes += 1
        self._execute(SQL["mark_seen"], (codec.to_micros(at), None if due is None else codec.to_micros(due), scope))
        self._held.pop(scope, None)

    def lease(self, now: datetime, wall: datetime, until: datetime, limit: int) -> Sequence[Action]:
        self.writes += 1
        moments = (codec.to_micros(until), codec.to_micros(now), codec.to_micros(wall))
        rows = self._execute(SQL["lease"], (*moments, limit)).fetchall()
        return sorted((codec.to_action(row) for row in rows), key=lambda a: (a.due, a.operation, a.machine))

    def lease_deliveries(self, subscription: str, wall: datetime, until: datetime, limit: int) -> Sequence[Delivery]:
        self.writes += 1
        now = codec.to_micros(wall)
        rows = self._execute(
            SQL["lease_deliveries"], (codec.to_micros(until), subscription, now, now, limit)
        ).fetchall()
        return sorted((codec.to_delivery(row) for row in rows), key=lambda d: (d.due, d.notice.at, d.notice.id))

    def free_deliveries(self) -> None:
        self.writes += 1
        self._execute(SQL["free_deliveries"])

    def put_note(self, key: str, text: str) -> None:
        self.writes += 1
        self._execute(SQL["put_note"], (key, text))

    def put_answer(self, key: str, text: str, at: datetime) -> None:
        self.writes += 1
        self._execute(SQL["put_answer"], (key, text, codec.to_micros(at)))

    def forget_answers(self, before: datetime) -> None:
        self.writes += 1
        self._execute(SQL["forget_answers"], (codec.to_micros(before),))

    def _save_scope(self, revision: Revision) -> None:
        before, after = revision.before, revision.after
        self._execute(SQL["add_scope" if before is None else "change_scope"], codec.from_scope(after, revision.due))
        for operation, event, is_new in _changed(before, after):
            self._save_operation(operation, event, is_new=is_new)

    def _save_operation(self, operation: Operation, event: Event | None, *, is_new: bool) -> None:
        row = codec.from_operation(operation, event)
        if is_new:
            self._execute(
                SQL["add_operation"], (operation.scope, int(operation.is_live), operation.event, *row, operation.scope)
            )
        else:
            self._execute(SQL["change_operation" if operation.is_live else "end_operation"], row)

    def _append(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Each entry gets the next position, and a digest that covers the entry before it in its scope."""
        if len(self._digests) >= HELD:
            self._digests.clear()
        written: list[Entry] = []
        for entry in entries:
            previous = self._digests.get(entry.scope)
            self.seq += 1
            linked = chain(entry, self._last_digest(entry.scope) if previous is None else previous, self.seq)
            self._execute(SQL["add_entry"], codec.from_entry(linked))
            self._digests[entry.scope] = linked.digest
            written.append(linked)
        return written

    def _last_digest(self, scope: str) -> str:
        return self._body(SQL["last_digest"], (scope,), str) or ""

    def _read(self, scope: str) -> Scope | None:
        found = self.scope(scope)
        if found is not None:
            self._hold(found)
        return found

    def _hold_after(self, revision: Revision) -> None:
        """Not where it says anew whether any machine runs: that is for the machines to tell."""
        before, after = revision.before, revision.after
        if before is not None and before.any_running is after.any_running:
            self._hold(without_ended(after))
        else:
            self._held.pop(after.id, None)

    def _recount(self, scope: str) -> None:
        """Machines have come, changed or gone: whether any runs is for them to tell."""
        held = self._held.get(scope)
        if held is not None:
            runs = bool(self._execute(SQL["any_runs"], (scope,)).fetchone()[0])
            self._held[scope] = held if held.any_running is runs else replace(held, any_running=runs)

    def _hold(self, scope: Scope) -> None:
        if len(self._held) >= HELD:
            self._held.clear()
        self._held[scope.id] = scope


def _changed(before: Scope | None, after: Scope) -> Iterator[tuple[Operation, Event | None, bool]]:
    """Operations of which they or their events are other objects than before, and whether they are new.

    Values do not change, so the others are the same.
    """
    if before is not None and before.events is after.events and before.operations is after.operations:
        return
    known = {operation.id: operation for operation in before.operations} if before else {}
    shown = {event.operation: event for event in before.events} if before else {}
    events = {event.operation: event for event in after.events}
    for operation in after.operations:
        event = events.get(operation.id)
        if known.get(operation.id) is not operation or shown.get(operation.id) is not event:
            yield operation, event, operation.id not in known
