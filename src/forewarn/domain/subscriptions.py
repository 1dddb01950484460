"""Who wants to hear of events: webhooks, each with what it listens to and how long it may be tried."""

from datetime import datetime, timedelta
from enum import Enum

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from forewarn.domain.access import covers
from forewarn.domain.notices import Notice
from forewarn.domain.resources import Resource

SYSTEM_TOPIC = "Microsoft.EventGrid/systemTopics"
EVENT_SUBSCRIPTION = "Microsoft.EventGrid/eventSubscriptions"
TOPIC_SUBSCRIPTION = "Microsoft.EventGrid/systemTopics/eventSubscriptions"

BODY = "subscription"
"""Where a resource keeps it. Not under properties: the endpoint may hold a secret, and is told only when asked for."""

MOST_ATTEMPTS = 30
LONGEST_LIFE = timedelta(days=1)
TIME_TO_VALIDATE = timedelta(minutes=5)


class Schema(Enum):
    EVENT_GRID = "EventGridSchema"
    CLOUD_EVENTS = "CloudEventSchemaV1_0"


class Validation(Struct, frozen=True, kw_only=True):
    """The endpoint has accepted the handshake without answering it: somebody has to call for it, in time."""

    code: str
    until: datetime  # by the wall clock


class Subscription(Struct, frozen=True, kw_only=True):
    source: str  # ARM id of the subscription or resource group whose events it hears
    endpoint: str
    schema: Schema = Schema.EVENT_GRID
    types: tuple[str, ...] | None = None  # as they were asked for; there is only one type of event
    begins: str = ""
    ends: str = ""
    case_sensitive: bool = False
    labels: tuple[str, ...] = ()
    attempts: int = MOST_ATTEMPTS
    lifetime: timedelta = LONGEST_LIFE
    validation: Validation | None = None  # None: the endpoint has proved that it wants to hear

    def wants(self, notice: Notice) -> bool:
        if self.validation is not None or not covers(self.source, notice.owner):
            return False
        fold = str if self.case_sensitive else str.casefold
        subject = fold(notice.subject)
        return subject.startswith(fold(self.begins)) and subject.endswith(fold(self.ends))


def subscription_of(resource: Resource) -> Subscription:
    return convert(resource.body[BODY], Subscription)


def holding(resource: Resource, subscription: Subscription) -> Resource:
    return replace(resource, body={**resource.body, BODY: to_builtins(subscription)})
