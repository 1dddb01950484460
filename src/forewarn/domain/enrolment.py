"""Who listens. A scope is enrolled by its first request and forgotten after a day without one."""

from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.draft import Draft
from forewarn.domain.events import Actor, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.scopes import Scope, disenrol_at
from forewarn.domain.settings import Settings
from forewarn.domain.starting import record_approval

NOBODY_LISTENS = Actor.system("nobody-listens")


def enrol(draft: Draft, scope: str, by: Actor) -> None:
    here = draft.scopes[scope]
    if here.is_enrolled:
        return
    draft.put_scope(replace(here, enrolled_at=draft.now, last_seen=draft.now))
    draft.note(scope, by, What.ENROLLED, scope, "not enrolled", "enrolled")


def seen(scope: Scope, at: datetime) -> Scope:
    """The scope with a later mark of who asked last; itself if the mark is no later."""
    if not scope.is_enrolled or (scope.last_seen is not None and scope.last_seen >= at):
        return scope
    return replace(scope, last_seen=at)


def disenrol_if_idle(draft: Draft, scope: str, settings: Settings) -> None:
    """After a day of silence the incarnation starts anew, and what users asked for need not wait any longer."""
    here = draft.scopes[scope]
    moment = disenrol_at(here, settings.disenrol_after)
    if moment is None or moment > draft.now:
        return
    draft.put_scope(replace(here, enrolled_at=None, last_seen=None, epoch=here.epoch + 1, incarnation=1))
    draft.note(scope, NOBODY_LISTENS, What.DISENROLLED, scope, "enrolled", "not enrolled")
    for event in here.events:
        if event.phase is Phase.SCHEDULED and event.source is Source.USER:
            record_approval(draft, event, NOBODY_LISTENS)
