"""What the checks are written with."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from msgspec.structs import replace

from forewarn.domain.campaigns import CampaignState
from forewarn.domain.draft import Change, Revision
from forewarn.domain.events import Phase
from forewarn.domain.history import Entry
from forewarn.domain.machines import Power
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader, Store, Transaction
from forewarn.testing.builders import (
    NOON,
    a_campaign,
    a_delivery,
    a_job,
    a_machine,
    a_notice,
    a_resource,
    a_scope,
    a_scope_with,
    an_action,
    an_entry,
    an_event,
    an_operation,
    operation_of,
)

Open: TypeAlias = Callable[[], Awaitable[Store]]

MINUTE = timedelta(minutes=1)
DOWN = {"power": Power.STOPPED}


class Lost(Exception):
    """Raised by a work that is to fail."""


def snapshot(reader: Reader) -> tuple[object, ...]:
    """Everything a reader can see, to be compared as a whole."""
    actions = {(o.id, name) for o in reader.list_operations(live=False) for name in o.machines}
    return (
        list(reader.list_scopes()),
        list(reader.list_machines()),
        list(reader.list_events(live=False)),
        list(reader.list_operations(live=False)),
        list(reader.list_campaigns()),
        [reader.action(*key) for key in sorted(actions)],
        list(reader.history()),
        reader.last_entry(),
        reader.next_due(),
        reader.next_action(),
        list(reader.list_resources()),
        [reader.job(name) for name in ("JOB", "JOB2")],
        list(reader.list_published()),
        list(reader.subscriptions_waiting(NOON)),
        reader.note("k"),
        reader.answer("k"),
    )


async def furnish(store: Store) -> None:
    def work(tx: Transaction) -> None:
        scope = a_scope_with([an_event("E", operation="o")], enrolled_at=NOON)
        tx.save(
            Change(
                revisions=(new(scope, NOON),),
                machines=(a_machine("vm", "s"), a_machine("v2", "s", **DOWN)),
                actions=(an_action("o"),),
                entries=(an_entry("E", "s"),),
                resources=(a_resource("vm", scope="s", machine="vm"), a_resource("v2")),
                jobs=(a_job(),),
                notices=(a_notice("E"),),
                deliveries=(a_delivery("E", "first"), a_delivery("E", "second")),
            )
        )
        tx.save_campaign(a_campaign())
        tx.put_note("k", "note")
        tx.put_answer("k", "answer", NOON)

    await store.run(work)


def overturn(tx: Transaction) -> None:
    """Change a little of everything `furnish` made."""
    (scope,) = tx.lock("s")
    events = (replace(scope.events[0], phase=Phase.CANCELED), an_event("F", operation="p"))
    after = replace(moved(scope), events=events, operations=(*map(operation_of, events), an_operation("q")))
    tx.lease(NOON, NOON, NOON + MINUTE, 1)
    tx.lease_deliveries("second", NOON, NOON + MINUTE, 1)
    tx.save(
        Change(
            revisions=(Revision(before=scope, after=after, due=None), new(a_scope("t"), NOON - MINUTE)),
            machines=(a_machine("vm", "s", **DOWN), a_machine("v3", "s")),
            gone=(("s", "v2"),),
            actions=(an_action("p"),),
            finished=(("o", "vm"),),
            entries=(an_entry("E", "s"), an_entry("F", "t")),
            resources=(a_resource("vm", leaving=True), a_resource("v3")),
            dropped=(a_resource("v2").key,),
            jobs=(a_job("JOB2"), a_job(message="changed")),
            notices=(a_notice("F"),),
            withdrawn=("E",),
            deliveries=(a_delivery("F", "third"),),
            delivered=(a_delivery("E", "first").key,),
        )
    )
    tx.mark_seen("t", NOON, NOON)
    tx.save_campaign(a_campaign(state=CampaignState.CANCELED))
    tx.put_note("k", "changed")
    tx.put_answer("k", "changed", NOON)


def new(scope: Scope, due: datetime | None = None) -> Revision:
    return Revision(before=None, after=scope, due=due)


def moved(scope: Scope) -> Scope:
    return replace(scope, incarnation=scope.incarnation + 1)


async def save(store: Store, **parts: Any) -> Sequence[Entry]:
    return await store.run(lambda tx: tx.save(Change(**parts)))


async def add(store: Store, *scopes: Scope, due: datetime | None = None) -> None:
    await save(store, revisions=tuple(new(scope, due) for scope in scopes))


async def change(store: Store, before: Scope, after: Scope, due: datetime | None = None) -> None:
    await save(store, revisions=(Revision(before=before, after=after, due=due),))


async def the_scope(store: Store, name: str) -> Scope:
    scope = await store.read(lambda r: r.scope(name))
    assert scope is not None, name
    return scope


async def lease(store: Store, now: datetime, wall: datetime, limit: int = 10) -> Sequence[Any]:
    return await store.run(lambda tx: tx.lease(now, wall, wall + MINUTE, limit))


async def expect(kind: type[BaseException], call: Awaitable[object]) -> None:
    try:
        await call
    except kind:
        return
    raise AssertionError(f"expected {kind.__name__}")
