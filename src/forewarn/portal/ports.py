"""What the portal asks of the world beside the engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from forewarn.access.tokens import Caller


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    body: Any

    @property
    def is_ok(self) -> bool:
        return self.status < 400

    @property
    def refusal(self) -> str:
        """In the control plane's own words; "" if it said yes."""
        error = self.body.get("error") if isinstance(self.body, Mapping) else None
        message = error.get("message") if isinstance(error, Mapping) else None
        return "" if self.is_ok else str(message or f"refused with status {self.status}")


class Resources(Protocol):
    """The ARM-shaped control plane, as `az` would ask it, in the name of whoever uses the portal."""

    async def send(
        self,
        caller: Caller,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        *,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """`path` with its query, from `/subscriptions/…` on."""
        ...
