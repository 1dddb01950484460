"""One notice on its way to one webhook, and when to try again, as Event Grid does."""

from datetime import UTC, datetime, timedelta

from msgspec import Struct
from msgspec.structs import replace

from forewarn.domain.notices import Notice
from forewarn.domain.subscriptions import Subscription

AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)

PAUSES = tuple(timedelta(seconds=seconds) for seconds in (10, 30, 60, 300, 600, 1800, 3600))
"""After the first attempt, the second, and so on; the last one from then on."""

HOPELESS = frozenset({400, 401, 403, 404, 413})
"""What an endpoint answers that no repetition will change."""


class Delivery(Struct, frozen=True, kw_only=True):
    """Known by (notice, subscription). Its times are the wall clock's, which paces the network, not the fleet's."""

    notice: Notice
    subscription: str  # key of the resource
    due: datetime = AT_ONCE
    begun: datetime | None = None  # when it was first tried
    attempts: int = 0
    fence: int = 0  # grows with every lease; who holds an older one has nothing to say

    @property
    def key(self) -> tuple[str, str]:
        return self.notice.id, self.subscription


class Answered(Struct, frozen=True):
    status: int

    @property
    def is_taken(self) -> bool:
        return 200 <= self.status < 300

    def __str__(self) -> str:
        return f"it answered {self.status}"


class Unanswered(Struct, frozen=True):
    reason: str

    def __str__(self) -> str:
        return self.reason


def tried_again(
    delivery: Delivery, outcome: Answered | Unanswered, subscription: Subscription, wall: datetime
) -> Delivery | None:
    """The delivery as it waits for its next attempt; None if there is no other, because it failed for good."""
    if isinstance(outcome, Answered) and outcome.status in HOPELESS:
        return None
    begun = delivery.begun or wall
    due = wall + PAUSES[min(max(delivery.attempts, 1), len(PAUSES)) - 1]
    if delivery.attempts >= subscription.attempts or due >= begun + subscription.lifetime:
        return None
    return replace(delivery, due=due, begun=begun)
