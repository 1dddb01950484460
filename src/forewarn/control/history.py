"""The history: read it, and check that nobody changed it."""

from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.paging import Limit, page_of
from forewarn.control.views import EntryView, View, tell
from forewarn.domain.history import What, first_break

PAGE = 1000

Seq = Annotated[int, Meta(ge=0, le=2**62, description="entries with a greater sequence number")]


class HistoryQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Limit = 100
    after: Seq = 0
    scope: str | None = None
    subject: Annotated[str | None, Meta(description="the event, operation, machine, campaign or principal")] = None
    what: What | None = None


class History(View, frozen=True):
    items: list[EntryView]
    next: int | None
    last: int  # the newest entry there is


class Verdict(View, frozen=True):
    holds: bool
    entries: int  # checked
    scopes: int
    broken_scope: str | None = None  # the first scope whose chain does not hold
    broken_at: int | None = None  # the first entry that does not fit the one before it
    missing: int = 0  # entries that the sequence numbers tell of and no scope has


async def read_history(desk: Desk, ask: Ask[HistoryQuery, Nothing]) -> History:
    query, store = ask.query, desk.engine.store
    last = await store.read(lambda r: r.last_entry())
    page = await page_of(
        store,
        lambda r, after, limit: r.history(after=after, limit=limit, scope=query.scope, subject=query.subject),
        lambda entry: entry.seq,
        after=query.after,
        limit=query.limit,
        keep=None if query.what is None else lambda entry: entry.what is query.what,
    )
    return History(items=[tell(EntryView, entry) for entry in page.items], next=page.next, last=last)


async def verify(desk: Desk, ask: Ask[Nothing, Nothing]) -> Verdict:
    """Walk over all of it, each entry after the one before it in its scope; the scope may be gone by now."""
    store = desk.engine.store
    last = await store.read(lambda r: r.last_entry())
    checked, after, digests = 0, 0, dict[str, str]()
    while page := await store.read(lambda r, a=after: r.history(after=a, limit=PAGE)):  # type: ignore[misc]
        for entry in page:
            if first_break([entry], digests.get(entry.scope, "")) is not None:
                scopes = len(digests)
                return Verdict(
                    holds=False, entries=checked, scopes=scopes, broken_scope=entry.scope, broken_at=entry.seq
                )
            digests[entry.scope] = entry.digest
            checked += entry.seq <= last
        after = page[-1].seq
    return Verdict(holds=checked == last, entries=checked, scopes=len(digests), missing=last - checked)


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/history",
        does="Who did what, when, and what it changed; oldest first.",
        handler=read_history,
        query=HistoryQuery,
        answer=History,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/history/verify",
        does="Walk the whole history and say whether every entry still fits the one before it.",
        handler=verify,
        answer=Verdict,
    ),
)
