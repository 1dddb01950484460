"""The texts of a request, filled in with the event's facts: each escaped for where it stands.

So that a description with a quote, a line break or a slash in it can neither break the request nor change its meaning.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, quote_plus

from forewarn.agent.templates import facts_of, fill
from forewarn.client.documents import Event

Escape = Callable[[str], str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Texts:
    event: Event
    me: str
    direction: str

    def url(self, template: str) -> str:
        whole = self._filled(template, lambda fact: quote(fact, safe="", errors="replace"))
        return quote(whole, safe="%/:=&?~#+!$,;'@()*[]", errors="replace")

    def header(self, template: str) -> str:
        return self._filled(template, lambda fact: re.sub(r"[^ -~]", "?", fact))

    def body(self, template: str, content_type: str) -> bytes:
        return self._filled(template, _escape_for(content_type)).encode(errors="replace")

    def _filled(self, template: str, escape: Escape) -> str:
        facts = {**facts_of(self.event, self.me), "direction": self.direction}
        return fill(template, self.event, self.me, {name: escape(fact) for name, fact in facts.items()})


def _escape_for(content_type: str) -> Escape:
    if "json" in content_type.lower():
        return lambda fact: json.dumps(fact)[1:-1]
    if "x-www-form-urlencoded" in content_type.lower():
        return lambda fact: quote_plus(fact, errors="replace")
    return str
