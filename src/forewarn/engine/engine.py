"""The commands of machines, of people and programs, and of time itself."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta

from msgspec.structs import replace

from forewarn.domain import approving, campaigns, enrolment, maintenance, outcomes, requesting, ticking
from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.draft import Change, Draft, next_due
from forewarn.domain.errors import Conflict, NotFound
from forewarn.domain.events import Action, Actor, Event, EventType, Operation
from forewarn.domain.fleet import Fleet
from forewarn.domain.history import Entry
from forewarn.domain.machines import Machine, Power
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import SetSpec
from forewarn.domain.starting import settle
from forewarn.engine import behind, loading, repairing
from forewarn.engine.behind import Target
from forewarn.engine.consenting import Consenting
from forewarn.engine.locking import lock_known
from forewarn.engine.ports import Done, Failed, News, Reader, Running, Transaction
from forewarn.engine.walking import every_scope, pages_of_machines, pages_of_scopes


class Engine(Consenting):
    # Commands of the machines

    async def enrol(self, scope: str, by: Actor) -> None:
        """The first answer may take its time, as in Azure."""
        await self.command([scope], lambda tx, draft: enrolment.enrol(draft, scope, by))
        if self.settings.first_answer_delay:
            ready = self.clock.now() + self.settings.first_answer_delay
            while self.clock.now() < ready:
                await self.clock.wait_until(ready)

    async def mark_seen(self, marks: Mapping[str, datetime]) -> None:
        """Save who asked last, in one batch. Nothing visible changes."""

        def work(tx: Transaction) -> None:
            for scope in sorted(marks):
                here = next((found for found in tx.lock(scope) if found.id == scope), None)
                if here is not None and (seen := enrolment.seen(here, marks[scope])) is not here:
                    tx.mark_seen(scope, marks[scope], next_due(seen, self.settings))

        if marks:
            await self.store.run(work)

    # Commands of people and programs

    async def request(self, target: Target, impact: EventType, by: Actor, key: str | None = None) -> Operation:
        """Restart, redeploy, delete or evict one machine."""

        def decide(tx: Transaction, draft: Draft) -> list[Operation]:
            (machine,) = behind.find_machines(tx, [target])
            return [requesting.request(draft, machine, impact, by, self.settings, self.new_id)]

        return _the_one(await self._operations([target[0]], decide, key), key)

    async def repair(
        self, target: Target, read: Callable[[Resource], SetSpec], by: Actor, key: str | None = None
    ) -> Operation:
        """An instance is unhealthy: its scale set does what its owner has said that it should do then.

        `read` tells what the set's description means: that of the moment at which this is done.
        """

        def decide(tx: Transaction, draft: Draft) -> list[Operation]:
            return [repairing.repair(tx, draft, target, read, by, self.settings, self.new_id)]

        return _the_one(await self._operations([target[0]], decide, key), key)

    async def schedule(
        self, targets: Sequence[Target], work: Maintenance, by: Actor, key: str | None = None
    ) -> list[Operation]:
        """Platform maintenance on these machines: one event for each group that goes down together."""

        def decide(tx: Transaction, draft: Draft) -> list[Operation]:
            machines = behind.find_machines(tx, targets)
            by_scope: dict[str, list[Machine]] = defaultdict(list)
            for machine in machines:
                by_scope[machine.scope].append(machine)
            return [
                operation
                for scope in sorted(by_scope)
                for operation in maintenance.schedule(draft, by_scope[scope], work, by, self.settings, self.new_id)
            ]

        return await self._operations(sorted({scope for scope, _ in targets}), decide, key)

    async def approve_event(self, event_id: str, by: Actor) -> Event:
        event = await self.event(event_id)

        def decide(tx: Transaction, draft: Draft) -> Event:
            if approving.approve(draft, event.scope, [event.id], by, acknowledged=True):
                raise Conflict(
                    "Event {event} is {phase}: there is nothing left to approve.",
                    key="nothing_to_approve",
                    event=event.id,
                    phase=_ended(tx, event.id),
                )
            return _find(draft, event)

        return await self.command([event.scope], decide)

    async def cancel_event(self, event_id: str, by: Actor, why: str = "") -> Event:
        event = await self.event(event_id)

        def decide(tx: Transaction, draft: Draft) -> Event:
            known = next((e for e in draft.scopes[event.scope].events if e.id == event.id), None)
            if known is None:
                raise Conflict(
                    "Event {event} is {phase}: there is nothing left to cancel.",
                    key="nothing_to_cancel",
                    event=event.id,
                    phase=_ended(tx, event.id),
                )
            approving.cancel(draft, known, by, why)
            return _find(draft, event)

        return await self.command([event.scope], decide)

    async def set_power(self, target: Target, power: Power, by: Actor) -> None:
        """A machine was started, stopped or deallocated. With all of them down, nothing needs to wait."""

        def decide(tx: Transaction, draft: Draft) -> None:
            (machine,) = behind.find_machines(tx, [target])
            outcomes.set_power(draft, machine, power, by)
            behind.recount(tx, draft, [machine.scope])
            settle(draft)

        await self.command([target[0]], decide)

    # Campaigns

    async def begin_campaign(self, campaign: Campaign) -> Campaign:
        """Begin in every scope, or in none."""

        def decide(tx: Transaction, draft: Draft) -> Campaign:
            for scope in campaign.scopes:
                campaigns.begin(draft, scope, campaign, tx.machines(scope), self.settings)
            tx.save_campaign(campaign)
            return campaign

        return await self.command(campaign.scopes, decide)

    async def steer_campaign(self, campaign_id: str, wish: CampaignState, by: Actor) -> Campaign:
        """Pause, resume or cancel: in every scope it walks through, or in none."""

        def walked(tx: Transaction) -> list[str]:
            return [scope.id for scope in every_scope(tx, campaign=campaign_id)]

        def decide(tx: Transaction, draft: Draft) -> Campaign:
            campaign = tx.campaign(campaign_id)
            if campaign is None:
                raise NotFound("There is no campaign {campaign}.", key="no_campaign", campaign=campaign_id)
            wished = campaigns.wished(campaign, wish)
            tx.save_campaign(wished)
            for scope in draft.scopes:
                campaigns.steer(draft, scope, wished, by)
            return wished

        return await self.command(walked, decide)

    # The fleet

    async def load_fleet(self, fleet: Fleet, declaration: str, before: Fleet | None = None) -> bool:
        """Take over a declared fleet, unless it is the one taken over last. Says whether it was.

        `before`: the one taken over last, if machines that were in it and have been deleted since are to stay so.
        """

        def work(tx: Transaction) -> tuple[bool, Change, Sequence[Entry]]:
            if tx.note(loading.FLEET_NOTE) == declaration:
                return False, Change(), ()
            tx.put_note(loading.FLEET_NOTE, declaration)
            wanted = fleet if before is None else loading.without_deleted(tx, fleet, before)
            change = loading.take_over(tx, wanted, self.clock.now(), self.new_id)
            return True, change, tx.save(change)

        loaded, _, _ = await self.store.run(work, self.tell)
        if loaded:
            self.settings = fleet.settings
        return loaded

    async def publish_all(self) -> None:
        """For the start: take up the settings that are stored, and tell who watches everything there is."""
        self.settings = await self.store.read(loading.stored_settings)
        async for scopes in pages_of_scopes(self.store):
            self.feed.publish(News(documents=[scope.document for scope in scopes], scopes=scopes))
        async for machines in pages_of_machines(self.store):
            self.feed.publish(News(machines=machines))

    # What happens by itself

    async def tick(self, scope: str) -> None:
        heard = self.heard(scope)

        def decide(tx: Transaction, draft: Draft) -> None:
            if scope not in draft.scopes:
                return  # it has been dissolved since
            if heard is not None:
                draft.put_scope(enrolment.seen(draft.scopes[scope], heard))
            walk = draft.scopes[scope].walk
            campaign = tx.campaign(walk.campaign) if walk is not None else None
            machines = tx.machines(scope) if campaign is not None else ()
            ticking.tick(draft, scope, campaign, machines, self.settings, self.new_id)

        await self.command([scope], decide, lock=lock_known)

    async def lease(self, wall: datetime, free_by: datetime, length: timedelta, limit: int) -> Sequence[Action]:
        """Take actions that are due, and whose last lease has run out by `free_by`."""
        return await self.store.run(lambda tx: tx.lease(self.clock.now(), free_by, wall + length, limit))

    async def report(self, action: Action, outcome: Done | Running | Failed) -> None:
        """What a driver says of an action. A report under an old fence is from somebody who lost the lease."""

        def decide(tx: Transaction, draft: Draft) -> None:
            held = tx.action(action.operation, action.machine)
            if held is None or held.fence != action.fence:
                return
            match outcome:
                case Running(until):
                    draft.actions.append(outcomes.asked_again(held, until))
                case Failed(reason):
                    again = outcomes.retry_at(held, draft.now, self.settings)
                    if again is not None:
                        draft.actions.append(replace(held, due=again))
                    else:
                        outcomes.given_up(draft, held, reason)
                case Done():
                    known = tx.machines(held.scope, [held.machine]) if outcomes.leaves_mark(draft, held) else ()
                    outcomes.performed(draft, held, next(iter(known), None))
                    if known and held.impact in outcomes.LASTING:
                        behind.recount(tx, draft, [held.scope])
                        settle(draft)

        await self.command([action.scope], decide, lock=lock_known)

    # Looking

    async def made_by(self, key: str | None) -> list[Operation] | None:
        """What the command with this idempotency key made, if it was done before."""
        return await self.store.read(lambda r: _made(r, key))

    async def event(self, event_id: str) -> Event:
        event = await self.store.read(lambda r: r.event(event_id.upper()))
        if event is None:
            raise NotFound(
                "There is no event {event}. `forewarn events` lists those there are.", key="no_event", event=event_id
            )
        return event

    # Parts

    async def _operations(
        self, scopes: Sequence[str], decide: Callable[[Transaction, Draft], list[Operation]], key: str | None
    ) -> list[Operation]:
        """Run once per idempotency key: the second time, what the first one made comes back."""

        def once(tx: Transaction, draft: Draft) -> list[Operation]:
            made = _made(tx, key)
            if made is not None:
                return made
            operations = decide(tx, draft)
            if key:
                tx.put_answer(key, " ".join(operation.id for operation in operations), draft.now)
                tx.forget_answers(draft.now - ANSWERS_KEPT)
            return operations

        return await self.command(scopes, once)


ANSWERS_KEPT = timedelta(days=1)
"""How long a command sent again under the same idempotency key is known."""


def _the_one(operations: Sequence[Operation], key: str | None) -> Operation:
    if len(operations) != 1:
        raise Conflict(
            "The idempotency key {used} has been used for another command: use a new one.", key="key_used", used=key
        )
    return operations[0]


def _made(reader: Reader, key: str | None) -> list[Operation] | None:
    made = reader.answer(key) if key else None
    if made is None:
        return None
    return [operation for i in made.split() if (operation := reader.operation(i)) is not None]


def _ended(tx: Reader, event: str) -> str:
    known = tx.event(event)
    return known.phase.value if known is not None else "gone"


def _find(draft: Draft, event: Event) -> Event:
    return next(e for e in draft.scopes[event.scope].events if e.id == event.id)
