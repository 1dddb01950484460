"""The machines, sets and services of a fleet file."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from forewarn.domain.consent import MOST as MOST_APPROVALS
from forewarn.domain.consent import ApprovalPolicy, Rule, policy_of
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.scalesets import base36
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from forewarn.domain.settings import Settings
from forewarn.wire.fleetspread import MOST, addresses, hosts, instances, placement_groups, zones
from forewarn.wire.tables import Table
from forewarn.wire.toml_lines import Path

UPDATE_DOMAINS, FAULT_DOMAINS = 5, 3
MOST_DOMAINS = 20
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])?")
ABOUT_IT = ("location", "resource_group", "subscription_id", "size", "os_type", "publisher", "offer", "sku", "version")
ITS_OWN = ("vm_id", "private_ip", "mac")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Seat:
    """Where one member of a set goes, unless its own table says otherwise."""

    scope: str
    name: str
    key: str  # of its own table
    place: int  # in its scope: decides the update and fault domain
    index: int  # in the whole set: decides the host and the address
    computer_name: str = ""
    zone: str = ""


class Groups:
    """Collects the scopes and machines of one file. The first thing wrong is raised."""

    def __init__(self, settings: Settings, profile: Table) -> None:
        self.scopes: list[Scope] = []
        self.machines: list[Machine] = []
        self._settings = settings
        self._names: dict[str, Path] = {}
        self._addresses: dict[str, Path] = {}
        self._base = self._about(profile, Machine(scope="", name=""))
        profile.close()

    def standalone(self, name: str, table: Table) -> None:
        self._take_name(name, table)
        self._open(name, ScopeKind.STANDALONE, table)
        self._add(self._member(table, self._base, scope=name, name=name), table)
        table.close()

    def availability_set(self, name: str, table: Table) -> None:
        self._take_name(name, table)
        self._open(name, ScopeKind.AVAILABILITY_SET, table)
        names = _member_names(name, table)
        seats = [_Seat(scope=name, name=n, key=n, place=i, index=i) for i, n in enumerate(names)]
        self._fill(table, table.table("machine", name), seats, self._about(table, self._base))
        table.close()

    def scale_set(self, name: str, table: Table) -> None:
        self._take_name(name, table)
        prefix = table.text("computer_name_prefix", name)
        seats: list[_Seat] = []
        for scope, zone, members in placement_groups(name, instances(table), zones(table)):
            self._open(scope, ScopeKind.PLACEMENT_GROUP, table, scale_set=name)
            seats += [
                _Seat(
                    scope=scope,
                    name=f"{name}_{instance}",
                    key=str(instance),
                    place=place,
                    index=index,
                    computer_name=prefix + base36(instance),
                    zone=zone,
                )
                for place, (index, instance) in enumerate(members)
            ]
        self._fill(table, table.table("instance", name), seats, self._about(table, self._base))
        table.close()

    def cloud_service(self, name: str, table: Table) -> None:
        self._take_name(name, table)
        self._open(name, ScopeKind.CLOUD_SERVICE, table)
        base = self._about(table, self._base)
        roles = list(table.table("role", name).tables())
        if not roles:
            raise table.wrong("", f"a cloud service has at least one role: [cloud_service.{name}.role.NAME]")
        table.close()
        for role, own in roles:
            _check_name(role, own)
            seats = [
                _Seat(scope=name, name=f"{role}_IN_{instance}", key=str(instance), place=index, index=index)
                for index, instance in enumerate(instances(own))
            ]
            self._fill(own, own.table("instance", own.label), seats, self._about(own, base))
            own.close()

    def _fill(self, table: Table, own: Table, seats: Sequence[_Seat], base: Machine) -> None:
        """Seat the members. `own` holds the tables of those that want something of their own."""
        update_domains = table.integer("update_domains", UPDATE_DOMAINS, 1, MOST_DOMAINS)
        fault_domains = table.integer("fault_domains", FAULT_DOMAINS, 1, MOST_DOMAINS)
        host_of = hosts(table)
        address_of = addresses(table, len(seats))
        tables = dict(own.tables())
        for seat in seats:
            machine = replace(
                base,
                scope=seat.scope,
                name=seat.name,
                computer_name=seat.computer_name,
                update_domain=seat.place % update_domains,
                fault_domain=seat.place % fault_domains,
                zone=seat.zone,
                address=address_of(seat.index),
            )
            machine = replace(machine, host=host_of(machine, seat.index)) if host_of else machine
            wishes = tables.pop(seat.key, None)
            if wishes is not None:
                machine = self._member(wishes, machine)
                wishes.close()
            self._add(machine, wishes or table)
        for key in tables:
            raise own.wrong(key, f'"{key}" is not one of its members')

    def _member(self, table: Table, machine: Machine, **changes: object) -> Machine:
        """The machine with what its own table says."""
        changes |= table.texts(("host", "zone", "computer_name"))
        for domain in ("update_domain", "fault_domain"):
            if domain in table:
                changes[domain] = table.integer(domain, 0, 0, MOST_DOMAINS - 1)
        if "address" in table:
            changes["address"] = table.address("address")
        return self._about(table, machine, ABOUT_IT + ITS_OWN, **changes)

    def _about(self, table: Table, base: Machine, about: tuple[str, ...] = ABOUT_IT, **changes: object) -> Machine:
        """The machine with what may be said of one, of a set, or of all; and the other changes."""
        profile: dict[str, object] = {**table.texts(about)}
        if "tags" in table:
            profile["tags"] = {**base.profile.tags, **table.map_of_texts("tags")}
        if profile:
            changes["profile"] = replace(base.profile, **profile)
        changes["priority"] = table.choice("priority", base.priority, Priority)
        changes["eviction_policy"] = table.choice("eviction_policy", base.eviction_policy, EvictionPolicy)
        changes["terminate_notice"] = table.duration(
            "terminate_notification", base.terminate_notice, self._settings.terminate_min, self._settings.terminate_max
        )
        machine = replace(base, **changes)
        if machine.is_spot and machine.terminate_notice is not None:
            key = "terminate_notification" if "terminate_notification" in table else "priority"
            raise table.wrong(key, "terminate_notification is not for Spot machines: they get Preempt, never Terminate")
        return machine

    def _open(self, scope: str, kind: ScopeKind, table: Table, scale_set: str | None = None) -> None:
        policy, approval = _policy(table), _approval(table)
        self.scopes.append(Scope(id=scope, kind=kind, policy=policy, approval=approval, scale_set=scale_set))

    def _add(self, machine: Machine, table: Table) -> None:
        self.machines.append(machine)
        if not machine.address:
            return
        taken = self._addresses.setdefault(machine.address, table.path)
        if taken is not table.path:
            key = "address" if "address" in table else "first_address"
            raise table.wrong(key, f"the address {machine.address} is already given on {{line}}", (*taken, "address"))

    def _take_name(self, name: str, table: Table) -> None:
        _check_name(name, table)
        taken = self._names.setdefault(name.casefold(), table.path)
        if taken is not table.path:
            raise table.wrong("", f'the name "{name}" is already taken on {{line}}', taken)


def _check_name(name: str, table: Table, key: str = "", item: int | None = None) -> None:
    if not NAME.fullmatch(name):
        reason = f'"{name[:80]}" is not a name: up to 64 letters, digits, dots, dashes and underscores'
        raise table.wrong(key, reason, item=item)


def _policy(table: Table) -> EventsPolicy:
    usual = EventsPolicy()
    if "events_policy" not in table:
        return usual
    wanted = table.table("events_policy", table.label)
    policy = EventsPolicy(
        approve_user_reboot=wanted.boolean("approve_user_reboot", usual.approve_user_reboot),
        approve_user_redeploy=wanted.boolean("approve_user_redeploy", usual.approve_user_redeploy),
        approve_all_instances_down=wanted.boolean("approve_all_instances_down", usual.approve_all_instances_down),
    )
    wanted.close()
    return policy


def _approval(table: Table) -> ApprovalPolicy | None:
    """None: the file has no say in it."""
    said = "approval_policy" in table
    rule = table.choice("approval_policy", Rule.FIRST, Rule)
    count = table.integer("approval_count", 0, 1, MOST_APPROVALS) or None
    if count is not None and rule is not Rule.K_OF_N:
        raise table.wrong("approval_count", f'approval_count is for approval_policy = "{Rule.K_OF_N.value}" only')
    if count is None and rule is Rule.K_OF_N:
        reason = f'approval_policy = "{Rule.K_OF_N.value}" needs approval_count = 2, or another number'
        raise table.wrong("approval_policy", reason)
    return policy_of(rule, count) if said else None


def _member_names(name: str, table: Table) -> Sequence[str]:
    """`machines` is a number or a list of names; without it, the members' own tables are the members."""
    match table.raw("machines"):
        case None:
            names: Sequence[str] = [member for member, _ in table.table("machine", name).tables()]
            if not names:
                raise table.wrong("", 'it has no machines: say machines = 3, or machines = ["a", "b"]')
        case list():
            names = table.list_of_texts("machines")
        case _:
            names = [f"{name}-{index}" for index in range(table.integer("machines", 0, 0, MOST))]
    seen: set[str] = set()
    for item, member in enumerate(names):
        _check_name(member, table, "machines", item)
        if member.casefold() in seen:
            raise table.wrong("machines", f'the machine "{member}" is named twice', item=item)
        seen.add(member.casefold())
    return names
