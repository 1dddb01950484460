"""A scope as the data plane holds it: its newest document, the bytes to send, and who waits for a change."""

from asyncio import Task
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from forewarn.domain.events import Document
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import ScopeKind
from forewarn.imds.replies import Ending, Reply, reply_to
from forewarn.wire import answers
from forewarn.wire.documents import render
from forewarn.wire.instance import ScopeFacts
from forewarn.wire.versions import EVENT_VERSIONS, EventVersion, event_version

_ALONE = ScopeFacts(kind=ScopeKind.STANDALONE)
ANY = b"*"


class Form:
    """How a document is asked for. There is one object per way to ask, so a look-up compares identities only."""

    __slots__ = ("ending", "version")

    def __init__(self, version: EventVersion, ending: Ending) -> None:
        self.version = version
        self.ending = ending


FORMS = {
    (version.name, modern, keep_alive): Form(version, Ending.of(modern, keep_alive))
    for version in map(event_version, EVENT_VERSIONS)
    if version is not None
    for modern in (False, True)
    for keep_alive in (False, True)
}


@dataclass(slots=True)
class Rendered:
    document: Reply
    unchanged: Reply


class Waiter(Protocol):
    def wake(self, ticket: object) -> None:
        """The document has changed since it left this ticket."""
        ...


class Slot:
    __slots__ = (
        "__weakref__",
        "_rendered",
        "document",
        "enrolling",
        "etag",
        "facts",
        "guests",
        "ready",
        "scope",
        "seen",
        "waiters",
    )

    def __init__(self, scope: str) -> None:
        self.scope = scope
        self.facts = _ALONE
        self.document: Document | None = None
        self.etag = b""
        self.ready = False  # there is a document, and somebody is known to read it
        self.guests: dict[str, Guest] = {}
        self.waiters: dict[Waiter, object] = {}  # in the order they came
        self.seen: datetime | None = None
        self.enrolling: Task[None] | None = None
        self._rendered: dict[Form, Rendered] = {}

    def offer(self, document: Document) -> bool:
        """Take the document unless it is older than the one that is here. Whether readers see a change."""
        held = self.document
        if held is not None and (document.epoch, document.incarnation) < (held.epoch, held.incarnation):
            return False
        self.document = document
        self.etag = tag_of(document)
        self.ready = document.enrolled
        self._rendered.clear()
        return held is None or (document.epoch, document.incarnation) != (held.epoch, held.incarnation)

    def is_current(self, tags: frozenset[bytes]) -> bool:
        return self.etag in tags or ANY in tags

    def reply(self, form: Form) -> Rendered:
        return self._rendered.get(form) or self._render(form)

    def _render(self, form: Form) -> Rendered:
        assert self.document is not None, f"nothing was published for {self.scope} yet"
        rendered = self._rendered[form] = rendering(self.document, form)
        return rendered


def tag_of(document: Document) -> bytes:
    return b"%d" % document.incarnation


def rendering(document: Document, form: Form) -> Rendered:
    answer, etag = answers.ok(render(document, form.version)), tag_of(document)
    return Rendered(
        reply_to(answer, form.ending, etag=etag),
        reply_to(answers.NOT_MODIFIED, form.ending, etag=etag),
    )


class Bucket:
    """Holds what may be asked for in one second."""

    __slots__ = ("_left", "_taken")

    def __init__(self) -> None:
        self._left = 0.0  # when it was last taken from
        self._taken = float("-inf")

    def take(self, rate: float, now: float) -> bool:
        self._left = min(rate, self._left + (now - self._taken) * rate)
        self._taken = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class Guest:
    """A machine, as somebody who asks."""

    __slots__ = ("__weakref__", "machine", "readiness", "requests", "slot", "tokens")

    def __init__(self, machine: Machine, slot: Slot) -> None:
        self.machine = machine
        self.slot = slot
        self.requests = Bucket()
        self.tokens: Bucket | None = None  # until it asks for one
        self.readiness: Bucket | None = None  # likewise

    @property
    def is_here(self) -> bool:
        return self.slot.guests.get(self.machine.name) is self

    def may_ask_for_a_token(self, rate: float, now: float) -> bool:
        if self.tokens is None:
            self.tokens = Bucket()
        return self.tokens.take(rate, now)

    def may_ask_who_is_ready(self, rate: float, now: float) -> bool:
        if self.readiness is None:
            self.readiness = Bucket()
        return self.readiness.take(rate, now)
