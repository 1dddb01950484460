"""Who is logged in, with which roles, and the numbers that the rules use."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from msgspec.structs import fields

from forewarn.access.tokens import Caller
from forewarn.domain.access import Assignment, Role
from forewarn.domain.settings import Settings
from forewarn.wire.durations import format_duration


@dataclass(frozen=True, kw_only=True, slots=True)
class GivenRole:
    role: Role
    scope: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Setting:
    name: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class SettingsView:
    principal: str
    name: str
    object_id: str
    until: datetime
    """When the login ends, by the real clock."""
    roles: tuple[GivenRole, ...]
    fleet: tuple[Setting, ...]
    """Empty for who may not look."""


def settings_view(caller: Caller, assignments: Iterable[Assignment], settings: Settings | None) -> SettingsView:
    own = (caller.principal, caller.object_id)
    return SettingsView(
        principal=caller.principal,
        name=caller.name,
        object_id=caller.object_id,
        until=caller.expires,
        roles=tuple(GivenRole(role=one.role, scope=one.scope) for one in assignments if one.principal in own),
        fleet=() if settings is None else tuple(_told(settings)),
    )


def _told(settings: Settings) -> Iterable[Setting]:
    for field in fields(Settings):
        value = getattr(settings, field.name)
        yield Setting(name=field.name, value=format_duration(value) if isinstance(value, timedelta) else str(value))
