"""The laws of the architecture, each a plain function over a trace that reads like the law and yields its breaches."""

from collections import defaultdict
from collections.abc import Iterator

from forewarn.domain.consent import is_approved
from forewarn.domain.enrolment import NOBODY_LISTENS
from forewarn.domain.events import ActorKind, Announcement, Document, EventType, Phase, Source
from forewarn.domain.history import What
from forewarn.domain.scopes import Scope
from forewarn.domain.starting import ALL_DOWN
from forewarn.testing.simulation.fleets import home, update_domain
from forewarn.testing.simulation.laws.book import Breach, law
from forewarn.testing.simulation.laws.reading import (
    deletes,
    event_changes,
    looks,
    pair,
    pending_deletes,
    visible_changes,
)
from forewarn.testing.simulation.trace import Approved, Committed, Looked, Published, Trace

MOVES = {
    (None, Phase.SCHEDULED),
    (None, Phase.STARTED),
    (Phase.SCHEDULED, Phase.STARTED),
    (Phase.SCHEDULED, Phase.CANCELED),
    (Phase.STARTED, Phase.COMPLETED),
    (Phase.STARTED, Phase.FAILED),
}
FOR_LIFE = ("id", "scope", "operation", "type", "source", "scheduled_at", "not_before", "description", "campaign")


@law("1. An event has one id for life and only moves Scheduled → Started → gone, or Scheduled → gone.")
def one_life(trace: Trace) -> Iterator[Breach]:
    for line, before, after in event_changes(trace):
        was = None if before is None else before.phase
        if was is not after.phase and (was, after.phase) not in MOVES:
            yield Breach(line.step, f"{after.id} went from {was} to {after.phase}")
        if before is not None and any(getattr(before, name) != getattr(after, name) for name in FOR_LIFE):
            yield Breach(line.step, f"{after.id} is not what it was")
        if before is not None and not set(after.resources) <= set(before.resources):
            yield Breach(line.step, f"{after.id} has got new resources")


@law("1. What has left a document never comes back to it, and is in no other.")
def gone_is_gone(trace: Trace) -> Iterator[Breach]:
    shown: dict[str, set[str]] = defaultdict(set)
    gone: set[str] = set()
    owner: dict[str, str] = {}
    for line, published in trace.of(Published):
        for document in published.documents:
            now = {announcement.id for announcement in document.announcements}
            gone |= shown[document.scope] - now
            shown[document.scope] = now
            for event in now & gone:
                yield Breach(line.step, f"{event} is back in {document.scope}")
            for event in now:
                if owner.setdefault(event, document.scope) != document.scope:
                    yield Breach(line.step, f"{event} is in {document.scope} and in {owner[event]}")


@law("2. The incarnation moves exactly when something visible changes.")
def incarnation_tells(trace: Trace) -> Iterator[Breach]:
    last: dict[str, Document] = {}
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            document = revision.after.document
            before = last.get(document.scope)
            last[document.scope] = document
            if before is None:
                continue
            if revision.before is None or looks(revision.before.document) != looks(before):
                yield Breach(line.step, f"{document.scope} was changed from something it was not: an update is lost")
            if document.epoch == before.epoch:
                moved, should = document.incarnation - before.incarnation, visible_changes(before, document)
                if moved != should:
                    yield Breach(line.step, f"{document.scope} moved by {moved}, but {should} events look different")
            if (document.epoch - before.epoch, document.incarnation) not in ((0, document.incarnation), (1, 1)):
                yield Breach(line.step, f"{document.scope} went from epoch {before.epoch} to {document.epoch}")
        for scope in committed.change.dissolved:
            last.pop(scope, None)


