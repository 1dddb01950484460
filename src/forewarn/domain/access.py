"""Who may do what: roles, given to principals on the subscription or on one of its resource groups.

A role holds where it is given and in everything below. Ids are compared without regard to case, as Azure does.
"""

import re
from collections.abc import Iterable
from enum import Enum

from msgspec import Struct

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import Machine


class Right(Enum):
    READ = "read"
    WRITE = "write"  # make, change, restart, delete, schedule
    ACKNOWLEDGE = "acknowledge"  # let an event start: approve it for its machines


class Role(Enum):
    READER = "Reader"  # looks
    CONTRIBUTOR = "Contributor"  # does everything
    SCHEDULED_EVENT_CONTRIBUTOR = "ScheduledEventContributor"  # looks, and lets events start


RIGHTS: dict[Role, frozenset[Right]] = {
    Role.READER: frozenset({Right.READ}),
    Role.CONTRIBUTOR: frozenset(Right),
    Role.SCHEDULED_EVENT_CONTRIBUTOR: frozenset({Right.READ, Right.ACKNOWLEDGE}),
}

_ASSIGNABLE = re.compile(r"/subscriptions/[^/]+(/resourcegroups/[^/]+)?", re.IGNORECASE)


MACHINE = "machine:"
"""What begins so is the principal of a machine; no other principal does."""


class Assignment(Struct, frozen=True, kw_only=True):
    id: str
    principal: str
    role: Role
    scope: str  # the ARM id of the subscription, or of a resource group


def principal_of(machine: Machine) -> str:
    """Of a machine's managed identity."""
    return machine_principal(machine.scope, machine.name)


def machine_principal(scope: str, name: str) -> str:
    return f"{MACHINE}{scope}/{name}"


def allows(assignments: Iterable[Assignment], principal: str, right: Right, at: str) -> bool:
    """Whether one of them gives the principal this right on the resource with the ARM id `at`."""
    return any(
        given.principal == principal and right in RIGHTS[given.role] and covers(given.scope, at)
        for given in assignments
    )


def covers(scope: str, at: str) -> bool:
    above, below = (part.rstrip("/").lower() for part in (scope, at))  # as keys of resources are made
    return bool(above) and (below == above or below.startswith(f"{above}/"))


def gives_same(one: Assignment, other: Assignment) -> bool:
    """The same role, to the same principal, in the same place."""
    return (
        (one.principal, one.role) == (other.principal, other.role)
        and covers(one.scope, other.scope)
        and covers(other.scope, one.scope)
    )


def check_scope(scope: str) -> None:
    if not _ASSIGNABLE.fullmatch(scope.rstrip("/")):
        raise Invalid(
            f"A role is given on a subscription or a resource group, not on {scope[:200]!r}: "
            "/subscriptions/ID, or /subscriptions/ID/resourceGroups/NAME."
        )
