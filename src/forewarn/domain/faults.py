"""What can be made to go wrong at the metadata endpoint, so that clients can be tried against it.

A `Fault` is one line of a playbook: what goes wrong, for whom, at which requests, and until when. Nothing of it touches
the fleet itself: events keep every rule, and only what a client is told of them is wrong.
"""

from datetime import datetime, timedelta
from enum import Enum
from http import HTTPStatus

from msgspec import Struct

from forewarn.domain.errors import Invalid


class FaultKind(Enum):
    STATUS = "status"  # answered with `status`, and nothing is done; told to come again after `by`, if given
    DELAY = "delay"  # answered `by` later, in real time
    HANG = "hang"  # never answered, and the connection stays open until the client ends it
    RESET = "reset"  # the connection is torn down without an answer
    TRUNCATED = "truncated"  # the answer ends in the middle of its body
    EMPTY = "empty"  # 200 without a body, and nothing is done
    NOT_JSON = "not-json"  # 200 with a page of HTML, and nothing is done
    CONTENT_TYPE = "content-type"  # the right body under another name, `value`
    STALE = "stale"  # the document as it was `by` ago
    REPEATED = "repeated"  # the events change, the incarnation stays what it was when the fault was set
    REORDERED = "reordered"  # every other answer is the document before the newest
    RESTARTED = "restarted"  # incarnations are counted anew, from 1, as after a reset of the host
    NO_NOTICE = "no-notice"  # an event is not told before it has started
    SHORT_NOTICE = "short-notice"  # an event is not told before only `by` of its notice is left
    SKEWED_NOT_BEFORE = "skewed-not-before"  # NotBefore is told `by` too late, or too early
    SKEWED_DATE = "skewed-date"  # the Date of the answer is `by` off
    NO_DATE = "no-date"  # the answer has no Date


class Asked(Enum):
    """What a request is for."""

    ANY = "any"
    POLL = "poll"  # the document of scheduled events
    APPROVAL = "approval"
    INSTANCE = "instance"  # metadata about the machine itself
    OTHER = "other"


class Seen(Struct, kw_only=True):
    """A request, as it came, and what became of it."""

    number: int  # they are counted from 1
    at: datetime  # by the fleet's clock
    seconds: float  # of real time, since the server started
    scope: str
    machine: str
    asked: Asked
    method: str
    target: str
    fields: dict[str, str]  # of the head, all in lower case
    body: str
    connection: int  # the same for all requests of one connection
    faults: tuple[str, ...] = ()  # what was made to go wrong
    status: int | None = None  # None: not answered, or not yet
    incarnation: int | None = None  # of the document that was sent
    newest: int | None = None  # of the document that there was then, whatever was sent, or while it still waits


NEEDS_BY = frozenset(
    {
        FaultKind.DELAY,
        FaultKind.STALE,
        FaultKind.SHORT_NOTICE,
        FaultKind.SKEWED_NOT_BEFORE,
        FaultKind.SKEWED_DATE,
    }
)
MAY_BE_EARLIER = frozenset({FaultKind.SKEWED_NOT_BEFORE, FaultKind.SKEWED_DATE})
STATUSES = frozenset(status.value for status in HTTPStatus if status >= HTTPStatus.MULTIPLE_CHOICES)
LONGEST_DELAY = timedelta(minutes=10)
LONGEST_SHIFT = timedelta(days=366)


class Fault(Struct, frozen=True, kw_only=True):
    """What `by` and the like mean is said by the kind."""

    id: str
    kind: FaultKind
    scope: str
    machine: str | None = None  # None: every machine of the scope
    asked: Asked = Asked.ANY
    status: int = 500
    by: timedelta = timedelta(0)
    value: str = "text/plain"
    since: datetime  # by the fleet's clock
    until: datetime | None = None  # likewise; None: until it is taken back
    requests: int | None = None  # of each machine; None: any number
    skip: int = 0  # so many requests of each machine are left alone first
    probability: float = 1.0
    seed: int = 0  # of the chance, for each machine
    key: str | None = None  # under which it was asked for


def check(fault: Fault) -> None:
    """Invalid, with the reason, if it makes no sense."""
    if fault.kind in NEEDS_BY and not fault.by:
        raise Invalid(f'by: the fault {fault.kind.value} needs to know by how much, such as "by": "30s".')
    if fault.kind is FaultKind.DELAY and not timedelta(0) < fault.by <= LONGEST_DELAY:
        raise Invalid("by: an answer can be delayed by up to ten minutes.")
    if abs(fault.by) > LONGEST_SHIFT:
        raise Invalid("by: times can be shifted by up to a year.")
    if fault.kind not in MAY_BE_EARLIER and fault.by < timedelta(0):
        raise Invalid(f"by: for the fault {fault.kind.value} it cannot be negative.")
    if fault.kind is FaultKind.STATUS and fault.status not in STATUSES:
        raise Invalid(f"status: {fault.status} is no HTTP status of 300 or more.")
    if not 0 < fault.probability <= 1:
        raise Invalid("probability: a number above 0, and 1 at most.")
    if fault.requests is not None and fault.requests < 1:
        raise Invalid("requests: 1 or more; leave it out for any number.")
    if fault.until is not None and fault.until <= fault.since:
        raise Invalid("lasts: more than nothing; leave it out for as long as nobody takes it back.")
    if not 0 < len(fault.value) <= 200 or not fault.value.isascii() or not fault.value.isprintable():
        raise Invalid("value: 1 to 200 printable ASCII characters.")


def shifted(at: datetime, by: timedelta) -> datetime:
    """As far as the calendar goes."""
    try:
        return at + by
    except OverflowError:
        return at
