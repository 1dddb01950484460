"""An operation and the event that tells of it, which are made together."""

from collections.abc import Callable
from datetime import timedelta

from msgspec import Struct

from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Event, EventType, Operation, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.texts import describe, duration_of


class Plan(Struct, frozen=True, kw_only=True):
    """What is to happen to machines that go down together."""

    scope: str
    machines: tuple[str, ...]
    impact: EventType
    source: Source
    by: Actor
    notice: timedelta
    at_once: bool = False  # there is no notice to give: the event begins as Started
    description: str | None = None  # None, here and below: as is usual for the impact
    duration: int | None = None
    campaign: str | None = None
    request: str = ""  # what it has in common with others that were asked for in one go


def announce(draft: Draft, plan: Plan, new_id: Callable[[], str]) -> Operation:
    operation = Operation(
        id=new_id(),
        scope=plan.scope,
        impact=plan.impact,
        source=plan.source,
        machines=plan.machines,
        requested_by=plan.by,
        requested_at=draft.now,
        event=new_id(),
        pending=plan.machines,
        request=plan.request,
    )
    event = _event(draft, plan, operation)
    draft.add_operation(operation, event)
    what = What.STRUCK if plan.at_once else What.SCHEDULED
    detail = f"{plan.impact.value} of {', '.join(plan.machines)}"
    draft.note(plan.scope, plan.by, what, event.id, "", event.phase.value, detail)
    if plan.at_once:
        draft.act(operation, duration=event.duration)
    return operation


def _event(draft: Draft, plan: Plan, operation: Operation) -> Event:
    return Event(
        id=str(operation.event),
        scope=plan.scope,
        operation=operation.id,
        type=plan.impact,
        source=plan.source,
        resources=plan.machines,
        scheduled_at=draft.now,
        not_before=draft.now if plan.at_once else draft.now + plan.notice,
        phase=Phase.STARTED if plan.at_once else Phase.SCHEDULED,
        started_at=draft.now if plan.at_once else None,
        description=describe(plan.impact, plan.source) if plan.description is None else plan.description,
        duration=duration_of(plan.impact) if plan.duration is None else plan.duration,
        campaign=plan.campaign,
    )
