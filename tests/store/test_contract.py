"""Every store keeps every promise."""

import asyncio
from pathlib import Path

import pytest

from forewarn.engine.ports import Store
from forewarn.store.memory import MemoryStore
from forewarn.store.sqlite import open_store
from forewarn.testing.contracts import CHECKS, DURABLE, Check, DurableCheck


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_a_store_keeps_its_promise(kind: str, check: Check, tmp_path: Path) -> None:
    async def run() -> None:
        store: Store = MemoryStore() if kind == "memory" else open_store(tmp_path / "data")
        try:
            await check(store)
        finally:
            await store.close()

    asyncio.run(run())


@pytest.mark.parametrize("check", DURABLE, ids=lambda check: check.__name__)
def test_a_store_on_disk_outlives_its_process(check: DurableCheck, tmp_path: Path) -> None:
    async def open_again() -> Store:
        return open_store(tmp_path)

    asyncio.run(check(open_again))  # type: ignore[arg-type]
