"""Watchers are told of every entry, and are woken for what is in no entry."""

import asyncio
from contextlib import aclosing

from forewarn.engine.hub import Hub
from forewarn.store.memory import MemoryStore
from tests.engine.desk import in_a_loop


@in_a_loop
async def test_a_nudge_is_an_empty_batch_at_once() -> None:
    hub = Hub(MemoryStore(), heartbeat=1000)
    async with aclosing(hub.follow(0)) as batches:
        waiting = asyncio.ensure_future(anext(batches))
        await asyncio.sleep(0)
        assert hub.watchers == 1
        hub.nudge()
        assert await waiting == ()


@in_a_loop
async def test_many_nudges_at_once_are_one() -> None:
    hub = Hub(MemoryStore(), heartbeat=0.01)
    async with aclosing(hub.follow(0)) as batches:
        assert await anext(batches) == ()  # the heartbeat
        for _ in range(100):
            hub.nudge()
        assert await anext(batches) == ()
        hub.close()
        assert [batch async for batch in batches] == []
