"""Roles: the three there are, and who has which of them where.

A role is given on the subscription or on a resource group, by whoever may write there. Principals are named by their
object id, as Azure's clients do, or by the name Forewarn knows them under: `machine:SCOPE/NAME`.
"""

import re
from collections.abc import Callable, Sequence

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.bodies import properties_of
from forewarn.arm.errors import ArmError
from forewarn.arm.groups import find_group
from forewarn.arm.routing import RG, Row, Rows, S
from forewarn.domain.access import Assignment, Role, covers
from forewarn.domain.errors import Conflict, NotFound
from forewarn.wire.arm_ids import is_guid

ROLES: dict[str, tuple[Role, str, tuple[str, ...]]] = {
    "acdd72a7-3385-48ef-bd42-f606fba81ae7": (Role.READER, "Looks at everything, changes nothing.", ("*/read",)),
    "b24988ac-6180-42a0-ab88-20f7382dd24c": (Role.CONTRIBUTOR, "Does everything, and gives roles to others.", ("*",)),
    "5f0f3d59-8c1e-4f4b-9d0a-6a3a5f6e7c21": (
        Role.SCHEDULED_EVENT_CONTRIBUTOR,
        "Looks at everything, and lets scheduled events start.",
        ("*/read", "Microsoft.Maintenance/scheduledevents/acknowledge/action"),
    ),
}
"""By the name of the definition: Azure's own ids of Reader and Contributor, and one of Forewarn's."""

NAMESPACE = "Microsoft.Authorization"
LONGEST = 300
LONGEST_FILTER = 2000

_TERM = re.compile(
    r"(?P<at>atScope\(\)|atScopeAndBelow\(\))"
    r"|assignedTo\('(?P<assigned>[^']*)'\)"
    r"|(?P<name>\w+)\s+eq\s+'(?P<value>[^']*)'",
    re.IGNORECASE,
)


# Definitions


async def list_definitions(desk: Desk, ask: Ask) -> Reply:
    asked = _filter(ask, "rolename", "type")
    wanted = asked.get("rolename", "").lower()
    found = [_definition(desk, name) for name in ROLES]
    return Reply(body={"value": [d for d in found if not wanted or d["properties"]["roleName"].lower() == wanted]})


async def get_definition(desk: Desk, ask: Ask) -> Reply:
    name = ask.path["name"].lower()
    if name not in ROLES:
        raise _no_definition(name)
    return Reply(body=_definition(desk, name))


def _definition(desk: Desk, name: str) -> Json:
    role, description, actions = ROLES[name]
    return {
        "id": _definition_id(desk, role),
        "type": f"{NAMESPACE}/roleDefinitions",
        "name": name,
        "properties": {
            "roleName": role.value,
            "type": "BuiltInRole",
            "description": description,
            "assignableScopes": ["/"],
            "permissions": [{"actions": list(actions), "notActions": [], "dataActions": [], "notDataActions": []}],
        },
    }


def _definition_id(desk: Desk, role: Role) -> str:
    name = next(name for name, known in ROLES.items() if known[0] is role)
    return f"{desk.access.subscription}/providers/{NAMESPACE}/roleDefinitions/{name}"


# Assignments


async def list_assignments(desk: Desk, ask: Ask) -> Reply:
    """Those here and above; unless that is all that is asked for, also those below."""
    scope = await _scope(desk, ask)
    asked = _filter(ask, "principalid", "roledefinitionid")
    keep = _kept(desk, scope, asked)
    return Reply(body={"value": [tell(desk, given) for given in desk.access.assignments.list() if keep(given)]})


async def get_assignment(desk: Desk, ask: Ask) -> Reply:
    found = _find(desk, await _scope(desk, ask), ask.path["name"])
    if found is None:
        raise ArmError(404, "RoleAssignmentNotFound", f"The role assignment '{ask.path['name'][:100]}' is not found.")
    return Reply(body=tell(desk, found))


async def put_assignment(desk: Desk, ask: Ask) -> Reply:
    name, scope = ask.path["name"].lower(), await _scope(desk, ask)
    if not is_guid(name):
        message = f"The role assignment ID '{name[:100]}' is not valid. The role assignment ID must be a GUID."
        raise ArmError(400, "InvalidRoleAssignmentId", message)
    properties = properties_of(ask.body)
    assignment = Assignment(id=name, principal=_principal(properties), role=_role(properties), scope=scope)
    try:
        await desk.access.assignments.put(assignment, ask.by, new=True)
    except Conflict as error:
        raise ArmError(409, "RoleAssignmentExists", str(error)) from None
    return Reply(status=201, body=tell(desk, assignment))


async def delete_assignment(desk: Desk, ask: Ask) -> Reply:
    """Only where it was given: a right in a group is none on what the subscription gave."""
    found = _find(desk, await _scope(desk, ask), ask.path["name"])
    if found is None:
        return Reply(status=204)
    try:
        await desk.access.assignments.delete(found.id, ask.by)
    except NotFound:
        return Reply(status=204)
    return Reply(body=tell(desk, found))


