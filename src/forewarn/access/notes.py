"""Lists that are short, read as a whole and written as a whole: each is one note of the store."""

from typing import Generic, TypeVar

import msgspec

from forewarn.engine.ports import Reader, Transaction

T = TypeVar("T", bound=msgspec.Struct)


class ListNote(Generic[T]):
    def __init__(self, key: str, kind: type[T]) -> None:
        self.key = key
        self._decoder = msgspec.json.Decoder(tuple[kind, ...])  # type: ignore[valid-type]

    def read(self, reader: Reader) -> tuple[T, ...]:
        text = reader.note(self.key)
        return () if text is None else self._decoder.decode(text)

    def write(self, tx: Transaction, values: tuple[T, ...]) -> tuple[T, ...]:
        """What is kept from now on, for whoever goes on with it."""
        tx.put_note(self.key, msgspec.json.encode(values).decode())
        return values
