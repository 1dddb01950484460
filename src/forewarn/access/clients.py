"""Service principals: those who log in with a client id and a secret.

The local one is in the data directory; others are kept in the store, without their secrets.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence

import msgspec

from forewarn.access.audit import Audit
from forewarn.access.files import Local
from forewarn.access.notes import ListNote
from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Actor
from forewarn.domain.history import Entry, What
from forewarn.engine.ports import Transaction

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,63}")
MOST = 1000


class Client(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    name: str
    secret_digest: str


NOTE = ListNote("access/clients", Client)


class Clients:
    def __init__(self, local: Local, audit: Audit, kept: Iterable[Client] = ()) -> None:
        self._local = Client(id=local.client_id, name=local.client_id, secret_digest=digest(local.client_secret))
        self._audit = audit
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

    async def add(self, client_id: str, *, secret: str, by: Actor) -> Client:
        """`secret`: random and long, since a digest without salt is all that is kept of it."""
        if not NAME.fullmatch(client_id):
            raise Invalid(f"{client_id[:200]!r} is no name for a client: up to 64 letters, digits, dots and dashes.")
        new = Client(id=client_id, name=client_id, secret_digest=digest(secret))

        def work(tx: Transaction) -> tuple[tuple[Client, ...], list[Entry]]:
            kept = NOTE.read(tx)
            if client_id in {self._local.id, *(client.id for client in kept)}:
                raise Conflict(f"There is a client {client_id} already: choose another name, or remove that one first.")
            if len(kept) >= MOST:
                raise Conflict(f"There are {MOST} clients, and there may be no more: remove one first.")
            return NOTE.write(tx, (*kept, new)), [self._audit.entry(by, What.ADMITTED, client_id)]

        await self._audit.run(work, self._take)
        return new

    async def remove(self, client_id: str, by: Actor) -> Client:
        """It cannot log in any more. A token that it has holds until it expires: take its roles away too."""
        if client_id == self._local.id:
            raise Conflict("The local login is whoever can read the data directory: it cannot be removed.")

        def work(tx: Transaction) -> tuple[tuple[tuple[Client, ...], Client], list[Entry]]:
            kept = NOTE.read(tx)
            gone = next((client for client in kept if client.id == client_id), None)
            if gone is None:
                raise NotFound(f"There is no client {client_id[:200]}. `forewarn client list` lists those there are.")
            left = NOTE.write(tx, tuple(client for client in kept if client is not gone))
            return (left, gone), [self._audit.entry(by, What.EXPELLED, client_id)]

        _, gone = await self._audit.run(work, lambda done: self._take(done[0]))
        return gone

    def _take(self, kept: tuple[Client, ...]) -> None:
        self._by_id = {client.id: client for client in (*kept, self._local)}


async def load_clients(local: Local, audit: Audit) -> Clients:
    return Clients(local, audit, await audit.store.read(NOTE.read))


def digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()
