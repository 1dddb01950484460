"""Everything that can be looked up, on any connection."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime
from operator import attrgetter
from typing import TypeVar

from forewarn.domain.campaigns import Campaign
from forewarn.domain.delivering import Delivery
from forewarn.domain.events import Action, Event, Operation
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Job, Resource
from forewarn.domain.scopes import Scope
from forewarn.store import codec
from forewarn.store.codec import Row
from forewarn.store.connecting import Connection
from forewarn.store.queries import SQL

T = TypeVar("T")
Item = TypeVar("Item", Event, Operation)


class SqlReader:
    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    # Scopes

    def scope(self, scope: str) -> Scope | None:
        row = self._execute(SQL["scope"], (scope,)).fetchone()
        return None if row is None else codec.to_scope(row, self._live(scope))

    def list_scopes(self, *, after: str = "", limit: int = 1000, campaign: str | None = None) -> Sequence[Scope]:
        if campaign is None:
            rows = self._execute(SQL["scopes_after"], (after, limit)).fetchall()
        else:
            rows = self._execute(SQL["scopes_of_campaign_after"], (campaign, after, limit)).fetchall()
        if not rows:
            return []
        live: dict[str, list[Row]] = defaultdict(list)
        for scope, *pair in self._execute(SQL["live_of_scopes"], (rows[0][0], rows[-1][0])).fetchall():
            live[scope].append(tuple(pair))
        return [codec.to_scope(row, live[row[0]]) for row in rows]

    def scopes_of_scale_set(self, scale_set: str) -> Sequence[Scope]:
        ids = self._execute(SQL["ids_of_scale_set"], (scale_set,)).fetchall()
        return [scope for (key,) in ids if (scope := self.scope(key)) is not None]

    def due_scopes(self, now: datetime, limit: int) -> Sequence[str]:
        return [row[0] for row in self._execute(SQL["scopes_due"], (codec.to_micros(now), limit)).fetchall()]

    def next_due(self) -> datetime | None:
        return self._moment(SQL["next_due"])

    # Machines

    def machines(self, scope: str, names: Sequence[str] | None = None) -> Sequence[Machine]:
        if names is None:
            return self._bodies(SQL["machines_of_scope"], (scope,), codec.to_machine)
        found = (self._body(SQL["machine"], (scope, name), codec.to_machine) for name in sorted(set(names)))
        return [machine for machine in found if machine is not None]

    def some_machines(self, scope: str, limit: int) -> Sequence[Machine]:
        return self._bodies(SQL["some_machines"], (scope, limit), codec.to_machine)

    def machines_named(self, name: str) -> Sequence[Machine]:
        return self._bodies(SQL["machines_named"], (name,), codec.to_machine)

    def list_machines(self, *, after: tuple[str, str] = ("", ""), limit: int = 1000) -> Sequence[Machine]:
        return self._bodies(SQL["machines_after"], (*after, limit), codec.to_machine)

    # Events and operations

    def event(self, event: str) -> Event | None:
        return self._body(SQL["event"], (event,), codec.to_event)

    def list_events(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Event]:
        if live:
            return _page([codec.to_event(event) for _, event in self._live(scope) if event is not None], after, limit)
        if scope is None:
            return self._bodies(SQL["events_after"], (after, limit), codec.to_event)
        return self._bodies(SQL["events_of_scope_after"], (scope, after, limit), codec.to_event)

    def operation(self, operation: str) -> Operation | None:
        return self._body(SQL["operation"], (operation,), codec.to_operation)

    def list_operations(
        self, *, scope: str | None = None, live: bool = True, after: str = "", limit: int = 1000
    ) -> Sequence[Operation]:
        if live:
            return _page([codec.to_operation(body) for body, _ in self._live(scope)], after, limit)
        if scope is None:
            return self._bodies(SQL["operations_after"], (after, limit), codec.to_operation)
        return self._bodies(SQL["operations_of_scope_after"], (scope, after, limit), codec.to_operation)

    def _live(self, scope: str | None) -> list[Row]:
        if scope is None:
            return self._execute(SQL["live"]).fetchall()
        return self._execute(SQL["live_of_scope"], (scope,)).fetchall()

    # The outbox

    def action(self, operation: str, machine: str) -> Action | None:
        row = self._execute(SQL["action"], (operation, machine)).fetchone()
        return None if row is None else codec.to_action(row)

    def next_action(self) -> datetime | None:
        return self._moment(SQL["next_action"])

    # History

    def history(
        self, *, after: int = 0, limit: int = 1000, scope: str | None = None, subject: str | None = None
    ) -> Sequence[Entry]:
        keys: Row
        match scope, subject:
            case None, None:
                query, keys = "history_after", ()
            case _, None:
                query, keys = "history_of_scope_after", (scope,)
            case None, _:
                query, keys = "history_of_subject_after", (subject,)
            case _:
                query, keys = "history_of_subject_in_scope_after", (subject, scope)
        return [codec.to_entry(row) for row in self._execute(SQL[query], (*keys, after, limit)).fetchall()]

    def last_entry(self) -> int:
        return int(self._execute(SQL["last_entry"]).fetchone()[0])

    # Resources and jobs

    def resource(self, key: str) -> Resource | None:
        return self._body(SQL["resource"], (key,), codec.to_resource)

    def list_resources(
        self, *, group: str | None = None, kind: str | None = None, after: str = "", limit: int = 1000
    ) -> Sequence[Resource]:
        keys: Row
        match group, kind:
            case None, None:
                query, keys = "resources_after", ()
            case _, None:
                query, keys = "resources_of_group_after", (group,)
            case None, str():
                query, keys = "resources_of_kind_after", (kind.lower(),)
            case _:
                query, keys = "resources_of_kind_in_group_after", (group, kind.lower())
        return self._bodies(SQL[query], (*keys, after, limit), codec.to_resource)

    def resources_of_machine(self, scope: str, machine: str) -> Sequence[Resource]:
        return self._bodies(SQL["resources_of_machine"], (scope, machine), codec.to_resource)

    def job(self, job: str) -> Job | None:
        return self._body(SQL["job"], (job,), codec.to_job)

    # What is told outside

    def list_published(self, *, after: str = "", limit: int = 1000) -> Sequence[Notice]:
        return self._bodies(SQL["published_after"], (after, limit), codec.to_notice)

    def delivery(self, notice: str, subscription: str) -> Delivery | None:
        row = self._execute(SQL["delivery"], (notice, subscription)).fetchone()
        return None if row is None else codec.to_delivery(row)

    def subscriptions_waiting(self, wall: datetime) -> Sequence[str]:
        """From one to the next: each may have many deliveries."""
        moment, found, after = codec.to_micros(wall), [], ""
        while row := self._execute(SQL["subscription_waiting_after"], (after, moment, moment)).fetchone():
            after = row[0]
            found.append(after)
        return found

    def next_delivery(self, after: datetime) -> datetime | None:
        return self._moment(SQL["next_delivery"], (codec.to_micros(after),))

    # Campaigns, notes, answers

    def campaign(self, campaign: str) -> Campaign | None:
        return self._body(SQL["campaign"], (campaign,), codec.to_campaign)

    def list_campaigns(self, *, after: str = "", limit: int = 1000) -> Sequence[Campaign]:
        return self._bodies(SQL["campaigns_after"], (after, limit), codec.to_campaign)

    def note(self, key: str) -> str | None:
        return self._body(SQL["note"], (key,), str)

    def answer(self, key: str) -> str | None:
        return self._body(SQL["answer"], (key,), str)

    # Rows into values

    def _body(self, query: str, keys: Row, decode: Callable[[str], T]) -> T | None:
        row = self._execute(query, keys).fetchone()
        return None if row is None else decode(row[0])

    def _bodies(self, query: str, keys: Row, decode: Callable[[str], T]) -> list[T]:
        return [decode(row[0]) for row in self._execute(query, keys).fetchall()]

    def _moment(self, query: str, keys: Row = ()) -> datetime | None:
        micros = self._execute(query, keys).fetchone()[0]
        return None if micros is None else codec.to_moment(micros)


def _page(found: list[Item], after: str, limit: int) -> list[Item]:
    """What is live is little: it is sorted here, and no index of its own makes every write dearer."""
    return sorted((item for item in found if item.id > after), key=attrgetter("id"))[:limit]
