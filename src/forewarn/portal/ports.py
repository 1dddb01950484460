"""What the portal asks of the world beside the engine."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from forewarn.access.tokens import Caller
from forewarn.domain.errors import ForewarnError, Refused


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    body: Any
    error: ForewarnError | None = None
    """What it was refused with, where that is known."""

    @property
    def is_ok(self) -> bool:
        return self.status < 400

    @property
    def refusal(self) -> ForewarnError | None:
        """None if it said yes. What the control plane says in ARM's words has ARM's word for it as its key."""
        if self.is_ok or (self.error is not None and self.error.key):
            return self.error
        error = self.body.get("error") if isinstance(self.body, Mapping) else None
        said = error if isinstance(error, Mapping) else {}
        message = said.get("message") or f"refused with status {self.status}"
        return Refused("{message}", key=f"arm_{said.get('code', '')}", message=message)


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
