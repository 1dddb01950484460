"""What each fault does to the answer of one request."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from msgspec.structs import replace

from forewarn.domain.events import Announcement, Document, Phase
from forewarn.domain.faults import Fault, FaultKind
from forewarn.imds.cases import Case
from forewarn.imds.slots import Guest
from forewarn.wire import answers

NOT_JSON = answers.ok(b"<!DOCTYPE html><title>Please log in</title><p>This is not what you asked for.", answers.HTML)


@dataclass(slots=True)
class Past:
    """What a scope's machines were told: the documents there were, and what each machine was last shown of them."""

    documents: deque[tuple[datetime, Document]]  # since when, and which; the last one is the one there is
    shown: dict[str, Document] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)  # by fault: the incarnation from which it counts anew
    turns: dict[str, int] = field(default_factory=dict)

    def at(self, moment: datetime) -> Document:
        """The document as it was then; the oldest known, if that was before."""
        known = [document for since, document in self.documents if since <= moment]
        return known[-1] if known else self.documents[0][1]

    @property
    def before(self) -> Document:
        """The document before the newest, if there was one."""
        return self.documents[-2 if len(self.documents) > 1 else -1][1]


def spoil(case: Case, fault: Fault, past: Past, guest: Guest, now: Callable[[], datetime]) -> None:
    """Make `fault` happen to this request. Where two want the same, the earlier in the playbook has it."""
    match fault.kind:
        case FaultKind.STATUS:
            case.answer = case.answer or answers.error(fault.status, "The playbook says so")
        case FaultKind.NOT_JSON:
            case.answer = case.answer or NOT_JSON
        case FaultKind.DELAY:
            case.delay = max(case.delay, fault.by.total_seconds())
        case FaultKind.HANG:
            case.hang = True
        case FaultKind.RESET:
            case.reset = True
        case FaultKind.TRUNCATED:
            case.truncated = True
        case FaultKind.EMPTY:
            case.empty = True
        case FaultKind.CONTENT_TYPE:
            case.content_type = case.content_type or fault.value
        case FaultKind.SKEWED_DATE:
            case.date_skew = case.date_skew or fault.by
        case FaultKind.NO_DATE:
            case.no_date = True
        case FaultKind.STALE:
            case.views.append(lambda document: past.at(now() - fault.by))
        case FaultKind.REORDERED:
            case.views.append(lambda document: _turns(fault, past, guest, document))
        case FaultKind.REPEATED:
            case.views.append(lambda document: _repeated(past, guest, document))
        case FaultKind.RESTARTED:
            case.views.append(lambda document: _restarted(fault, past, document))
        case FaultKind.NO_NOTICE:
            case.views.append(lambda d: _hiding(past, guest, d, lambda a: a.phase is Phase.SCHEDULED))
        case FaultKind.SHORT_NOTICE:
            case.views.append(lambda d: _hiding(past, guest, d, lambda a: _is_early(a, fault, now())))
        case FaultKind.SKEWED_NOT_BEFORE:
            case.views.append(lambda document: _skewed(document, fault))


def _turns(fault: Fault, past: Past, guest: Guest, document: Document) -> Document:
    name = f"{fault.id} {guest.machine.name}"
    past.turns[name] = past.turns.get(name, 0) + 1
    return past.before if past.turns[name] % 2 == 0 else document


def _repeated(past: Past, guest: Guest, document: Document) -> Document:
    """The incarnation stays what this machine saw first, whatever the events are."""
    shown = past.shown.setdefault(guest.machine.name, past.before)
    return replace(document, incarnation=shown.incarnation)


def _restarted(fault: Fault, past: Past, document: Document) -> Document:
    first = past.first.setdefault(fault.id, document.incarnation)
    return replace(document, incarnation=document.incarnation - first + 1)


def _hiding(past: Past, guest: Guest, document: Document, hidden: Callable[[Announcement], bool]) -> Document:
    """Without those events; the incarnation moves when what can be seen does, also where the real one does not."""
    told = replace(document, announcements=tuple(a for a in document.announcements if not hidden(a)))
    shown = past.shown.get(guest.machine.name)
    if shown is not None and shown.announcements != told.announcements:
        told = replace(told, incarnation=max(told.incarnation, shown.incarnation + 1))
    elif shown is not None:
        told = replace(told, incarnation=max(told.incarnation, shown.incarnation))
    past.shown[guest.machine.name] = told
    return told


def _is_early(announcement: Announcement, fault: Fault, now: datetime) -> bool:
    return announcement.not_before is not None and announcement.not_before - now > fault.by


def _skewed(document: Document, fault: Fault) -> Document:
    return replace(
        document,
        announcements=tuple(
            a if a.not_before is None else replace(a, not_before=a.not_before + fault.by)
            for a in document.announcements
        ),
    )
