"""The two questions `az role` has for Microsoft Graph: which principal is called that, and what are these called."""

import re
from collections.abc import Iterable

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.routing import Row, Rows
from forewarn.domain.access import MACHINE, Right, principal_of
from forewarn.engine.naming import machines_called
from forewarn.engine.walking import pages_of_machines

MOST = 1000

_NAMED = re.compile(r"(?:servicePrincipalNames/any\(c:\s*c eq '([^']*)'\)|displayName eq '([^']*)')", re.IGNORECASE)


async def find_principals(desk: Desk, ask: Ask) -> Reply:
    """Service principals by name. A machine's is `machine:SCOPE/NAME`, or `machine:NAME` while there is one such."""
    text = ask.query.get("$filter", "")
    wanted = _NAMED.fullmatch(text.strip())
    if wanted is None:
        message = f"Forewarn understands servicePrincipalNames/any(c:c eq 'name') here, not '{text[:200]}'."
        raise ArmError(400, "Request_UnsupportedQuery", message)
    name = wanted[1] if wanted[1] is not None else wanted[2]
    if name.startswith(MACHINE):
        machines = await desk.engine.store.read(lambda reader: machines_called(reader, name.removeprefix(MACHINE)))
        return _told(desk, map(principal_of, machines))
    return _told(desk, [known for known in _known(desk) if name in (known, desk.access.object_id(known))])


async def name_principals(desk: Desk, ask: Ask) -> Reply:
    ids = ask.body.get("ids")
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids) or len(ids) > MOST:
        raise ArmError(400, "Request_BadRequest", f"The ids must be a list of at most {MOST} strings.")
    wanted = {one.lower() for one in ids}
    found = {known for known in _known(desk) if desk.access.object_id(known) in wanted}
    async for page in pages_of_machines(desk.engine.store):
        found |= {known for known in map(principal_of, page) if desk.access.object_id(known) in wanted}
    return _told(desk, found)


async def no_principals(desk: Desk, ask: Ask) -> Reply:
    """There are no people and no groups."""
    return Reply(body={"value": []})


def _known(desk: Desk) -> list[str]:
    return [client.id for client in desk.access.clients.list()]


def _told(desk: Desk, principals: Iterable[str]) -> Reply:
    return Reply(body={"value": [_principal(desk, principal) for principal in sorted(principals)]})


def _principal(desk: Desk, principal: str) -> Json:
    return {
        "@odata.type": "#microsoft.graph.servicePrincipal",
        "id": desk.access.object_id(principal),
        "appId": principal,
        "displayName": principal,
        "servicePrincipalNames": [principal],
        "servicePrincipalType": "ManagedIdentity" if principal.startswith(MACHINE) else "Application",
    }


ROWS: Rows = (
    Row(method="GET", path="/v1.0/servicePrincipals", handler=find_principals, versioned=False),
    Row(method="GET", path="/v1.0/users", handler=no_principals, versioned=False),
    Row(method="GET", path="/v1.0/groups", handler=no_principals, versioned=False),
    Row(
        method="POST",
        path="/v1.0/directoryObjects/getByIds",
        handler=name_principals,
        versioned=False,
        right=Right.READ,
    ),
)
