"""Who logs in with a client id and a secret."""

import asyncio

import pytest

from forewarn.access.clients import NOTE, Clients, load_clients
from forewarn.domain.errors import Conflict
from forewarn.store.memory import MemoryStore
from tests.access.making import LOCAL, SECRET


def test_the_local_login_needs_its_secret() -> None:
    clients = Clients(LOCAL, MemoryStore())
    known = clients.check("local", SECRET)
    assert known is not None
    assert known.name == "local"
    for client_id, secret in [("local", ""), ("local", SECRET + "x"), ("Local", SECRET), ("", SECRET), ("x", "é")]:
        assert clients.check(client_id, secret) is None


def test_another_one_is_kept_without_its_secret() -> None:
    async def story() -> None:
        store = MemoryStore()
        clients = await load_clients(LOCAL, store)
        await clients.add("ci", name="the build", secret="long-and-random")
        for known in (clients, await load_clients(LOCAL, store)):
            found = known.check("ci", "long-and-random")
            assert found is not None
            assert found.name == "the build"
            assert known.check("ci", SECRET) is None
            assert known.check("local", "long-and-random") is None
        assert "long-and-random" not in str(await store.read(lambda reader: reader.note(NOTE)))
        for taken in ("ci", "local"):
            with pytest.raises(Conflict):
                await clients.add(taken, name="", secret="x")

    asyncio.run(story())
