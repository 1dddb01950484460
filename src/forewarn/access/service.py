"""Access: one object that knows everybody, for those who serve calls."""

import asyncio
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from pathlib import Path

from forewarn.access.assignments import Assignments, load_assignments
from forewarn.access.clients import Client, Clients, load_clients
from forewarn.access.files import Local, access_directory, read_local, write_local
from forewarn.access.keys import KeyRing, open_keys
from forewarn.access.tokens import Caller, Grant, Tokens
from forewarn.domain.access import Assignment, Right, Role
from forewarn.domain.errors import Forbidden, TooMany
from forewarn.engine.ports import Store

MOST_KEYS = 50
ACTIONS = {
    Right.READ: "*/read",
    Right.WRITE: "*/write",
    Right.ACKNOWLEDGE: "Microsoft.Maintenance/scheduledevents/acknowledge/action",
}


class Access:
    def __init__(
        self,
        *,
        local: Local,
        keys: KeyRing,
        clients: Clients,
        assignments: Assignments,
        wall: Callable[[], datetime],
    ) -> None:
        self.local = local
        self.keys = keys
        self.clients = clients
        self.assignments = assignments
        self._tokens = Tokens(keys, local.tenant)
        self._wall = wall

    @property
    def tenant(self) -> str:
        return self.local.tenant

    @property
    def subscription(self) -> str:
        """The ARM id of the one subscription, to which everything belongs."""
        return f"/subscriptions/{self.local.subscription}"

    def log_in(self, client_id: str, secret: str) -> Client | None:
        return self.clients.check(client_id, secret)

    def issue(self, principal: str, *, name: str, audience: str, issuer: str = "") -> Grant:
        """A token for whoever proved to be that principal; its name is what the history will tell."""
        issuer = issuer or f"https://forewarn.localhost/{self.tenant}"
        return self._tokens.issue(principal, name=name, audience=audience, issuer=issuer, now=self._wall())

    def object_id(self, principal: str) -> str:
        """The GUID under which Azure's clients know a principal. Roles may be given to either."""
        return self._tokens.object_id(principal)

    def caller(self, token: str, own: Collection[str] = ()) -> Caller:
        """Whose token that is, or Unverified. `own`: the addresses of this server, as the caller knows them."""
        return self._tokens.verify(token, self._wall(), own)

    def may(self, caller: Caller, right: Right, at: str) -> bool:
        return any(self.assignments.allows(who, right, at) for who in (caller.principal, caller.object_id))

    def check(self, caller: Caller, right: Right, at: str, action: str = "") -> None:
        """Forbidden, in Azure's words, unless the caller has that right on the resource with the ARM id `at`."""
        if not self.may(caller, right, at):
            raise Forbidden(
                f"The client '{caller.name}' with object id '{caller.object_id}' does not have authorization to "
                f"perform action '{action or ACTIONS[right]}' over scope '{at[:500]}' or the scope is invalid. "
                "If access was recently granted, please refresh your credentials."
            )

    def public_keys(self) -> dict[str, object]:
        return self.keys.public(self._wall())

    def rotate_keys(self) -> None:
        """Sign with a new key from now on. Takes a moment: for a thread."""
        if self.count_keys() >= MOST_KEYS:
            raise TooMany(f"There are {MOST_KEYS} keys whose tokens still hold. Wait until the oldest have expired.")
        self.keys.rotate(self._wall())

    def count_keys(self) -> int:
        """Of those whose tokens still hold."""
        return self.keys.count(self._wall())

    def tend(self, rotate_after: timedelta) -> None:
        """Rotate the keys if it is time. Takes a moment: for a thread."""
        self.keys.tend(self._wall(), rotate_after)


async def open_access(
    data: Path, store: Store, *, new_id: Callable[[], str], new_secret: Callable[[], str], wall: Callable[[], datetime]
) -> Access:
    """What the data directory holds; what is missing there is made."""
    local = await asyncio.to_thread(_local, data, new_id, new_secret)
    fixed = Assignment(
        id="local",
        principal=local.client_id,
        role=Role.CONTRIBUTOR,
        scope=f"/subscriptions/{local.subscription}",
    )
    return Access(
        local=local,
        keys=await asyncio.to_thread(open_keys, access_directory(data) / "keys.json", wall()),
        clients=await load_clients(local, store),
        assignments=await load_assignments(store, [fixed]),
        wall=wall,
    )


def _local(data: Path, new_id: Callable[[], str], new_secret: Callable[[], str]) -> Local:
    known = read_local(data)
    if known is not None:
        return known
    made = Local(tenant=new_id().lower(), subscription=new_id().lower(), client_id="local", client_secret=new_secret())
    write_local(data, made)
    return made
