"""Service principals: those who log in with a client id and a secret.

The local one is in the data directory; others are kept in the store, without their secrets.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence

import msgspec

from forewarn.access.files import Local
from forewarn.domain.errors import Conflict
from forewarn.engine.ports import Store, Transaction

NOTE = "access/clients"


class Client(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    secret_digest: str


class Clients:
    def __init__(self, local: Local, store: Store, kept: Iterable[Client] = ()) -> None:
        self._local = Client(id=local.client_id, name=local.client_id, secret_digest=digest(local.client_secret))
        self._store = store
        self._take(tuple(kept))

    def check(self, client_id: str, secret: str) -> Client | None:
        """The client, if that is its secret. It takes as long to find out that there is no such client."""
        known = self._by_id.get(client_id)
        right = hmac.compare_digest((known or self._local).secret_digest, digest(secret))
        return known if right else None

    def knows(self, client_id: str) -> bool:
        return client_id in self._by_id

    def list(self) -> Sequence[Client]:
        return tuple(self._by_id.values())

    async def add(self, client_id: str, *, name: str, secret: str) -> None:
        """`secret`: random and long, since a digest without salt is all that is kept of it."""
        new = Client(id=client_id, name=name, secret_digest=digest(secret))

        def work(tx: Transaction) -> tuple[Client, ...]:
            kept = decode(tx.note(NOTE))
            if client_id in {self._local.id, *(client.id for client in kept)}:
                raise Conflict(f"There is a client {client_id[:200]} already: choose another id.")
            after = (*kept, new)
            tx.put_note(NOTE, msgspec.json.encode(after).decode())
            return after

        await self._store.run(work, self._take)

    def _take(self, kept: tuple[Client, ...]) -> None:
        self._by_id = {client.id: client for client in (*kept, self._local)}


async def load_clients(local: Local, store: Store) -> Clients:
    return Clients(local, store, decode(await store.read(lambda reader: reader.note(NOTE))))


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def decode(note: str | None) -> tuple[Client, ...]:
    return msgspec.json.decode(note, type=tuple[Client, ...]) if note is not None else ()
