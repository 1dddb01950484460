"""Who may do what, and the keys that prove who is who."""

from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints, Made
from forewarn.control.naming import find_machine
from forewarn.control.paging import PageQuery, page_among
from forewarn.control.views import View
from forewarn.domain.access import MACHINE, Assignment, Role, gives_same, principal_of
from forewarn.domain.errors import NotFound
from forewarn.domain.resources import group_id
from forewarn.wire.arm_ids import is_guid

ROLES = "/forewarn/v1/roles"


class RoleView(View, frozen=True):
    id: str
    principal: str
    role: Role
    scope: str  # the subscription, or a resource group


class Roles(View, frozen=True):
    items: list[RoleView]
    next: str | None


class RoleBody(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    principal: Annotated[
        str, Meta(min_length=1, max_length=500, description="machine:NAME, a client's id, or an object id")
    ]
    role: Role
    group: Annotated[str | None, Meta(description="only in this resource group; else on the whole subscription")] = None


class Whoami(View, frozen=True):
    principal: str
    name: str
    object_id: str
    roles: list[RoleView]


class Keys(View, frozen=True):
    signing: str  # the id of the key that signs from now on
    created: datetime
    verifying: int  # how many keys there are whose tokens still count


def _tell(assignment: Assignment) -> RoleView:
    return RoleView(id=assignment.id, principal=assignment.principal, role=assignment.role, scope=assignment.scope)


async def list_roles(desk: Desk, ask: Ask[PageQuery, Nothing]) -> Roles:
    page = page_among(desk.access.assignments.list(), lambda given: given.id, ask.query)
    return Roles(items=[_tell(given) for given in page.items], next=page.next)


async def assign(desk: Desk, ask: Ask[Nothing, RoleBody]) -> Made:
    wanted = Assignment(
        id=desk.new_id().lower(),
        principal=await _principal(desk, ask.body.principal),
        role=ask.body.role,
        scope=await _scope(desk, ask.body.group),
    )
    given = next((known for known in desk.access.assignments.list() if gives_same(known, wanted)), None)
    if given is None:
        await desk.access.assignments.put(wanted, ask.by)
        given = wanted
    return Made(body=_tell(given), location=f"{ROLES}/{given.id}")


async def remove(desk: Desk, ask: Ask[Nothing, Nothing]) -> RoleView:
    return _tell(await desk.access.assignments.delete(ask.path["role"], ask.by))


async def whoami(desk: Desk, ask: Ask[Nothing, Nothing]) -> Whoami:
    caller = ask.caller
    assert caller is not None, "it is not public"
    own = {caller.principal, caller.object_id}
    return Whoami(
        principal=caller.principal,
        name=caller.name,
        object_id=caller.object_id,
        roles=[_tell(given) for given in desk.access.assignments.list() if given.principal in own],
    )


async def rotate(desk: Desk, ask: Ask[Nothing, Nothing]) -> Keys:
    await desk.access.rotate_keys(ask.by)
    signing = desk.access.keys.signing
    return Keys(signing=signing.id, created=signing.created, verifying=desk.access.count_keys())


async def _principal(desk: Desk, text: str) -> str:
    """What is not known to anybody is refused: a slip of the pen would look like a role given."""
    if text.startswith(MACHINE):
        return principal_of(await find_machine(desk.engine, text.removeprefix(MACHINE)))
    if desk.access.clients.knows(text):
        return text
    if is_guid(text):
        return text.lower()
    raise NotFound(
        f"There is no principal {text[:200]}. A machine's is written machine:NAME, a client's is its id, "
        "and anybody's the object id that a refusal names."
    )


async def _scope(desk: Desk, group: str | None) -> str:
    if group is None:
        return desk.access.subscription
    known = await desk.engine.store.read(
        lambda reader: reader.resource(group_id(desk.access.local.subscription, group).lower())
    )
    if known is None:
        raise NotFound(f"There is no resource group {group[:200]}. Without one, the role is on the whole subscription.")
    return known.id


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path=ROLES,
        does="The roles that were given, by id.",
        handler=list_roles,
        query=PageQuery,
        answer=Roles,
    ),
    Endpoint(
        method="POST",
        path=ROLES,
        does="Give a principal a role, on the subscription or in one resource group. Given twice, it is one.",
        handler=assign,
        body=RoleBody,
        answer=RoleView,
        status=201,
    ),
    Endpoint(
        method="DELETE",
        path=f"{ROLES}/{{role}}",
        does="Take a role away again.",
        handler=remove,
        answer=RoleView,
    ),
    Endpoint(
        method="GET",
        path="/forewarn/v1/whoami",
        does="Who asks, and the roles they were given.",
        handler=whoami,
        answer=Whoami,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/keys/rotate",
        does="Sign tokens with a new key from now on. Those signed so far hold until they expire.",
        handler=rotate,
        answer=Keys,
    ),
)
