"""Lists come in pages. A page may be shorter than its limit; the list is over when there is no `next`."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, TypeVar

from msgspec import Meta, Struct

from forewarn.engine.ports import Reader, Store

T = TypeVar("T")
K = TypeVar("K")

Limit = Annotated[int, Meta(ge=1, le=1000, description="items on a page, at most")]
After = Annotated[str, Meta(max_length=200, description="where the page before ended: its `next`")]
AT_A_TIME = 1000
SCAN = 5 * AT_A_TIME
"""How many items a filter looks at for one page."""


class PageQuery(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    limit: Limit = 100
    after: After = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[T, K]):
    items: list[T]
    next: K | None  # the key to go on from; None at the end of the list


def page_among(items: Iterable[T], key: Callable[[T], str], query: PageQuery) -> Page[T, str]:
    """A page of what is all in memory, by key."""
    later = sorted((item for item in items if key(item) > query.after), key=key)
    page = later[: query.limit]
    return Page(items=page, next=key(page[-1]) if len(later) > len(page) else None)


async def page_of(
    store: Store,
    pages: Callable[[Reader, K, int], Sequence[T]],
    key: Callable[[T], K],
    *,
    after: K,
    limit: int,
    keep: Callable[[T], bool] | None = None,
) -> Page[T, K]:
    """Up to `limit` items that `keep` lets through."""
    kept: list[T] = []
    seen = 0
    wanted = limit + 1 if keep is None else AT_A_TIME
    while len(kept) < limit and seen < SCAN:
        page = await store.read(lambda r, a=after: pages(r, a, wanted))  # type: ignore[misc]
        for item in page:
            if len(kept) == limit:
                return Page(items=kept, next=after)
            after = key(item)
            if keep is None or keep(item):
                kept.append(item)
        if len(page) < wanted:
            return Page(items=kept, next=None)
        seen += len(page)
    return Page(items=kept, next=after)
