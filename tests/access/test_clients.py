"""Who logs in with a client id and a secret."""

import asyncio

import pytest

from forewarn.access.audit import Audit
from forewarn.access.clients import NOTE, Clients, load_clients
from forewarn.domain.errors import Conflict, Invalid, NotFound
from forewarn.domain.events import Actor
from forewarn.store.memory import MemoryStore
from forewarn.testing.builders import NOON
from tests.access.making import LOCAL, SECRET

ANN = Actor.user("ann")


def test_the_local_login_needs_its_secret() -> None:
    clients = Clients(LOCAL, Audit(MemoryStore(), lambda: NOON))
    known = clients.check("local", SECRET)
    assert known is not None
    assert known.name == "local"
    for client_id, secret in [("local", ""), ("local", SECRET + "x"), ("Local", SECRET), ("", SECRET), ("x", "é")]:
        assert clients.check(client_id, secret) is None


def test_another_one_is_kept_without_its_secret_until_it_is_removed() -> None:
    async def story() -> None:
        audit = Audit(MemoryStore(), lambda: NOON)
        clients = await load_clients(LOCAL, audit)
        await clients.add("ci", secret="long-and-random", by=ANN)
        for known in (clients, await load_clients(LOCAL, audit)):
            assert known.check("ci", "long-and-random") is not None
            assert known.check("ci", SECRET) is None
            assert known.check("local", "long-and-random") is None
        assert "long-and-random" not in str(await audit.store.read(lambda reader: reader.note(NOTE.key)))
        for taken in ("ci", "local"):
            with pytest.raises(Conflict):
                await clients.add(taken, secret="x", by=ANN)
        await clients.remove("ci", ANN)
        for known in (clients, await load_clients(LOCAL, audit)):
            assert known.check("ci", "long-and-random") is None
        told = await audit.store.read(lambda reader: reader.history())
        assert [(str(entry.who), entry.what.value, entry.subject) for entry in told] == [
            ("user:ann", "admitted", "ci"),
            ("user:ann", "expelled", "ci"),
        ]

    asyncio.run(story())


@pytest.mark.parametrize("name", ["", "machine:db-0", "a b", "-rf", "x" * 65, "ä"])
def test_a_name_that_could_be_taken_for_something_else_is_refused(name: str) -> None:
    clients = Clients(LOCAL, Audit(MemoryStore(), lambda: NOON))
    with pytest.raises(Invalid):
        asyncio.run(clients.add(name, secret="x", by=ANN))


def test_the_local_one_cannot_be_removed_nor_one_that_is_not_there() -> None:
    clients = Clients(LOCAL, Audit(MemoryStore(), lambda: NOON))
    with pytest.raises(Conflict):
        asyncio.run(clients.remove("local", ANN))
    with pytest.raises(NotFound):
        asyncio.run(clients.remove("nobody", ANN))
