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

AUDIENCE = "forewarn:portal"
COOKIE = "forewarn-portal"
LINK_LIFE = timedelta(minutes=15)
MOST_LINKS = 100


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
        self._links: dict[str, _Link] = {}

    def link(self, principal: str, name: str) -> str:
        """The word that lets this principal in, once and soon."""
        now = self._wall()
        self._links = {word: link for word, link in self._links.items() if link.until > now}
        while len(self._links) >= MOST_LINKS:
            self._links.pop(next(iter(self._links)))
        word = self._new_secret()
        self._links[word] = _Link(principal=principal, name=name, until=now + LINK_LIFE)
        return word

    def enter(self, word: str) -> str | None:
        """The cookie for whoever has the word; None if it is no longer, or never was, worth anything."""
        link = self._links.pop(word, None)
        if link is None or link.until <= self._wall():
            return None
        return self._access.issue(link.principal, name=link.name, audience=AUDIENCE).token

    def visitor(self, cookie: str) -> Caller | None:
        if not cookie:
            return None
        try:
            return self._access.caller(cookie, (AUDIENCE,))
        except Unverified:
            return None


def csrf_of(cookie: str) -> str:
    """Known only to whoever can read the cookie or a page made for it."""
    return hmac.new(cookie.encode(), b"forewarn-portal-form", hashlib.sha256).hexdigest()