def tell(desk: Desk, given: Assignment) -> Json:
    name = _name(desk, given)
    return {
        "id": f"{given.scope}/providers/{NAMESPACE}/roleAssignments/{name}",
        "type": f"{NAMESPACE}/roleAssignments",
        "name": name,
        "properties": {
            "roleDefinitionId": _definition_id(desk, given.role),
            "principalId": _object_id(desk, given.principal),
            "principalType": "ServicePrincipal",
            "scope": given.scope,
        },
    }


# Parts


async def _scope(desk: Desk, ask: Ask) -> str:
    """Where the path stands: on a resource, in a group or in the subscription."""
    if "group" not in ask.path:
        return desk.access.subscription
    group = await find_group(desk, ask)
    if "resource" not in ask.path:
        return group.id
    return f"{group.id}/providers/{ask.path['namespace']}/{ask.path['type']}/{ask.path['resource']}"


def _kept(desk: Desk, scope: str, asked: dict[str, str]) -> Callable[[Assignment], bool]:
    who, role = asked.get("principalid", "").lower(), asked.get("roledefinitionid", "").rpartition("/")[2].lower()
    below = asked.get("at") != "atscope()"

    def keep(given: Assignment) -> bool:
        return (
            (covers(given.scope, scope) or (below and covers(scope, given.scope)))
            and (not who or who in (given.principal.lower(), _object_id(desk, given.principal)))
            and (not role or _definition_id(desk, given.role).endswith(f"/{role}"))
        )

    return keep


def _find(desk: Desk, scope: str, name: str) -> Assignment | None:
    for given in desk.access.assignments.list():
        if _name(desk, given) == name.lower() and given.scope.lower() == scope.lower():
            return given
    return None


def _name(desk: Desk, given: Assignment) -> str:
    """A GUID, as the clients expect, also of those that nobody made through here."""
    return given.id.lower() if is_guid(given.id) else desk.access.object_id(f"assignment:{given.id}")


def _object_id(desk: Desk, principal: str) -> str:
    return principal.lower() if is_guid(principal) else desk.access.object_id(principal)


def _principal(properties: Json) -> str:
    principal = properties.get("principalId")
    if not isinstance(principal, str) or not 0 < len(principal) <= LONGEST or not principal.isprintable():
        raise ArmError(400, "InvalidPrincipalId", "The principalId is not valid: it is an object id.", "principalId")
    return principal.lower() if is_guid(principal) else principal


def _role(properties: Json) -> Role:
    wanted = properties.get("roleDefinitionId")
    name = wanted.rpartition("/")[2].lower() if isinstance(wanted, str) else ""
    if name not in ROLES:
        raise _no_definition(name)
    return ROLES[name][0]


def _no_definition(name: str) -> ArmError:
    known = ", ".join(role.value for role, _, _ in ROLES.values())
    message = f"The specified role definition with ID '{name[:100]}' does not exist. Here there are {known}."
    return ArmError(404, "RoleDefinitionDoesNotExist", message)


def _filter(ask: Ask, *names: str) -> dict[str, str]:
    text = ask.query.get("$filter", "")
    if len(text) > LONGEST_FILTER:
        raise _refused(text, names)
    found: dict[str, str] = {}
    for part in re.split(r"\s+and\s+", text.strip(), flags=re.IGNORECASE) if text.strip() else ():
        term = _TERM.fullmatch(part)
        if term is None or (term["name"] and term["name"].lower() not in names):
            raise _refused(text, names)
        if term["at"]:
            found["at"] = term["at"].lower()
        elif term["assigned"] is not None:
            found["principalid"] = term["assigned"]
        else:
            found[term["name"].lower()] = term["value"]
    return found


def _refused(text: str, names: Sequence[str]) -> ArmError:
    known = ", ".join(f"{name} eq 'value'" for name in names)
    message = (
        f"Invalid $filter '{text[:200]}' specified in the query string. Forewarn understands atScope(), "
        f"atScopeAndBelow(), assignedTo('id') and {known}, joined by 'and'."
    )
    return ArmError(400, "InvalidFilterInQueryString", message)


def _at(place: str) -> Rows:
    definitions = f"{place}/providers/{NAMESPACE}/roleDefinitions"
    assignments = f"{place}/providers/{NAMESPACE}/roleAssignments"
    return (
        Row(method="GET", path=definitions, handler=list_definitions),
        Row(method="GET", path=f"{definitions}/{{name}}", handler=get_definition),
        Row(method="GET", path=assignments, handler=list_assignments),
        Row(method="GET", path=f"{assignments}/{{name}}", handler=get_assignment),
        Row(method="PUT", path=f"{assignments}/{{name}}", handler=put_assignment),
        Row(method="DELETE", path=f"{assignments}/{{name}}", handler=delete_assignment),
    )


ROWS: Rows = (*_at(S), *_at(RG), *_at(f"{RG}/providers/{{namespace}}/{{type}}/{{resource}}"))
