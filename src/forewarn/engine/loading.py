"""Taking over a declared fleet: all of it, or none.

The declaration says which machines there are and what they are like; what has happened to them since (power, events,
enrolment) stays as it is. A machine that is no longer declared leaves.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Set
from datetime import datetime
from ipaddress import IPv4Address
from itertools import islice

import msgspec
from msgspec.structs import replace

from forewarn.domain import approving, outcomes
from forewarn.domain.describing import described, numbered
from forewarn.domain.draft import Change, Draft
from forewarn.domain.events import Actor
from forewarn.domain.fleet import FIRST_ADDRESS, Fleet, with_addresses
from forewarn.domain.machines import Machine
from forewarn.domain.resources import GROUP, Resource
from forewarn.domain.scopes import Scope
from forewarn.domain.settings import Settings
from forewarn.domain.starting import settle
from forewarn.engine import leaving
from forewarn.engine.locking import lock_known
from forewarn.engine.ports import Reader, Transaction
from forewarn.engine.publishing import published
from forewarn.engine.walking import every_machine

FLEET_NOTE = "fleet"  # the declaration last taken over, as it was written
SETTINGS_NOTE = "settings"
ADDRESS_NOTE = "next-address"
LOADER = Actor.system("fleet")
AT_A_TIME = 100
"""So many resources are in memory, however large the fleet is; few, so that the collector need not walk over them."""


def take_over(tx: Transaction, fleet: Fleet, now: datetime, new_id: Callable[[], str]) -> Change:
    """What has to change so that the store holds the declared fleet."""
    leave = leavers(tx, fleet)
    draft = Draft(lock_known(tx, {*(s.id for s in fleet.scopes), *(m.scope for m in leave)}), now)
    known = list(draft.scopes)
    scopes, resources = described(fleet.scopes, fleet.machines)
    for scope in scopes:
        held = draft.scopes.get(scope.id)
        draft.put_scope(_redeclared(held, scope) if held else replace(scope, epoch=leaving.next_epoch(tx)))
        if held is not None and scope.approval is not None:
            approving.set_policy(draft, scope.id, scope.approval, LOADER)
    _describe(tx, resources, now)
    draft.machines += _placed(tx, fleet, now, new_id)
    for machine in leave:
        outcomes.remove_machine(draft, machine, LOADER)
    outcomes.recount(draft, known, tx.machines)
    settle(draft)
    tx.put_note(SETTINGS_NOTE, msgspec.json.encode(fleet.settings).decode())
    leaving.follow(tx, draft)
    return published(tx, draft.seal(fleet.settings), now)


def _describe(tx: Transaction, resources: Iterator[Resource], now: datetime) -> None:
    """Before anybody leaves: who is declared elsewhere now keeps what stands for it."""
    while batch := tuple(islice(resources, AT_A_TIME)):
        tx.save(Change(resources=tuple(_redescribed(each, tx.resource(each.key), now) for each in batch)))


def _redescribed(resource: Resource, known: Resource | None, now: datetime) -> Resource:
    """The file has the say over what it names; numbers given to instances are not given again."""
    if known is None:
        return replace(resource, created_at=now)
    if known.type == GROUP:
        return known  # which the file only mentions
    return replace(
        resource,
        counter=max(resource.counter, known.counter),
        version=known.version + 1,
        model=known.model,
        leaving=known.leaving,
        created_at=known.created_at,
    )


def _placed(tx: Transaction, fleet: Fleet, now: datetime, new_id: Callable[[], str]) -> list[Machine]:
    """The declared machines, scope by scope, each with what it keeps and an address of its own."""
    claimed = {machine.address for machine in fleet.machines}
    declared: dict[str, list[Machine]] = defaultdict(list)
    for machine in fleet.machines:
        declared[machine.scope].append(machine)
    kept: list[Machine] = []
    for scope in fleet.scopes:
        stored = {machine.name: machine for machine in tx.machines(scope.id)}
        for machine in declared[scope.id]:
            known = stored.get(machine.name)
            made = _kept(machine, known, claimed, now) if known else _made(machine, now, new_id)
            kept.append(numbered(made, scope))
    first = IPv4Address(tx.note(ADDRESS_NOTE) or str(FIRST_ADDRESS))
    placed, left = with_addresses(kept, first)
    tx.put_note(ADDRESS_NOTE, str(left))
    return placed


def _made(machine: Machine, now: datetime, new_id: Callable[[], str]) -> Machine:
    profile = machine.profile
    return replace(
        machine, created_at=machine.created_at or now, profile=replace(profile, vm_id=profile.vm_id or new_id().lower())
    )


def _kept(machine: Machine, known: Machine, claimed: Set[str], now: datetime) -> Machine:
    """`claimed`: addresses that somebody asks for by name; who had one of them by chance gets another."""
    return replace(
        machine,
        address=machine.address or ("" if known.address in claimed else known.address),
        power=known.power,
        instance=known.instance,
        model=known.model,
        keep_on_scale_in=known.keep_on_scale_in,
        keep_as_it_is=known.keep_as_it_is,
        created_at=known.created_at or now,
        changed_at=known.changed_at,
        profile=replace(machine.profile, vm_id=machine.profile.vm_id or known.profile.vm_id),
    )


def leavers(reader: Reader, fleet: Fleet) -> list[Machine]:
    """The stored machines that were declared, and are not any more."""
    declared = {(machine.scope, machine.name) for machine in fleet.machines}
    return [m for m in every_machine(reader) if m.declared and (m.scope, m.name) not in declared]


def without_deleted(reader: Reader, fleet: Fleet, before: Fleet) -> Fleet:
    """The fleet without the machines that were declared before and are not there any more."""
    known = {(machine.scope, machine.name) for scope in before.scopes for machine in reader.machines(scope.id)}
    deleted = {(machine.scope, machine.name) for machine in before.machines} - known
    machines = tuple(machine for machine in fleet.machines if (machine.scope, machine.name) not in deleted)
    deserted = {machine.scope for machine in fleet.machines} - {machine.scope for machine in machines}
    return replace(fleet, machines=machines, scopes=tuple(scope for scope in fleet.scopes if scope.id not in deserted))


def stored_settings(reader: Reader) -> Settings:
    text = reader.note(SETTINGS_NOTE)
    return msgspec.json.decode(text, type=Settings) if text else Settings()


def _redeclared(known: Scope, declared: Scope) -> Scope:
    return replace(
        known,
        kind=declared.kind,
        scale_set=declared.scale_set,
        policy=declared.policy,
        owner=declared.owner or known.owner,
        update_domains=declared.update_domains,
        fault_domains=declared.fault_domains,
    )
