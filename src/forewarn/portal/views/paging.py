"""A long list, page by page."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True, slots=True)
class Page(Generic[T]):
    items: Sequence[T]
    number: int
    count: int
    """Pages there are."""
    found: int


def page_of(items: Sequence[T], number: int, size: int) -> Page[T]:
    """A page that is not there is the nearest that is."""
    count = max(1, -(-len(items) // size))
    number = min(max(number, 1), count)
    return Page(items=items[(number - 1) * size : number * size], number=number, count=count, found=len(items))
