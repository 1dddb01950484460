"""The commands by which machines and people let events start, and by which it is chosen whose word counts."""

from collections.abc import Sequence
from datetime import datetime

from forewarn.domain import approving
from forewarn.domain.consent import ApprovalPolicy
from forewarn.domain.draft import Draft
from forewarn.domain.errors import NotFound
from forewarn.domain.events import Actor, Event
from forewarn.domain.starting import settle
from forewarn.engine.frame import Frame
from forewarn.engine.ports import Reader, Transaction


class Consenting(Frame):
    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        """Approve what is known; the ids nobody here ever heard of, or not lately, come back."""
        return await self._approve(scope, ids, by, acknowledged=False)

    async def acknowledge(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        """The same by somebody with the right to speak for all machines of the scope."""
        return await self._approve(scope, ids, by, acknowledged=True)

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        """A machine of the scope says of itself that it is ready for an event, or takes that back."""

        def decide(tx: Transaction, draft: Draft) -> Event:
            event = self._known_to(tx, scope, event_id, draft.now)
            return approving.say_ready(draft, event, machine, ready)

        return await self.command([scope], decide)

    async def readiness(self, scope: str, event_id: str) -> Event:
        """An event of the scope, with who is ready for it."""
        now = self.clock.now()
        return await self.store.read(lambda reader: self._known_to(reader, scope, event_id, now))

    async def set_policy(self, scopes: Sequence[str], policy: ApprovalPolicy, by: Actor) -> None:
        """In all of the scopes, or in none."""

        def decide(tx: Transaction, draft: Draft) -> None:
            for scope in scopes:
                approving.set_policy(draft, scope, policy, by)
            settle(draft)

        await self.command(scopes, decide)

    async def _approve(self, scope: str, ids: Sequence[str], by: Actor, *, acknowledged: bool) -> tuple[str, ...]:
        def decide(tx: Transaction, draft: Draft) -> tuple[str, ...]:
            unknown = approving.approve(draft, scope, ids, by, acknowledged=acknowledged)
            return tuple(i for i in unknown if not approving.ended_lately(tx.event(i), scope, draft.now, self.settings))

        return await self.command([scope], decide)

    def _known_to(self, reader: Reader, scope: str, event_id: str, now: datetime) -> Event:
        """Live, or so until a moment ago. Of another scope's event nobody hears more than of one that is not there."""
        event = reader.event(event_id)
        here = event is not None and event.scope == scope and event.phase.is_live
        if event is None or not (here or approving.ended_lately(event, scope, now, self.settings)):
            raise NotFound(f"There is no event {event_id[:64]} here.")
        return event
