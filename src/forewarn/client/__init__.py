"""The SDK: what a program inside a machine needs to know what is about to happen to it, and to say that it is ready.

Its law: the standard library only, and nothing of the server. It reads what any Azure host sends, also what no host
should send, and says so when it does not know.
"""

from forewarn.client.beside import Readiness
from forewarn.client.clock import ServerClock
from forewarn.client.documents import Document, Event, EventType, Status
from forewarn.client.errors import ClientError, Interrupted, NoEndpoint, Refused, Unreachable, Unreadable
from forewarn.client.identity import Identity, Judgement, Verdict, is_about, judge
from forewarn.client.instance import Instance
from forewarn.client.patience import Pace, Patience, Retry
from forewarn.client.reading import read_document
from forewarn.client.scheduled import ScheduledEvents
from forewarn.client.transport import Answer, HttpTransport, Request, Transport

__all__ = [
    "Answer",
    "ClientError",
    "Document",
    "Event",
    "EventType",
    "HttpTransport",
    "Identity",
    "Instance",
    "Interrupted",
    "Judgement",
    "NoEndpoint",
    "Pace",
    "Patience",
    "Readiness",
    "Refused",
    "Request",
    "Retry",
    "ScheduledEvents",
    "ServerClock",
    "Status",
    "Transport",
    "Unreachable",
    "Unreadable",
    "Verdict",
    "is_about",
    "judge",
    "read_document",
]
