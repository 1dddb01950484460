"""Taking over a declared fleet: all of it, or none.

The declaration says which machines there are and what they are like; what has happened to them since (power, events,
enrolment) stays as it is. A machine that is no longer declared leaves.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from datetime import datetime
from ipaddress import IPv4Address

import msgspec
from msgspec.structs import replace

from forewarn.domain import outcomes
from forewarn.domain.draft import Change, Draft, Revision, next_due
from forewarn.domain.events import Actor
from forewarn.domain.fleet import FIRST_ADDRESS, Fleet, with_addresses
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle
from forewarn.engine.locking import lock_known
from forewarn.engine.ports import Reader, Transaction

FLEET_NOTE = "fleet"  # the declaration last taken over, as it was written
SETTINGS_NOTE = "settings"
ADDRESS_NOTE = "next-address"
LOADER = Actor.system("fleet")


def take_over(tx: Transaction, fleet: Fleet, now: datetime, new_id: Callable[[], str]) -> Change:
    """What has to change so that the store holds the declared fleet."""
    leaving = leavers(tx, fleet)
    draft = Draft(lock_known(tx, {*(s.id for s in fleet.scopes), *(m.scope for m in leaving)}), now)
    known = {scope: tx.machines(scope) for scope in draft.scopes}
    for scope in fleet.scopes:
        if scope.id in known:
            draft.put_scope(_redeclared(draft.scopes[scope.id], scope))
    draft.machines += _placed(tx, fleet, known, new_id)
    for machine in leaving:
        outcomes.remove_machine(draft, machine, LOADER)
    for name, stored in known.items():
        outcomes.recount(draft, name, stored)
    settle(draft)
    tx.put_note(SETTINGS_NOTE, msgspec.json.encode(fleet.settings).decode())
    return _with_new(draft.seal(fleet.settings), [s for s in fleet.scopes if s.id not in known], fleet.settings)


def _with_new(change: Change, scopes: Iterable[Scope], settings: Settings) -> Change:
    born = (Revision(before=None, after=scope, due=next_due(scope, settings)) for scope in scopes)
    return replace(change, revisions=(*change.revisions, *born))


def _placed(
    tx: Transaction, fleet: Fleet, known: Mapping[str, Sequence[Machine]], new_id: Callable[[], str]
) -> list[Machine]:
    """The declared machines, scope by scope, each with what it keeps and an address of its own."""
    claimed = {machine.address for machine in fleet.machines}
    stored = {(machine.scope, machine.name): machine for members in known.values() for machine in members}
    declared: dict[str, list[Machine]] = defaultdict(list)
    for machine in fleet.machines:
        declared[machine.scope].append(_kept(machine, stored.get((machine.scope, machine.name)), claimed, new_id))
    first = IPv4Address(tx.note(ADDRESS_NOTE) or str(FIRST_ADDRESS))
    placed, left = with_addresses([machine for scope in fleet.scopes for machine in declared[scope.id]], first)
    tx.put_note(ADDRESS_NOTE, str(left))
    return placed


def leavers(reader: Reader, fleet: Fleet) -> list[Machine]:
    """The stored machines that the declaration does not know any more."""
    declared = {(machine.scope, machine.name) for machine in fleet.machines}
    leaving: list[Machine] = []
    after = ("", "")
    while page := reader.list_machines(after=after, limit=1000):
        leaving += [machine for machine in page if (machine.scope, machine.name) not in declared]
        after = (page[-1].scope, page[-1].name)
    return leaving


def stored_settings(reader: Reader) -> Settings:
    text = reader.note(SETTINGS_NOTE)
    return msgspec.json.decode(text, type=Settings) if text else Settings()


def _redeclared(known: Scope, declared: Scope) -> Scope:
    return replace(known, kind=declared.kind, scale_set=declared.scale_set, policy=declared.policy)


def _kept(machine: Machine, known: Machine | None, claimed: Set[str], new_id: Callable[[], str]) -> Machine:
    """`claimed`: addresses that somebody asks for by name; who had one of them by chance gets another."""
    if known is None:
        profile = machine.profile
        return replace(machine, profile=replace(profile, vm_id=profile.vm_id or new_id().lower()))
    vm_id = machine.profile.vm_id or known.profile.vm_id
    address = machine.address or ("" if known.address in claimed else known.address)
    return replace(machine, address=address, power=known.power, profile=replace(machine.profile, vm_id=vm_id))
