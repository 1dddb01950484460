"""A machine's roles end with the machine: one that is made later under the same name begins without any."""

import asyncio
import logging
from collections.abc import Sequence

from forewarn.access.service import Access
from forewarn.domain.access import MACHINE, machine_principal
from forewarn.domain.errors import Unavailable
from forewarn.domain.events import Actor
from forewarn.engine.ports import Reader, Store

log = logging.getLogger(__name__)
GONE = Actor.system("the machine is gone")


class Departures:
    def __init__(self, access: Access, store: Store) -> None:
        self._access = access
        self._store = store
        self._left: set[str] = set()
        self._woken = asyncio.Event()

    def note(self, gone: Sequence[tuple[str, str]]) -> None:
        """These machines are no more: (scope, name). Does not wait."""
        if not gone:
            return
        principals = [machine_principal(scope, name) for scope, name in gone]
        left = self._held() & {*principals, *map(self._access.object_id, principals)}
        if left:
            self._left |= left
            self._woken.set()

    async def run(self) -> None:
        """At first, what a process that ended at the wrong moment has left to do."""
        self._left |= await self._store.read(self._missing)
        while True:
            left, self._left = self._left, set()
            try:
                if left:
                    await self._access.assignments.forget(left, GONE)
            except Unavailable:
                log.warning("roles of machines that are gone could not be taken away; it is tried again", exc_info=True)
                self._left |= left
            await self._woken.wait()
            self._woken.clear()

    def _held(self) -> set[str]:
        return {given.principal for given in self._access.assignments.list()}

    def _missing(self, reader: Reader) -> set[str]:
        machines = {held for held in self._held() if held.startswith(MACHINE)}
        return {held for held in machines if not _is_there(reader, held.removeprefix(MACHINE))}


def _is_there(reader: Reader, machine: str) -> bool:
    scope, _, name = machine.rpartition("/")
    return bool(reader.machines(scope, [name]))
