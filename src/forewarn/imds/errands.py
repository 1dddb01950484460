"""Requests that need the backend, and what its errors become on the wire."""

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any

from forewarn.domain.errors import Refused, TooMany, Unavailable
from forewarn.domain.events import Actor
from forewarn.imds.ports import Backend, Identities
from forewarn.imds.service import Approve, Issue, Stand
from forewarn.imds.slots import Guest, Slot
from forewarn.wire import answers, identity, readiness
from forewarn.wire.answers import Answer
from forewarn.wire.instance import resource_id

_log = logging.getLogger(__name__)


def answer_to(error: Exception) -> Answer:
    """410 is what Azure sends while it is being updated: its clients try again, for 70 seconds."""
    match error:
        case Unavailable():
            return answers.GONE
        case TooMany():
            return answers.TOO_MANY_REQUESTS
        case Refused():
            return answers.bad_request(str(error))
        case _:
            _log.error("the backend failed", exc_info=error)
            return answers.INTERNAL_ERROR


class Errands:
    def __init__(self, backend: Backend, identities: Identities | None) -> None:
        self._backend = backend
        self._identities = identities
        self._tasks: set[asyncio.Task[None]] = set()

    async def enrol(self, guest: Guest) -> Answer | None:
        """Bring the guest's document in. None: it can be read now."""
        try:
            await self._enrolled(guest.slot, Actor.machine(guest.machine.name))
        except Exception as error:
            return answer_to(error)
        if not guest.is_here:
            return answers.UNKNOWN_CALLER
        return None if guest.slot.ready else answers.GONE

    async def approve(self, approval: Approve) -> Answer:
        slot, by = approval.guest.slot, Actor.machine(approval.guest.machine.name)
        try:
            if not slot.ready:
                await self._enrolled(slot, by)
            unknown = await self._backend.approve(slot.scope, approval.ids, by)
        except Exception as error:
            return answer_to(error)
        return answers.unknown_events(unknown) if unknown else answers.APPROVED

    async def stand(self, asked: Stand) -> Answer:
        """Who speaks is the guest, whatever was sent."""
        scope, machine = asked.guest.slot.scope, asked.guest.machine.name
        try:
            if asked.ready is None:
                event = await self._backend.readiness(scope, asked.event)
            else:
                event = await self._backend.say_ready(scope, asked.event, machine, asked.ready)
        except Exception as error:
            return readiness.refused(error) if isinstance(error, Refused) else answer_to(error)
        return readiness.standing(event)

    async def issue(self, asked: Issue) -> Answer:
        machine, request = asked.guest.machine, asked.request
        own = resource_id(machine, asked.guest.slot.facts).lower()
        if self._identities is None or request.resource_id not in ("", own):
            return identity.UNKNOWN_IDENTITY
        try:
            if not request.ids <= {self._identities.client_id(machine).lower()}:
                return identity.UNKNOWN_IDENTITY
            token = await self._identities.issue_token(machine, request.resource)
        except Exception as error:
            return answer_to(error)
        return identity.token_answer(token) if asked.guest.is_here else answers.UNKNOWN_CALLER

    def run(self, errand: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(errand)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self, seconds: float) -> None:
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()

    async def _enrolled(self, slot: Slot, by: Actor) -> None:
        """Asked for once, however many requests wait for it; the first one's going away does not end it."""
        if slot.enrolling is None:
            slot.enrolling = self.run(self._backend.enrol(slot.scope, by))
            slot.enrolling.add_done_callback(lambda _: setattr(slot, "enrolling", None))
        await asyncio.shield(slot.enrolling)
