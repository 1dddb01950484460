"""Taking over a declared fleet: all of it, or none.

The declaration says which machines there are and what they are like; what has happened to them since (power, events,
enrolment) stays as it is. A machine that is no longer declared leaves.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from ipaddress import IPv4Address

import msgspec

from forewarn.domain.draft import Change, Revision, next_due
from forewarn.domain.events import Actor
from forewarn.domain.fleet import FIRST_ADDRESS, Fleet, with_addresses
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.engine.ports import Reader, Transaction

FLEET_NOTE = "fleet"  # the fingerprint of the declaration last taken over
SETTINGS_NOTE = "settings"
ADDRESS_NOTE = "next-address"
LOADER = Actor.system("fleet")


def take_over(tx: Transaction, fleet: Fleet, now: datetime, new_id: Callable[[], str]) -> Change:
    """What has to change so that the store holds the declared fleet."""
    declared: dict[str, list[Machine]] = defaultdict(list)
    for machine in fleet.machines:
        declared[machine.scope].append(machine)
    revisions: list[Revision] = []
    machines: list[Machine] = []
    for scope in fleet.scopes:
        known = tx.scope(scope.id)
        after = scope if known is None else _redeclared(known, scope)
        revisions.append(Revision(before=known, after=after, due=next_due(after, fleet.settings)))
        stored = {machine.name: machine for machine in tx.machines(scope.id)} if known else {}
        machines += [_kept(machine, stored, new_id) for machine in declared[scope.id]]
    first = IPv4Address(tx.note(ADDRESS_NOTE) or str(FIRST_ADDRESS))
    placed, left = with_addresses(machines, first)
    tx.put_note(ADDRESS_NOTE, str(left))
    tx.put_note(SETTINGS_NOTE, msgspec.json.encode(fleet.settings).decode())
    return Change(revisions=tuple(revisions), machines=tuple(placed))


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


def _kept(machine: Machine, stored: Mapping[str, Machine], new_id: Callable[[], str]) -> Machine:
    known = stored.get(machine.name)
    if known is None:
        profile = machine.profile
        return replace(machine, profile=replace(profile, vm_id=profile.vm_id or new_id().lower()))
    vm_id = machine.profile.vm_id or known.profile.vm_id
    address = machine.address or known.address
    return replace(machine, address=address, power=known.power, profile=replace(machine.profile, vm_id=vm_id))
