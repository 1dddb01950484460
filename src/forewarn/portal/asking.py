"""Reading what a query or a form says. What makes no sense is as if it was not there."""

from enum import Enum
from typing import TypeVar

E = TypeVar("E", bound=Enum)


def one_of(kind: type[E], value: str, default: E) -> E:
    return next((member for member in kind if member.value == value), default)


def number(text: str, default: int) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 8 else default
