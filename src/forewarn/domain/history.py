"""The append-only history: who did what, when, and what it changed.

Each scope's entries form a chain: an entry's digest covers the one before it, so that a changed or missing entry shows.
"""

import hashlib
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum

from msgspec import Struct
from msgspec.json import Encoder
from msgspec.structs import replace

from forewarn.domain.events import Actor

_encode = Encoder().encode

ACCESS = "/access"
"""The chain of what is about no scope: who may do what, and who was refused. No scope is called so."""


class What(Enum):
    SCHEDULED = "scheduled"  # an event appeared, with notice
    STRUCK = "struck"  # an event appeared already started
    APPROVED = "approved"
    READY = "ready"  # a machine says of itself that it is, for an event
    NOT_READY = "not-ready"  # it takes that back
    STARTED = "started"
    COMPLETED = "completed"
    CANCELED = "canceled"
    FAILED = "failed"  # a driver gave up on an event, or on an operation without one
    SHRUNK = "shrunk"  # a machine of the event is gone, the others stay in it
    RAN = "ran"  # an operation went to the drivers at once, without an event
    DONE = "done"  # such an operation is over
    ENROLLED = "enrolled"
    DISENROLLED = "disenrolled"
    POLICY = "policy"  # the scope has another approval policy
    POWER = "power"  # a machine was started, stopped or deallocated
    UNHEALTHY = "unhealthy"  # an instance was reported so, and its scale set repairs it
    REMOVED = "removed"  # a machine is gone
    GRANTED = "granted"  # a role was given, or is another one now
    REVOKED = "revoked"  # a role was taken away, or ended with what it was about
    ROTATED = "rotated"  # another key signs tokens
    ADMITTED = "admitted"  # a client was made, which can log in from now on
    EXPELLED = "expelled"  # a client can no longer log in
    REFUSED = "refused"  # a call without a token that counts, or without the right to make it
    CAMPAIGN = "campaign"  # a campaign began, was steered, went on to an update domain, halted or ended here


class Entry(Struct, frozen=True, kw_only=True):
    scope: str
    at: datetime
    who: Actor
    what: What
    subject: str  # the event, operation, machine, campaign or principal it is about
    before: str = ""
    after: str = ""
    detail: str = ""
    seq: int = 0  # position among all entries; given by the store, without gaps
    digest: str = ""


def digest(entry: Entry, previous: str) -> str:
    """Covers the entry's own words and the digest before it. As JSON, so that no word can flow into the next."""
    words = (previous, entry.scope, entry.at.astimezone(UTC), entry.who, entry.what)
    told = (entry.subject, entry.before, entry.after, entry.detail)
    return hashlib.sha256(_encode((words, told))).hexdigest()


def chain(entry: Entry, previous: str, seq: int) -> Entry:
    """The entry at its place: among all entries, and after the one before it in its scope."""
    return replace(entry, seq=seq, digest=digest(entry, previous))


def first_break(entries: Iterable[Entry], previous: str = "") -> Entry | None:
    """The first entry of one scope's history that does not fit the one before it, or None if the chain holds.

    `previous`: the digest before the first of these; "" where the history begins.
    """
    for entry in entries:
        if digest(entry, previous) != entry.digest:
            return entry
        previous = entry.digest
    return None
