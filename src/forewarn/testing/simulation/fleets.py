"""Random fleets: every kind of scope, shared and unknown hosts, Spot machines, policies, and settings that differ."""

import random
from datetime import timedelta

from msgspec.structs import replace

from forewarn.domain.consent import ApprovalPolicy, Rule, policy_of
from forewarn.domain.fleet import Fleet
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.scaling import UPDATE_DOMAINS
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind, group_prefix
from forewarn.domain.settings import Settings

POOL = "pool"  # a scale set that no fleet declares
POOL_GROUP = f"{group_prefix(POOL)}0"  # and its one placement group


def any_fleet(rng: random.Random) -> Fleet:
    scopes = [
        *(_scope(rng, name, ScopeKind.PLACEMENT_GROUP, "vmss") for name in ("vmss-a", "vmss-b")),
        _scope(rng, "set", ScopeKind.AVAILABILITY_SET),
        _scope(rng, rng.choice(["lone", "svc"]), rng.choice([ScopeKind.STANDALONE, ScopeKind.CLOUD_SERVICE])),
    ]
    rng.shuffle(scopes)
    machines = [machine for scope in scopes for machine in _members(rng, scope)]
    return Fleet(scopes=tuple(scopes), machines=tuple(machines), settings=_settings(rng))


def redeclared(rng: random.Random, fleet: Fleet) -> Fleet:
    """A machine leaves, or another one joins, or a policy is changed."""
    scope = rng.choice(fleet.scopes)
    match rng.randrange(3):
        case 0 if len(fleet.machines) > 4:
            gone = rng.choice(fleet.machines)
            return replace(fleet, machines=tuple(machine for machine in fleet.machines if machine is not gone))
        case 1:
            joins = _machine(rng, scope, number=rng.randrange(100, 10_000))
            taken = {machine.name for machine in fleet.machines}
            return fleet if joins.name in taken else replace(fleet, machines=(*fleet.machines, joins))
        case _:
            other = replace(scope, policy=_policy(rng))
            return replace(fleet, scopes=tuple(other if known is scope else known for known in fleet.scopes))


def update_domain(name: str) -> int:
    """A machine's update domain is in its name, so that whoever reads a trace can tell."""
    return int(name.rpartition("_")[2]) % (UPDATE_DOMAINS if home(name) == POOL_GROUP else 2)


def home(name: str) -> str:
    """And so is its scope."""
    return name.rpartition("_")[0]


def _scope(rng: random.Random, name: str, kind: ScopeKind, scale_set: str | None = None) -> Scope:
    approval = any_approval(rng) if rng.random() < 0.3 else None
    return Scope(id=name, kind=kind, scale_set=scale_set, policy=_policy(rng), approval=approval)


def _policy(rng: random.Random) -> EventsPolicy:
    return EventsPolicy(
        approve_user_reboot=rng.random() < 0.2,
        approve_user_redeploy=rng.random() < 0.2,
        approve_all_instances_down=rng.random() < 0.8,
    )


def any_approval(rng: random.Random) -> ApprovalPolicy:
    rule = rng.choice(list(Rule))
    return policy_of(rule, rng.randint(1, 3) if rule is Rule.K_OF_N else None)


def _members(rng: random.Random, scope: Scope) -> list[Machine]:
    count = 1 if scope.kind is ScopeKind.STANDALONE else rng.randint(2, 6)
    return [_machine(rng, scope, number) for number in range(count)]


def _machine(rng: random.Random, scope: Scope, number: int) -> Machine:
    name = f"{scope.id}_{number}"
    spot = rng.random() < 0.2
    return Machine(
        scope=scope.id,
        name=name,
        update_domain=update_domain(name),
        host=rng.choice(["", "h1", "h1"]),
        priority=rng.choice([Priority.SPOT, Priority.LOW]) if spot else Priority.REGULAR,
        eviction_policy=rng.choice(list(EvictionPolicy)),
        terminate_notice=rng.choice([None, timedelta(minutes=5), timedelta(minutes=5), timedelta(minutes=15)]),
    )


def _settings(rng: random.Random) -> Settings:
    return Settings(
        user_operations=rng.choice([1, 2, 10]),
        disenrol_after=timedelta(hours=rng.choice([1, 24])),
        recovery_pause=timedelta(minutes=rng.choice([0, 5, 30])),
        driver_attempts=rng.choice([1, 3, 5]),
        first_answer_delay=timedelta(seconds=rng.choice([0, 0, 90])),
    )
