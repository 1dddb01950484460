"""Walking over everything of a kind, which the store gives in pages.

`every_…` is one look: what it finds was true at one moment, and whoever waits for the store waits for all of it.
`pages_of_…` takes a look per page, so that others get their turn in between.
"""

from collections.abc import AsyncIterator, Iterator, Sequence

from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.engine.ports import Reader, Store

PAGE = 1000


def every_scope(reader: Reader, *, campaign: str | None = None) -> Iterator[Scope]:
    """All of them, or those that a campaign walks through now."""
    after = ""
    while page := reader.list_scopes(after=after, limit=PAGE, campaign=campaign):
        yield from page
        after = page[-1].id


def every_machine(reader: Reader) -> Iterator[Machine]:
    after = ("", "")
    while page := reader.list_machines(after=after, limit=PAGE):
        yield from page
        after = (page[-1].scope, page[-1].name)


async def pages_of_scopes(store: Store) -> AsyncIterator[Sequence[Scope]]:
    def look(reader: Reader) -> Sequence[Scope]:
        return reader.list_scopes(after=after, limit=PAGE)

    after = ""
    while page := await store.read(look):
        yield page
        after = page[-1].id


async def pages_of_machines(store: Store) -> AsyncIterator[Sequence[Machine]]:
    def look(reader: Reader) -> Sequence[Machine]:
        return reader.list_machines(after=after, limit=PAGE)

    after = ("", "")
    while page := await store.read(look):
        yield page
        after = (page[-1].scope, page[-1].name)
