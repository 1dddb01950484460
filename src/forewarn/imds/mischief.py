"""What each fault does to the answer of one request."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus

from msgspec.structs import replace

from forewarn.domain.events import Announcement, Document, Phase
from forewarn.domain.faults import Fault, FaultKind, shifted
from forewarn.imds.cases import Case, View
from forewarn.imds.rules import Course, Past, Rule
from forewarn.wire import answers
from forewarn.wire.answers import Answer

NOT_JSON = answers.ok(b"<!DOCTYPE html><title>Please log in</title><p>This is not what you asked for.", answers.HTML)
EMPTY = answers.ok(b"")
_AS_IF_REAL = {
    answer.status: answer
    for answer in (answers.NOT_MODIFIED, answers.NOT_FOUND, answers.GONE, answers.TOO_MANY_REQUESTS)
}

_VIEWS = {
    FaultKind.STALE: 1,
    FaultKind.REORDERED: 2,
    FaultKind.NO_NOTICE: 3,
    FaultKind.SHORT_NOTICE: 4,
    FaultKind.SKEWED_NOT_BEFORE: 5,
    FaultKind.RESTARTED: 6,
    FaultKind.REPEATED: 7,
}
"""What becomes of the document, in this order: which one, what of it, and under which number."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Occasion:
    """A fault that strikes, and what it needs to know for that."""

    rule: Rule
    course: Course
    past: Past
    now: Callable[[], datetime]

    @property
    def fault(self) -> Fault:
        return self.rule.fault

    def show_in(self, case: Case) -> Callable[[View], None]:
        """Adds a view of the document. Asked again, it must show the same unless the document or the time is another.

        Nothing is spoilt any more where a request has waited for longer than the fault lasts.
        """
        return lambda view: case.views.append(
            lambda document: document if self.rule.is_over(self.now()) else view(document)
        )


def spoil(case: Case, occasions: list[Occasion]) -> None:
    """Make it all go wrong. Where two faults want the same, the earlier in the playbook has it."""
    for occasion in sorted(occasions, key=lambda each: _VIEWS.get(each.fault.kind, 0)):
        _spoil(case, occasion)


def _spoil(case: Case, occasion: Occasion) -> None:
    fault, past, now = occasion.fault, occasion.past, occasion.now
    show = occasion.show_in(case)
    match fault.kind:
        case FaultKind.STATUS:
            case.answer = case.answer or _refusal(fault)
        case FaultKind.NOT_JSON:
            case.answer = case.answer or NOT_JSON
        case FaultKind.EMPTY:
            case.answer = case.answer or EMPTY
        case FaultKind.DELAY:
            case.delay = max(case.delay, fault.by.total_seconds())
        case FaultKind.HANG:
            case.hang = True
        case FaultKind.RESET:
            case.reset = True
        case FaultKind.TRUNCATED:
            case.truncated = True
        case FaultKind.CONTENT_TYPE:
            case.content_type = case.content_type or fault.value
        case FaultKind.SKEWED_DATE:
            case.date_skew = case.date_skew or fault.by
        case FaultKind.NO_DATE:
            case.no_date = True
        case FaultKind.STALE:
            show(lambda document: _as_of(past, shifted(now(), -fault.by), document))
        case FaultKind.REORDERED:
            late = occasion.course.spoilt % 2 == 0
            show(lambda document: past[-2][1] if late and len(past) > 1 else document)
        case FaultKind.NO_NOTICE:
            show(lambda document: _hiding(occasion, document, lambda a: a.phase is Phase.SCHEDULED))
        case FaultKind.SHORT_NOTICE:
            show(lambda document: _hiding(occasion, document, lambda a: _is_early(a, fault.by, now())))
        case FaultKind.SKEWED_NOT_BEFORE:
            show(lambda document: _skewed(document, fault.by))
        case FaultKind.RESTARTED:
            show(lambda document: _numbered(document, document.incarnation - _first(occasion, document) + 1))
        case FaultKind.REPEATED:
            show(lambda document: _numbered(document, _first(occasion, document)))


def _refusal(fault: Fault) -> Answer:
    status, seconds = fault.status, int(fault.by.total_seconds())
    told = _AS_IF_REAL.get(status) or answers.error(status, f"{HTTPStatus(status).phrase}. The playbook says so")
    return Answer(
        status=status,
        body=told.body,
        content_type=told.content_type,
        retry_after=seconds or None,
    )


def _as_of(past: Past, moment: datetime, document: Document) -> Document:
    """The document as it was then; the oldest known, if that was before."""
    known = [told for since, told in past if since <= moment]
    return known[-1] if known else past[0][1] if past else document


def _first(occasion: Occasion, document: Document) -> int:
    """The incarnation at which the fault began."""
    return (occasion.rule.before or document).incarnation


def _numbered(document: Document, incarnation: int) -> Document:
    return replace(document, incarnation=max(incarnation, 1))


def _hiding(occasion: Occasion, document: Document, hidden: Callable[[Announcement], bool]) -> Document:
    """Without those events, unless they were told before the fault began.

    The incarnation moves when what can be seen does, and stays behind the real one as long as something is hidden: so
    the two never give one number to two documents, and are the same again when the fault is over.
    """
    before = occasion.rule.before
    known = {a.id for a in before.announcements} if before else set()
    kept = tuple(a for a in document.announcements if a.id in known or not hidden(a))
    last = occasion.course.told or before
    incarnation = document.incarnation
    if last is not None and kept == last.announcements:
        incarnation = last.incarnation
    elif last is not None:
        next_one = last.incarnation + 1
        incarnation = max(next_one, incarnation) if kept == document.announcements else next_one
    occasion.course.told = replace(document, announcements=kept, incarnation=incarnation)
    return occasion.course.told


def _is_early(announcement: Announcement, by: timedelta, now: datetime) -> bool:
    return announcement.not_before is not None and announcement.not_before - now > by


def _skewed(document: Document, by: timedelta) -> Document:
    told = [
        a if a.not_before is None else replace(a, not_before=shifted(a.not_before, by)) for a in document.announcements
    ]
    return replace(document, announcements=tuple(told))
