"""Access: one object that knows everybody, for those who serve calls."""

import asyncio
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from forewarn.access.assignments import Assignments, load_assignments
from forewarn.access.audit import Audit
from forewarn.access.clients import Client, Clients, load_clients
from forewarn.access.ending import EndedTokens, load_ended
from forewarn.access.files import Local, access_directory, read_local, write_local
from forewarn.access.keys import KeyRing, new_key, open_keys
from forewarn.access.refusals import UNKNOWN, Refusals
from forewarn.access.tokens import Caller, Grant, Tokens, Unverified
from forewarn.domain.access import Assignment, Right, Role
from forewarn.domain.errors import Forbidden, TooMany
from forewarn.domain.events import Actor
from forewarn.domain.history import What
from forewarn.domain.machines import Profile

MOST_KEYS = 50
AGE = Actor.system("the key's age")
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
        audit: Audit,
        wall: Callable[[], datetime],
        new_secret: Callable[[], str],
        ended: EndedTokens | None = None,
    ) -> None:
        self.local = local
        self.keys = keys
        self.clients = clients
        self.assignments = assignments
        self.refusals = Refusals(audit)
        self._ended = ended or EndedTokens(audit.store)
        self._audit = audit
        self._tokens = Tokens(keys, local.tenant)
        self._wall = wall
        self._new_secret = new_secret

    @property
    def tenant(self) -> str:
        return self.local.tenant

    @property
    def subscription(self) -> str:
        """The ARM id of the one subscription, to which everything belongs."""
        return f"/subscriptions/{self.local.subscription}"

    def log_in(self, client_id: str, secret: str) -> Client | None:
        client = self.clients.check(client_id, secret)
        if client is None:
            who = Actor.user(client_id) if self.clients.knows(client_id) else UNKNOWN
            self.refusals.note(who, "log in", "wrong client id or secret")
        return client

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

    def issue_private(self, principal: str, *, name: str, purpose: str) -> Grant:
        """A token that only Forewarn itself issues, and only for this purpose believes."""
        return self.issue(principal, name=name, audience=purpose, issuer=purpose)

    def private_caller(self, token: str, purpose: str) -> Caller:
        """Whose private token that is; Unverified if it is none, or was ended."""
        caller = self._tokens.verify_private(token, self._wall(), purpose)
        if self._ended.has(token):
            raise Unverified("InvalidAuthenticationToken", "The access token is invalid.")
        return caller

    async def end_private(self, token: str, purpose: str) -> None:
        """It counts no longer, whoever has a copy."""
        caller = self.private_caller(token, purpose)
        await self._ended.add(token, caller.expires, self._wall())

    def may(self, caller: Caller, right: Right, at: str) -> bool:
        """Now: what a caller may do can end while they are still being answered."""
        if caller.expires <= self._wall():
            return False
        return any(self.assignments.allows(who, right, at) for who in (caller.principal, caller.object_id))

    def check(self, caller: Caller, right: Right, at: str, action: str = "") -> None:
        """Forbidden, in Azure's words, unless the caller has that right on the resource with the ARM id `at`."""
        if not self.may(caller, right, at):
            action = action or ACTIONS[right]
            self.refusals.note(caller.actor, at, action)
            raise Forbidden(
                "The client '{client}' with object id '{object_id}' does not have authorization to "
                "perform action '{action}' over scope '{scope}' or the scope is invalid. "
                "If access was recently granted, please refresh your credentials.",
                key="no_right",
                client=caller.name,
                object_id=caller.object_id,
                action=action,
                scope=at[:500],
            )

    def public_keys(self) -> dict[str, object]:
        return self.keys.public(self._wall())

    async def admit(self, client_id: str, by: Actor) -> str:
        """A client that can log in from now on, without any right yet. Its secret is told this once."""
        secret = self._new_secret()
        await self.clients.add(client_id, secret=secret, by=by)
        return secret

    async def expel(self, client_id: str, by: Actor) -> None:
        """The client cannot log in any more, and a token that it has gives it no right."""
        await self.clients.remove(client_id, by)
        await self.assignments.forget({client_id, self.object_id(client_id)}, by)

    async def rotate_keys(self, by: Actor) -> None:
        """Sign with a new key from now on."""
        if self.count_keys() >= MOST_KEYS:
            raise TooMany(f"There are {MOST_KEYS} keys whose tokens still hold. Wait until the oldest have expired.")
        before = self.keys.signing.id
        await asyncio.to_thread(self.keys.rotate, self._wall())
        await self._tell_of_rotation(before, by)

    def count_keys(self) -> int:
        """Of those whose tokens still hold."""
        return self.keys.count(self._wall())

    async def tend(self, rotate_after: timedelta) -> None:
        """Rotate the keys if it is time."""
        before = self.keys.signing.id
        await asyncio.to_thread(self.keys.tend, self._wall(), rotate_after)
        if self.keys.signing.id != before:
            await self._tell_of_rotation(before, AGE)

    async def _tell_of_rotation(self, before: str, by: Actor) -> None:
        after = self.keys.signing.id
        await self._audit.write([self._audit.entry(by, What.ROTATED, "the key that signs", before=before, after=after)])


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """The one login that is always there, and the keys that sign."""

    local: Local
    keys: KeyRing


def new_credentials(new_id: Callable[[], str], new_secret: Callable[[], str], now: datetime) -> Credentials:
    """That are kept nowhere."""
    return Credentials(local=_new_local(new_id, new_secret), keys=KeyRing([new_key(now)]))


async def credentials_in(
    data: Path, *, new_id: Callable[[], str], new_secret: Callable[[], str], now: datetime
) -> Credentials:
    """What the data directory holds; what is missing there is made."""
    return Credentials(
        local=await asyncio.to_thread(_local, data, new_id, new_secret),
        keys=await asyncio.to_thread(open_keys, access_directory(data) / "keys.json", now),
    )


async def open_access(
    credentials: Credentials, audit: Audit, *, new_secret: Callable[[], str], wall: Callable[[], datetime]
) -> Access:
    local = credentials.local
    fixed = Assignment(
        id="local",
        principal=local.client_id,
        role=Role.CONTRIBUTOR,
        scope=f"/subscriptions/{local.subscription}",
    )
    return Access(
        local=local,
        keys=credentials.keys,
        clients=await load_clients(local, audit),
        assignments=await load_assignments(audit, [fixed]),
        audit=audit,
        wall=wall,
        new_secret=new_secret,
        ended=await load_ended(audit.store),
    )


def _local(data: Path, new_id: Callable[[], str], new_secret: Callable[[], str]) -> Local:
    known = read_local(data)
    if known is not None:
        return known
    made = _new_local(new_id, new_secret)
    write_local(data, made)
    return made


def _new_local(new_id: Callable[[], str], new_secret: Callable[[], str]) -> Local:
    return Local(
        tenant=new_id().lower(),
        subscription=Profile().subscription_id,  # the one that a fleet file's machines are in
        client_id="local",
        client_secret=new_secret(),
    )
