"""Tokens that are over before their time: somebody logged out. Kept until they would have expired anyway."""

import hashlib
from collections.abc import Iterable
from datetime import datetime

import msgspec

from forewarn.access.notes import ListNote
from forewarn.engine.ports import Store, Transaction

MOST = 1000
"""Beyond them, those that expire first count again until they do."""


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    digest: str
    until: datetime


NOTE = ListNote("access/ended-tokens", Ended)


class EndedTokens:
    def __init__(self, store: Store, kept: Iterable[Ended] = ()) -> None:
        self._store = store
        self._take(tuple(kept))

    def has(self, token: str) -> bool:
        return _digest(token) in self._digests

    async def add(self, token: str, until: datetime, now: datetime) -> None:
        """When this returns, it holds and is durable."""
        ended = Ended(digest=_digest(token), until=until)

        def work(tx: Transaction) -> tuple[Ended, ...]:
            others = (one for one in NOTE.read(tx) if one.until > now and one.digest != ended.digest)
            return NOTE.write(tx, tuple(sorted((*others, ended), key=lambda one: one.until)[-MOST:]))

        await self._store.run(work, self._take)

    def _take(self, kept: tuple[Ended, ...]) -> None:
        self._digests = frozenset(one.digest for one in kept)


async def load_ended(store: Store) -> EndedTokens:
    return EndedTokens(store, await store.read(NOTE.read))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
