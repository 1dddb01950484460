"""What every store must keep, as plain asserts that need no test framework: run `check_store` on your own.

Each check gets a store that holds nothing yet. Those of DURABLE get the way to open one instead, and open the same
place more than once.
"""

from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from types import ModuleType
from typing import Any, TypeAlias

from forewarn.engine.ports import Store
from forewarn.testing.store_checks import (
    events,
    history,
    lasting,
    machines,
    outbox,
    publication,
    resources,
    scopes,
    works,
)
from forewarn.testing.store_checks.tools import Open

Check: TypeAlias = Callable[[Store], Awaitable[None]]
DurableCheck: TypeAlias = Callable[[Open], Awaitable[None]]


def _checks_in(*modules: ModuleType) -> list[Any]:
    return [
        check
        for module in modules
        for check in vars(module).values()
        if iscoroutinefunction(check) and check.__module__ == module.__name__
    ]


CHECKS: list[Check] = _checks_in(scopes, machines, events, outbox, publication, history, resources, works)
DURABLE: list[DurableCheck] = _checks_in(lasting)


async def check_store(new_store: Open, *, reopen: Callable[[], Open] | None = None) -> None:
    """Run every check. `new_store` gives an empty store each time.

    `reopen`, for stores that outlive their process, gives a new place each time it is called, and so a way to open that
    place again and again.
    """
    for check in CHECKS:
        store = await new_store()
        try:
            await check(store)
        finally:
            await store.close()
    if reopen is not None:
        for durable in DURABLE:
            await durable(reopen())
