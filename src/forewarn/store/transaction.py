"""One unit of work on the writer's connection. Beginning and ending it is the batch's business."""

from collections.abc import Sequence
from datetime import datetime

from forewarn.domain.campaigns import Campaign
from forewarn.domain.draft import Change, Revision
from forewarn.domain.events import Action, Event, Operation, OperationState
from forewarn.domain.history import Entry, chain
from forewarn.domain.machines import Power
from forewarn.domain.scopes import Scope
from forewarn.store import codec
from forewarn.store.connecting import Connection
from forewarn.store.queries import SQL
from forewarn.store.reader import SqlReader


class SqlTransaction(SqlReader):
    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self.seq = self.last_entry()
        """The last position in the history that was given away. A batch takes it back where it rolls back."""

    def lock(self, scope: str) -> Sequence[Scope]:
        row = self._execute(SQL["scope"], (scope,)).fetchone()
        if row is None:
            return []
        scale_set = row[1]
        if scale_set is None:
            return [self._whole(row)]
        return [self._whole(member) for member in self._execute(SQL["scopes_of_scale_set"], (scale_set,)).fetchall()]

    def save(self, change: Change) -> Sequence[Entry]:
        for revision in change.revisions:
            self._save_scope(revision)
        for machine in change.machines:
            running = int(machine.power is Power.RUNNING)
            self._execute(SQL["put_machine"], (machine.scope, machine.name, running, codec.body(machine)))
        for key in change.gone:
            self._execute(SQL["drop_machine"], key)
        for action in change.actions:
            self._execute(SQL["put_action"], codec.from_action(action))
        for key in change.finished:
            self._execute(SQL["drop_action"], key)
        return self._append(change.entries)

    def save_campaign(self, campaign: Campaign) -> None:
        self._execute(SQL["put_campaign"], (campaign.id, codec.body(campaign)))

    def mark_seen(self, scope: str, at: datetime, due: datetime | None) -> None:
        self._execute(SQL["mark_seen"], (codec.to_micros(at), None if due is None else codec.to_micros(due), scope))

    def lease(self, now: datetime, wall: datetime, until: datetime, limit: int) -> Sequence[Action]:
        moments = (codec.to_micros(until), codec.to_micros(now), codec.to_micros(wall))
        rows = self._execute(SQL["lease"], (*moments, limit)).fetchall()
        return sorted((codec.to_action(row) for row in rows), key=lambda a: (a.due, a.operation, a.machine))

    def put_note(self, key: str, text: str) -> None:
        self._execute(SQL["put_note"], (key, text))

    def put_answer(self, key: str, text: str, at: datetime) -> None:
        self._execute(SQL["put_answer"], (key, text, codec.to_micros(at)))

    def _save_scope(self, revision: Revision) -> None:
        """Only what is another object than before is written: values do not change."""
        before, after = revision.before, revision.after
        self._execute(SQL["add_scope" if before is None else "change_scope"], codec.from_scope(after, revision.due))
        events = {event.id: event for event in before.events} if before else {}
        for event in after.events:
            if events.get(event.id) is not event:
                self._save_event(event, is_new=event.id not in events)
        operations = {operation.id: operation for operation in before.operations} if before else {}
        for operation in after.operations:
            if operations.get(operation.id) is not operation:
                self._save_operation(operation, is_new=operation.id not in operations)

    def _save_event(self, event: Event, *, is_new: bool) -> None:
        live, text = int(event.phase.is_live), codec.body(event)
        if is_new:
            self._execute(SQL["add_event"], (event.scope, live, text, event.id, event.scope))
        else:
            self._execute(SQL["change_event"], (live, text, event.id))

    def _save_operation(self, operation: Operation, *, is_new: bool) -> None:
        live, text = int(operation.state is OperationState.IN_PROGRESS), codec.body(operation)
        if is_new:
            self._execute(SQL["add_operation"], (operation.scope, live, text, operation.id, operation.scope))
        else:
            self._execute(SQL["change_operation"], (live, text, operation.id))

    def _append(self, entries: Sequence[Entry]) -> Sequence[Entry]:
        """Each entry gets the next position, and a digest that covers the entry before it in its scope."""
        digests: dict[str, str] = {}
        written: list[Entry] = []
        for entry in entries:
            previous = digests.get(entry.scope)
            self.seq += 1
            linked = chain(entry, self._last_digest(entry.scope) if previous is None else previous, self.seq)
            self._execute(SQL["add_entry"], codec.from_entry(linked))
            digests[entry.scope] = linked.digest
            written.append(linked)
        return written

    def _last_digest(self, scope: str) -> str:
        return self._body(SQL["last_digest"], (scope,), str) or ""
