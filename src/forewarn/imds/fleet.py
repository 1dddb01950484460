"""Who there is: address → machine, name → machine, scope → slot. All in memory, fed by `publish`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Protocol

from forewarn.domain.events import Document
from forewarn.domain.machines import Machine
from forewarn.imds.addresses import DEFAULT, fold
from forewarn.imds.slots import Guest, Slot
from forewarn.wire.instance import ScopeFacts


class Watcher(Protocol):
    def machines_changed(self) -> None:
        """Who is who may have changed."""
        ...

    def document_changed(self, slot: Slot, before: Document | None) -> None:
        """`before`: what the slot held until now; None: nothing."""
        ...


class Fleet:
    def __init__(self) -> None:
        self._slots: dict[str, Slot] = {}
        self._addresses: dict[str, Guest] = {}
        self._names: dict[str, Guest | None] | None = None  # None: to be made anew
        self._watchers: list[Watcher] = []
        self.deserted: frozenset[str] = frozenset()  # addresses of machines that have gone: nobody else is meant there

    def watch(self, watcher: Watcher) -> Callable[[], None]:
        """Call what is returned to watch no longer."""
        self._watchers.append(watcher)
        return lambda: self._watchers.remove(watcher)

    def publish(
        self,
        *,
        documents: Iterable[Document] = (),
        machines: Iterable[Machine] = (),
        gone: Iterable[tuple[str, str]] = (),
        facts: Mapping[str, ScopeFacts] | None = None,
        dissolved: Iterable[str] = (),
    ) -> None:
        """What a commit changed. Call it in the loop of the server, in the order of commits; it does not block."""
        for scope, known in (facts or {}).items():
            self._slot(scope).facts = known
        moved = [machine for machine in machines if self._admit(machine)]
        changed = [(slot, held) for slot, held, document in self._addressed(documents) if slot.offer(document)]
        left = [name for scope, name in gone if self._dismiss(scope, name)]
        for scope in dissolved:
            self._slots.pop(scope, None)
        if moved or left:
            self._names = None
        for watcher in list(self._watchers):
            if moved or left:
                watcher.machines_changed()
            for slot, held in changed:
                watcher.document_changed(slot, held)

    def at(self, address: str) -> Guest | None:
        return self._addresses.get(address)

    def known_as(self, scope: str, name: str) -> Guest | None:
        slot = self._slots.get(scope)
        return slot.guests.get(name) if slot else None

    def called(self, name: str) -> Guest | None:
        """The machine called NAME, or NAME.SCOPE where the name alone is not unique; letter case is ignored."""
        if self._names is None:
            self._names = self._name_all()
        return self._names.get(name.lower())

    def slot_of(self, scope: str) -> Slot | None:
        return self._slots.get(scope)

    def heard(self, scope: str) -> datetime | None:
        """When somebody there asked last, by the fleet's clock."""
        slot = self._slots.get(scope)
        return slot.seen if slot else None

    @property
    def first(self) -> Guest | None:
        return next(self._guests(), None)

    @property
    def addresses(self) -> Iterable[str]:
        return self._addresses.keys()

    def _guests(self) -> Iterator[Guest]:
        for slot in self._slots.values():
            yield from slot.guests.values()

    def _slot(self, scope: str) -> Slot:
        slot = self._slots.get(scope)
        if slot is None:
            slot = self._slots[scope] = Slot(scope)
        return slot

    def _addressed(self, documents: Iterable[Document]) -> Iterator[tuple[Slot, Document | None, Document]]:
        for document in documents:
            slot = self._slot(document.scope)
            yield slot, slot.document, document

    def _admit(self, machine: Machine) -> bool:
        """Whether it is new, or is to be found elsewhere now."""
        slot = self._slot(machine.scope)
        guest = slot.guests.get(machine.name)
        if guest is not None and guest.machine.address == machine.address:
            guest.machine = machine
            return False
        if guest is None:
            guest = slot.guests[machine.name] = Guest(machine, slot)
        else:
            self._forget_address(guest)
            guest.machine = machine
        if machine.address:
            self._addresses[fold(machine.address)] = guest
        return True

    def _dismiss(self, scope: str, name: str) -> bool:
        """Whether it was there."""
        slot = self._slots.get(scope)
        guest = slot.guests.pop(name, None) if slot else None
        if slot is None or guest is None:
            return False
        self._forget_address(guest)
        self.deserted |= DEFAULT & {fold(guest.machine.address)}
        return True

    def _forget_address(self, guest: Guest) -> None:
        address = fold(guest.machine.address)
        if self._addresses.get(address) is guest:
            del self._addresses[address]

    def _name_all(self) -> dict[str, Guest | None]:
        names: dict[str, Guest | None] = {}
        for guest in self._guests():
            name, scope = guest.machine.name.lower(), guest.machine.scope.lower()
            for label in (name, f"{name}.{scope}"):
                names[label] = None if label in names else guest
        return names
