"""Reading what a query or a form says; what makes no sense is as if it was not there."""

from enum import Enum
from typing import TypeVar

E = TypeVar("E", bound=Enum)


def one_of(kind: type[E], value: str) -> E | None:
    return next((member for member in kind if member.value == value), None)


def a_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 16 else None