@law("2. The epoch moves exactly when the scope is forgotten, so that enrolling again restarts the incarnation.")
def epoch_tells(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        forgotten = {entry.scope for entry in committed.entries if entry.what is What.DISENROLLED}
        for revision in committed.change.revisions:
            moved = 0 if revision.before is None else revision.after.epoch - revision.before.epoch
            if moved != (revision.after.id in forgotten):
                yield Breach(line.step, f"the epoch of {revision.after.id} moved by {moved}")


@law(
    "2. Of two published documents the later never has the lower (epoch, incarnation); with the same it says the same."
)
def never_back(trace: Trace) -> Iterator[Breach]:
    newest: dict[str, Document] = {}
    for line, published in trace.of(Published):
        for document in published.documents:
            before = newest.get(document.scope)
            newest[document.scope] = document
            if before is None:
                continue
            if pair(document) < pair(before):
                yield Breach(line.step, f"{document.scope} went back from {pair(before)} to {pair(document)}")
            if pair(document) == pair(before) and document.announcements != before.announcements:
                yield Breach(line.step, f"{document.scope} says two things under {pair(document)}")


@law("2. Every published document was committed first, as it is.")
def nothing_invented(trace: Trace) -> Iterator[Breach]:
    true: dict[tuple[str, int, int], tuple[Announcement, ...]] = {}
    for line in trace.lines:
        if isinstance(line.record, Committed):
            for revision in line.record.change.revisions:
                document = revision.after.document
                true[document.scope, *pair(document)] = document.announcements
        elif isinstance(line.record, Published):
            for document in line.record.documents:
                if true.get((document.scope, *pair(document))) != document.announcements:
                    yield Breach(line.step, f"{document.scope} was published as it never was")


@law("3. No machine outside the scope ever sees an event.")
def seen_by_its_own(trace: Trace) -> Iterator[Breach]:
    for line, published in trace.of(Published):
        for document in published.documents:
            names = [name for announcement in document.announcements for name in announcement.resources]
            if any(home(name) != document.scope for name in names):
                yield Breach(line.step, f"{document.scope} sees {names}")


@law("3. No machine outside the scope can approve an event, or is told that it could.")
def approved_by_its_own(trace: Trace) -> Iterator[Breach]:
    owner: dict[str, str] = {}
    for line in trace.lines:
        match line.record:
            case Committed(change=change):
                for event in (event for revision in change.revisions for event in revision.after.events):
                    owner[event.id] = event.scope
                    machines = [a.by.name for a in event.approvals if a.by.kind is ActorKind.MACHINE]
                    if any(home(name) != event.scope for name in machines):
                        yield Breach(line.step, f"{event.id} of {event.scope} was approved by {machines}")
            case Approved(scope=scope, ids=ids, unknown=unknown):
                for asked in ids:
                    if owner.get(asked) != scope and asked not in unknown:
                        yield Breach(line.step, f"{scope} was told that it knows {asked} of {owner.get(asked)}")
            case _:
                pass


@law("4. Nothing starts before NotBefore unless the approvals that its rule needs are there.")
def not_before(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        started = {entry.subject for entry in committed.entries if entry.what is What.STARTED}
        for scope in (revision.after for revision in committed.change.revisions):
            for event in scope.events:
                early = event.id in started and line.at < event.not_before
                if early and not is_approved(event, scope.approval_policy):
                    yield Breach(line.step, f"{event.id} started {event.not_before - line.at} early, unapproved")


@law("4. What has the approvals that its rule needs does not wait, but for deletes.")
def approved_starts(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        for scope in (revision.after for revision in committed.change.revisions):
            for event in scope.events:
                alone = event.phase is Phase.SCHEDULED and event.type is not EventType.TERMINATE
                if alone and is_approved(event, scope.approval_policy):
                    yield Breach(line.step, f"{event.id} waits though {scope.approval_policy} is satisfied")


@law("4. A machine is ready only for what is about itself, and only by its own word.")
def each_for_itself(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        spoke = {(e.subject, e.who.name) for e in committed.entries if e.what in (What.READY, What.NOT_READY)}
        for revision in committed.change.revisions:
            known = {event.id: event.readiness for event in revision.before.events} if revision.before else {}
            for event in revision.after.events:
                for said in set(event.readiness) - set(known.get(event.id, ())):
                    if (event.id, said.machine) not in spoke or said.machine not in event.resources:
                        yield Breach(line.step, f"{said.machine} is ready for {event.id} of {event.resources}")


@law("4. A rule approves only what it may: for a scope that is down, or a user's wish when nobody listens.")
def rules_have_reasons(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            scope = revision.after
            known = {event.id: event.approvals for event in revision.before.events} if revision.before else {}
            down = scope.policy.approve_all_instances_down and not scope.any_running
            for event in scope.events:
                new = [approval.by for approval in event.approvals[len(known.get(event.id, ())) :]]
                if ALL_DOWN in new and not down:
                    yield Breach(line.step, f"{event.id} was approved for a scope that is not down")
                if NOBODY_LISTENS in new and (event.source is not Source.USER or scope.is_enrolled):
                    yield Breach(line.step, f"{event.id} was approved though it concerns somebody")


@law("4. What starts without notice is a hardware failure, or a user's restart or redeploy that a policy approves.")
def no_notice_needs_a_reason(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        struck = {entry.subject for entry in committed.entries if entry.what is What.STRUCK}
        for revision in committed.change.revisions:
            policy = revision.after.policy
            for event in revision.after.events:
                if event.id in struck and event.source is Source.USER:
                    waived = {
                        EventType.REBOOT: policy.approve_user_reboot,
                        EventType.REDEPLOY: policy.approve_user_redeploy,
                    }
                    if not waived.get(event.type, False):
                        yield Breach(line.step, f"{event.id}, a user's {event.type.value}, was not announced")


@law("4. At NotBefore it starts by itself.")
def starts_by_itself(trace: Trace) -> Iterator[Breach]:
    scopes: dict[str, Scope] = {}
    for line in trace.lines:
        match line.record:
            case Committed(change=change):
                scopes.update((revision.after.id, revision.after) for revision in change.revisions)
            case Looked(since=since):
                for event in (event for scope in scopes.values() for event in scope.events):
                    if event.phase is Phase.SCHEDULED and event.not_before <= since:
                        yield Breach(line.step, f"{event.id} still waits, {line.at - event.not_before} after NotBefore")
            case _:
                pass


@law(
    "5. Within one event the machines are of at most one update domain; so is all that campaigns have live in a scope."
)
def one_update_domain(trace: Trace) -> Iterator[Breach]:
    for line, _, event in event_changes(trace):
        if len({update_domain(name) for name in event.resources}) > 1:
            yield Breach(line.step, f"{event.id} is over {', '.join(event.resources)}")
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            rolled = [event for event in revision.after.events if event.campaign and event.phase.is_live]
            if len({update_domain(name) for event in rolled for name in event.resources}) > 1:
                yield Breach(line.step, f"campaigns have {[event.resources for event in rolled]} down at once")


@law("6. An approved delete waits for the set's other unapproved pending deletes; equal NotBefore means all or none.")
def deletes_go_together(trace: Trace) -> Iterator[Breach]:
    scopes: dict[str, Scope] = {}
    for line, committed in trace.of(Committed):
        touched = sorted({r.after.scale_set for r in committed.change.revisions if r.after.scale_set})
        pending = {scale_set: pending_deletes(scopes, scale_set) for scale_set in touched}
        scopes.update((revision.after.id, revision.after) for revision in committed.change.revisions)
        for scale_set, before in pending.items():
            now = deletes(scopes, scale_set)
            waiting = [e for e in now.values() if e.phase is Phase.SCHEDULED and e.not_before > line.at]
            early = [e for e in before if e.not_before > line.at and e.id in now and now[e.id].phase is Phase.STARTED]
            if early and waiting:
                yield Breach(line.step, f"{early[0].id} did not wait for {waiting[0].id}")


@law("6. Once all pending deletes of a scale set are approved, none of them waits any longer.")
def no_delete_waits_for_nobody(trace: Trace) -> Iterator[Breach]:
    scopes: dict[str, Scope] = {}
    for line in trace.lines:
        match line.record:
            case Committed(change=change):
                scopes.update((revision.after.id, revision.after) for revision in change.revisions)
            case Looked():
                for scale_set in sorted({scope.scale_set for scope in scopes.values() if scope.scale_set}):
                    pending = pending_deletes(scopes, scale_set)
                    if pending and all(is_approved(e, scopes[e.scope].approval_policy) for e in pending):
                        yield Breach(line.step, f"{pending[0].id} waits for nobody")
            case _:
                pass
