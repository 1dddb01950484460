"""A list of values in one note of the store."""

import asyncio

import msgspec

from forewarn.access.notes import ListNote
from forewarn.store.memory import MemoryStore


class Guest(msgspec.Struct, frozen=True):
    name: str


NOTE = ListNote("guests", Guest)


def test_what_was_written_is_read_and_nothing_before() -> None:
    guests = (Guest("a"), Guest("b"))

    async def story() -> None:
        store = MemoryStore()
        assert await store.read(NOTE.read) == ()
        assert await store.run(lambda tx: NOTE.write(tx, guests)) is guests
        assert await store.read(NOTE.read) == guests
        assert await store.read(lambda reader: reader.note("guests")) == '[{"name":"a"},{"name":"b"}]'

    asyncio.run(story())
