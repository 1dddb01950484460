"""The keys that sign tokens: one signs, and those before it are kept until the last token they signed has expired."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from joserfc.errors import JoseError
from joserfc.jwk import RSAKey

from forewarn.disk import write_private
from forewarn.domain.errors import Invalid

ALGORITHM = "RS256"
"""Azure's own, so that whoever verifies tokens in an application under test need not be told of another."""

BITS = 2048
LIFETIME = timedelta(hours=24)
"""Of a token."""

MARGIN = timedelta(minutes=5)
"""Making a key takes a moment, in which the key before it still signs."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SigningKey:
    key: RSAKey = field(repr=False)
    created: datetime
    retired: datetime | None = None  # since when another one signs

    @property
    def id(self) -> str:
        return self.key.thumbprint()

    def verifies(self, now: datetime) -> bool:
        return self.retired is None or now < self.retired + LIFETIME + MARGIN


class _Kept(msgspec.Struct, omit_defaults=True):
    created: datetime
    key: dict[str, Any]
    retired: datetime | None = None


class KeyRing:
    def __init__(self, keys: Sequence[SigningKey], path: Path | None = None) -> None:
        """`keys`: at least one, the newest first. `path`: where changes are kept."""
        self._path = path
        self._changing = threading.Lock()
        self._keys: tuple[SigningKey, ...] = ()
        self._by_id: dict[str, SigningKey] = {}
        self._take(keys)

    @property
    def signing(self) -> SigningKey:
        return self._keys[0]

    def find(self, key_id: str, now: datetime) -> SigningKey | None:
        found = self._by_id.get(key_id)
        return found if found is not None and found.verifies(now) else None

    def public(self, now: datetime) -> dict[str, Any]:
        """The keys that verify now, as a JSON Web Key Set."""
        return {
            "keys": [
                {**kept.key.as_dict(private=False), "kid": kept.id, "use": "sig", "alg": ALGORITHM}
                for kept in self._keys
                if kept.verifies(now)
            ]
        }

    def count(self, now: datetime) -> int:
        """Of those that verify now."""
        return sum(kept.verifies(now) for kept in self._keys)

    def tend(self, now: datetime, every: timedelta) -> None:
        """What is to be done now and then: sign with a new key once this one is so old, forget those that are over."""
        if now - self.signing.created >= every:
            self.rotate(now)
        elif not all(kept.verifies(now) for kept in self._keys):
            with self._changing:
                self._keep([kept for kept in self._keys if kept.verifies(now)])

    def rotate(self, now: datetime) -> None:
        """Sign with a new key from now on. Tokens of the one before hold until they expire. Takes a moment."""
        new = new_key(now)
        with self._changing:
            before = replace(self.signing, retired=now)
            self._keep([new, before, *(kept for kept in self._keys[1:] if kept.verifies(now))])

    def _keep(self, keys: Sequence[SigningKey]) -> None:
        """On the disk first: a token is signed only by a key that survives a restart."""
        if self._path is not None:
            write_private(self._path, _encode(keys))
        self._take(keys)

    def _take(self, keys: Sequence[SigningKey]) -> None:
        self._by_id = {kept.id: kept for kept in keys}
        self._keys = tuple(keys)


def new_key(now: datetime) -> SigningKey:
    return SigningKey(key=RSAKey.generate_key(BITS), created=now)


def open_keys(path: Path, now: datetime) -> KeyRing:
    """Those of the file; if there is none, a first one, which is then there."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        first = [new_key(now)]
        write_private(path, _encode(first))
        return KeyRing(first, path)
    return KeyRing(_decode(content, path), path)


def _encode(keys: Sequence[SigningKey]) -> bytes:
    kept = [_Kept(created=k.created, key=dict(k.key.as_dict(private=True)), retired=k.retired) for k in keys]
    return msgspec.json.encode(kept)


def _decode(content: bytes, path: Path) -> list[SigningKey]:
    try:
        kept = msgspec.json.decode(content, type=list[_Kept])
        keys = [SigningKey(key=RSAKey.import_key(k.key), created=k.created, retired=k.retired) for k in kept]
    except (msgspec.DecodeError, JoseError, ValueError) as error:
        raise Invalid(
            f"{path} is damaged ({error}). Delete it: new keys are made, and who is logged in logs in again."
        ) from None
    if not keys:
        raise Invalid(f"{path} holds no key. Delete it: a new one is made.")
    return keys
