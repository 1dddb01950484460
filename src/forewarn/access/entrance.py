"""How a person gets in: by a link that works once, and then by a cookie.

The link comes from somebody who is logged in already: `forewarn up` prints one, `forewarn portal` asks for another.
The cookie is a token that Forewarn signed for the portal alone, so it outlives a restart and opens nothing else.
"""

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from forewarn.access.service import Access
from forewarn.access.tokens import Caller, Unverified

PURPOSE = "forewarn:portal"
COOKIE = "forewarn-portal"
DOOR = "/portal/login"
LINK_LIFE = timedelta(minutes=15)
MOST_LINKS = 10
"""Of one principal: who asks for more loses their own oldest, and nobody else's."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Link:
    principal: str
    name: str
    until: datetime


class Entrance:
    def __init__(self, access: Access, *, wall: Callable[[], datetime], new_secret: Callable[[], str]) -> None:
        self._access = access
        self._wall = wall
        self._new_secret = new_secret
        self._links: dict[bytes, _Link] = {}  # by the digest of their word, the oldest first

    def link(self, principal: str, name: str) -> str:
        """The word that lets this principal in, once and soon."""
        now = self._wall()
        self._links = {word: link for word, link in self._links.items() if link.until > now}
        own = [word for word, link in self._links.items() if link.principal == principal]
        if len(own) >= MOST_LINKS:
            del self._links[own[0]]
        word = self._new_secret()
        self._links[_digest(word)] = _Link(principal=principal, name=name, until=now + LINK_LIFE)
        return word

    def place(self, principal: str, name: str) -> str:
        """Where a word is said: the rest of a link, after the server's address."""
        return f"{DOOR}?word={self.link(principal, name)}"

    def enter(self, word: str) -> str | None:
        """The cookie for whoever has the word; None if it is no longer, or never was, worth anything."""
        link = self._links.pop(_digest(word), None)
        if link is None or link.until <= self._wall():
            return None
        return self._access.issue_private(link.principal, name=link.name, purpose=PURPOSE).token

    async def leave(self, cookie: str) -> None:
        """It lets nobody in any more, whoever has a copy of it."""
        await self._access.end_private(cookie, PURPOSE)

    def visitor(self, cookie: str) -> Caller | None:
        if not cookie:
            return None
        try:
            return self._access.private_caller(cookie, PURPOSE)
        except Unverified:
            return None


def cookie_at(port: int, kind: str = COOKIE) -> str:
    """Its name. Browsers share cookies between all servers of a host, and two Forewarns may run on it."""
    return f"{kind}-{port}"


def csrf_of(cookie: str) -> str:
    """Known only to whoever can read the cookie or a page made for it."""
    return hmac.new(cookie.encode(), b"forewarn-portal-form", hashlib.sha256).hexdigest()


def _digest(word: str) -> bytes:
    return hashlib.sha256(word.encode()).digest()
