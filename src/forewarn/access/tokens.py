"""Tokens: signed here, and believed only if they were."""

import hashlib
import uuid
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import msgspec
from joserfc import jws, jwt
from joserfc.errors import JoseError
from joserfc.jwk import GuestProtocol, RSAKey

from forewarn.access.files import RESOURCE
from forewarn.access.keys import ALGORITHM, LIFETIME, KeyRing
from forewarn.domain.access import MACHINE
from forewarn.domain.errors import Refused
from forewarn.domain.events import Actor

AUDIENCES = frozenset(
    name + slash for name in (RESOURCE.rstrip("/"), "https://management.azure.com") for slash in ("", "/")
)
"""What a token for the control plane may be made out to, beside the server's own address."""

LEEWAY = timedelta(minutes=5)
"""A clock that was set back a little does not lock anybody out."""


class Unverified(Refused):
    """The caller did not prove who it is. `code` is Azure's word for why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True, kw_only=True, slots=True)
class Caller:
    """Who asks, as a token proves it."""

    principal: str  # what roles are given to: a client id, or machine:SCOPE/NAME
    name: str
    object_id: str  # the same as a GUID, for those who speak of principals as Azure does
    expires: datetime  # when the proof ends

    @property
    def actor(self) -> Actor:
        return Actor.machine(self.name) if self.principal.startswith(MACHINE) else Actor.user(self.name)


@dataclass(frozen=True, kw_only=True, slots=True)
class Grant:
    """A token, and what its receiver is told beside it."""

    token: str = field(repr=False)
    audience: str
    issued: datetime
    expires: datetime

    @property
    def expires_in(self) -> int:
        return int((self.expires - self.issued).total_seconds())


class _Claims(msgspec.Struct):
    aud: str
    iss: str
    exp: int
    nbf: int
    sub: str
    oid: str
    name: str
    tid: str


class Tokens:
    def __init__(self, keys: KeyRing, tenant: str, most: int = 1000) -> None:
        """`most`: so many are remembered at once."""
        self._keys = keys
        self._tenant = tenant
        self._most = most
        self._known: dict[bytes, tuple[str, _Claims]] = {}  # by digest: the key that signed it, and what it says

    def object_id(self, principal: str) -> str:
        return str(uuid.uuid5(uuid.UUID(self._tenant), principal))

    def issue(self, principal: str, *, name: str, audience: str, issuer: str, now: datetime) -> Grant:
        issued = now.replace(microsecond=0)
        expires = issued + LIFETIME
        signing = self._keys.signing
        claims = {
            "aud": audience,
            "iss": issuer,
            "iat": int(issued.timestamp()),
            "nbf": int(issued.timestamp()),
            "exp": int(expires.timestamp()),
            "appid": principal,
            "idtyp": "app",
            "name": name,
            "oid": self.object_id(principal),
            "sub": principal,
            "tid": self._tenant,
            "ver": "1.0",
        }
        token = jwt.encode({"alg": ALGORITHM, "kid": signing.id}, claims, signing.key, algorithms=[ALGORITHM])
        return Grant(token=token, audience=audience, issued=issued, expires=expires)

    def verify(self, token: str, now: datetime, own: Collection[str] = ()) -> Caller:
        """Whose it is, or Unverified. `own`: further audiences, such as the address the caller asked."""
        claims = self._holding(token, now)
        if claims.aud not in AUDIENCES and claims.aud not in own:
            allowed = "','".join(sorted(AUDIENCES))
            raise Unverified(
                "InvalidAuthenticationTokenAudience",
                f"The access token has been obtained for wrong audience or resource '{claims.aud[:200]}'. It should "
                f"exactly match with one of the allowed audiences '{allowed}'.",
            )
        return _caller(claims)

    def verify_private(self, token: str, now: datetime, purpose: str) -> Caller:
        """Whose it is, or Unverified: only one that Forewarn issued to itself for this purpose.

        Its audience alone would not say so: clients and machines may ask for a token for any.
        """
        claims = self._holding(token, now)
        if (claims.iss, claims.aud) != (purpose, purpose):
            raise _invalid()
        return _caller(claims)

    def _holding(self, token: str, now: datetime) -> _Claims:
        """What it says, if it is one of ours and its time is now."""
        claims = self._signed(token, now)
        expires = _expiry(claims)
        if expires <= now:
            raise Unverified(
                "ExpiredAuthenticationToken",
                f"The access token expiry UTC time '{_us(expires)}' is earlier than current UTC time '{_us(now)}'.",
            )
        if claims.tid != self._tenant or datetime.fromtimestamp(claims.nbf, UTC) > now + LEEWAY:
            raise _invalid()
        return claims

    def _signed(self, token: str, now: datetime) -> _Claims:
        """A token comes again with every call: its signature is looked at once, as long as its key holds."""
        digest = hashlib.sha256(token.encode()).digest()
        known = self._known.get(digest)
        if known is None:
            known = self._verified(token, now)
            if len(self._known) >= self._most:
                self._known.clear()
            self._known[digest] = known
        key, claims = known
        if self._keys.find(key, now) is None:
            raise _invalid()
        return claims

    def _verified(self, token: str, now: datetime) -> tuple[str, _Claims]:
        def key(found: GuestProtocol) -> RSAKey:
            known = self._keys.find(str(found.headers().get("kid", "")), now)
            if known is None:
                raise _invalid()
            return known.key

        try:
            signed = jws.deserialize_compact(token, key, algorithms=[ALGORITHM])
            return str(signed.headers()["kid"]), msgspec.json.decode(signed.payload, type=_Claims)
        except (JoseError, ValueError, TypeError, RecursionError):
            raise _invalid() from None


def _caller(claims: _Claims) -> Caller:
    return Caller(principal=claims.sub, name=claims.name, object_id=claims.oid, expires=_expiry(claims))


def _expiry(claims: _Claims) -> datetime:
    return datetime.fromtimestamp(claims.exp, UTC)


def _invalid() -> Unverified:
    return Unverified("InvalidAuthenticationToken", "The access token is invalid.")


def _us(moment: datetime) -> str:
    """As Azure writes it here: 1/2/2026 3:04:05 PM."""
    hour = moment.hour % 12 or 12
    return f"{moment.month}/{moment.day}/{moment.year} {hour}:{moment:%M:%S} {'AM' if moment.hour < 12 else 'PM'}"
