"""The laws, each a plain function over a trace that reads like the law and yields where it was broken."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from forewarn.domain.campaigns import WISHES, CampaignState
from forewarn.domain.events import Announcement, Document, Event, EventType, Operation, OperationState, Phase, Source
from forewarn.domain.history import Entry, What, first_break
from forewarn.domain.machines import Machine
from forewarn.domain.scopes import Scope
from forewarn.domain.starting import ALL_DOWN
from forewarn.testing.simulation.fleets import home, update_domain
from forewarn.testing.simulation.trace import (
    Accepted,
    Approved,
    Asked,
    Committed,
    Declared,
    Ended,
    Impact,
    Line,
    Looked,
    Published,
    Trace,
)


@dataclass(frozen=True, slots=True)
class Breach:
    step: int
    text: str


@dataclass(frozen=True, slots=True)
class Law:
    text: str
    breaches: Callable[[Trace], Iterator[Breach]]

    @property
    def name(self) -> str:
        return self.breaches.__name__


LAWS: list[Law] = []
Rule = Callable[[Trace], Iterator[Breach]]


def law(text: str) -> Callable[[Rule], Rule]:
    def enact(rule: Rule) -> Rule:
        LAWS.append(Law(text, rule))
        return rule

    return enact


MOVES = {
    (None, Phase.SCHEDULED),
    (None, Phase.STARTED),
    (Phase.SCHEDULED, Phase.STARTED),
    (Phase.SCHEDULED, Phase.CANCELED),
    (Phase.STARTED, Phase.COMPLETED),
    (Phase.STARTED, Phase.FAILED),
}
FOR_LIFE = ("id", "scope", "operation", "type", "source", "scheduled_at", "not_before", "description", "campaign")

PAUSE, CANCEL = WISHES[CampaignState.PAUSED], WISHES[CampaignState.CANCELED]


@law("1. An event has one id for life and only moves Scheduled → Started → gone, or Scheduled → gone.")
def one_life(trace: Trace) -> Iterator[Breach]:
    for line, before, after in _event_changes(trace):
        was = None if before is None else before.phase
        # Scheduled and started in one commit is two moves nobody could see between.
        if was is not after.phase and (was, after.phase) not in MOVES and not _both_at_once(was, after):
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
            if revision.before is None or _looks(revision.before.document) != _looks(before):
                yield Breach(line.step, f"{document.scope} was changed from something it was not: an update is lost")
            if document.epoch == before.epoch:
                moved, should = document.incarnation - before.incarnation, _visible_changes(before, document)
                if moved != should:
                    yield Breach(line.step, f"{document.scope} moved by {moved}, but {should} events look different")
            elif (document.epoch, document.incarnation) != (before.epoch + 1, 1):
                yield Breach(line.step, f"{document.scope} went from epoch {before.epoch} to {document.epoch}")


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
            if _pair(document) < _pair(before):
                yield Breach(line.step, f"{document.scope} went back from {_pair(before)} to {_pair(document)}")
            if _pair(document) == _pair(before) and document.announcements != before.announcements:
                yield Breach(line.step, f"{document.scope} says two things under {_pair(document)}")


@law("2. Every published document was committed first, as it is.")
def nothing_invented(trace: Trace) -> Iterator[Breach]:
    true: dict[tuple[str, int, int], tuple[Announcement, ...]] = {}
    for line in trace.lines:
        if isinstance(line.record, Committed):
            for revision in line.record.change.revisions:
                document = revision.after.document
                true[document.scope, *_pair(document)] = document.announcements
        elif isinstance(line.record, Published):
            for document in line.record.documents:
                if true.get((document.scope, *_pair(document))) != document.announcements:
                    yield Breach(line.step, f"{document.scope} was published as it never was")


@law("3. No machine outside the scope ever sees or can approve an event.")
def among_ourselves(trace: Trace) -> Iterator[Breach]:
    owner: dict[str, str] = {}
    for line in trace.lines:
        match line.record:
            case Committed(change=change):
                owner.update((event.id, event.scope) for r in change.revisions for event in r.after.events)
            case Published(documents=documents):
                for document in documents:
                    names = [name for announcement in document.announcements for name in announcement.resources]
                    if any(home(name) != document.scope for name in names):
                        yield Breach(line.step, f"{document.scope} sees {names}")
            case Approved(scope=scope, ids=ids, unknown=unknown):
                for event in ids:
                    if owner.get(event) != scope and event not in unknown:
                        yield Breach(line.step, f"{scope} was told that it knows {event} of {owner.get(event)}")
            case _:
                pass
    for line, _, event_now in _event_changes(trace):
        for approval in event_now.approvals:
            if approval.by.kind.value == "machine" and home(approval.by.name) != event_now.scope:
                yield Breach(line.step, f"{event_now.id} of {event_now.scope} was approved by {approval.by}")


@law("4. Nothing starts before NotBefore unless the approvals that its rule needs are there.")
def not_before(trace: Trace) -> Iterator[Breach]:
    for line, before, event in _event_changes(trace):
        if event.started_at is None or (before is not None and before.started_at is not None):
            continue
        if line.at < event.not_before and not event.is_approved:
            yield Breach(line.step, f"{event.id} started {event.not_before - line.at} early, unapproved")


@law("4. Nobody is taken to be down, and so to approve, while a machine runs or where the policy is off.")
def down_is_down(trace: Trace) -> Iterator[Breach]:
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            known = {event.id: event.approvals for event in revision.before.events} if revision.before else {}
            for event in revision.after.events:
                new = event.approvals[len(known.get(event.id, ())) :]
                if any(approval.by == ALL_DOWN for approval in new) and (
                    revision.after.any_running or not revision.after.policy.approve_all_instances_down
                ):
                    yield Breach(line.step, f"{event.id} was approved for a scope that is not down")


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
    for line, _, event in _event_changes(trace):
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
        pending = {scale_set: _pending_deletes(scopes, scale_set) for scale_set in touched}
        scopes.update((revision.after.id, revision.after) for revision in committed.change.revisions)
        for scale_set, before in pending.items():
            now = _deletes(scopes, scale_set)
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
                    pending = _pending_deletes(scopes, scale_set)
                    if pending and all(event.is_approved for event in pending):
                        yield Breach(line.step, f"{pending[0].id} waits for nobody")
            case _:
                pass


@law("A machine's end is announced at most once at a time, and never to Spot; Preempt is never for others.")
def the_right_end(trace: Trace) -> Iterator[Breach]:
    machines: dict[str, Machine] = {}
    for line in trace.lines:
        if isinstance(line.record, Declared):
            machines.update((machine.name, machine) for machine in line.record.fleet.machines)
        elif isinstance(line.record, Committed):
            for revision in line.record.change.revisions:
                ends = [e for e in revision.after.events if e.phase.is_live and e.type is EventType.TERMINATE]
                names = [name for event in ends for name in event.resources]
                if len(names) != len(set(names)):
                    yield Breach(line.step, f"{names} are deleted twice")
                spot = [name for name in names if name in machines and machines[name].is_spot]
                if spot:
                    yield Breach(line.step, f"Spot machines {spot} get Terminate")


@law("At most so many user-initiated restarts and redeploys are under way in a scope at once.")
def within_the_limit(trace: Trace) -> Iterator[Breach]:
    limit = next(record.fleet.settings.user_operations for _, record in trace.of(Declared))
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            count = sum(_is_users(operation) for operation in revision.after.operations)
            if count > limit:
                yield Breach(line.step, f"{count} in {revision.after.id}")


@law("A command is done, refused with a reason, or told to come again; nothing else.")
def answers_make_sense(trace: Trace) -> Iterator[Breach]:
    for line, asked in trace.of(Asked):
        if asked.unforeseen:
            yield Breach(line.step, f"{asked.what}: {asked.answer}")


@law("No impact happens twice.")
def never_twice(trace: Trace) -> Iterator[Breach]:
    done: set[tuple[str, str]] = set()
    for line, impact in trace.of(Impact):
        key = (impact.action.operation, impact.action.machine)
        if key in done:
            yield Breach(line.step, f"{key[1]} was hit twice for {key[0]}")
        done.add(key)


@law("An impact happens only after the commit that ordered it, and what is completed has happened to every machine.")
def order_then_act(trace: Trace) -> Iterator[Breach]:
    ordered: set[tuple[str, str]] = set()
    done: set[tuple[str, str]] = set()
    for line in trace.lines:
        match line.record:
            case Impact(action=action):
                done.add((action.operation, action.machine))
                if (action.operation, action.machine) not in ordered:
                    yield Breach(line.step, f"{action.machine} was hit before anybody ordered it")
            case Committed(change=change):
                ordered |= {(action.operation, action.machine) for action in change.actions}
                for operation in (operation for r in change.revisions for operation in r.after.operations):
                    missing = [m for m in operation.machines if (operation.id, m) not in done]
                    if operation.state is OperationState.SUCCEEDED and missing:
                        yield Breach(line.step, f"{operation.id} has succeeded without {missing}")
            case _:
                pass


@law("A paused campaign announces nothing new, and a cancelled one neither does that nor lets anything wait.")
def wishes_are_kept(trace: Trace) -> Iterator[Breach]:
    wishes: dict[tuple[str, str | None], str] = {}
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            known = {event.id for event in revision.before.events} if revision.before else set()
            for event in revision.after.events:
                wish = wishes.get((event.scope, event.campaign))
                if event.id not in known and wish in (PAUSE, CANCEL):
                    yield Breach(line.step, f"{event.id} came though its campaign was {wish}")
                if event.phase is Phase.SCHEDULED and wish == CANCEL:
                    yield Breach(line.step, f"{event.id} waits though its campaign was {wish}")
        wishes.update(((e.scope, e.subject), e.after) for e in committed.entries if e.after in WISHES.values())


@law("What was promised is there, and one key is one promise.")
def promises_are_kept(trace: Trace) -> Iterator[Breach]:
    made: dict[str, tuple[str, ...]] = {}
    promised: dict[str, int] = {}
    for line, accepted in trace.of(Accepted):
        promised.update((operation, line.step) for operation in accepted.operations)
        if accepted.key is not None and made.setdefault(accepted.key, accepted.operations) != accepted.operations:
            yield Breach(line.step, f"{accepted.key} was promised twice")
    for _, ended in trace.of(Ended):
        kept = {operation.id for operation in ended.operations}
        for operation, step in promised.items():
            if operation not in kept:
                yield Breach(step, f"{operation} was promised and forgotten")


@law("Nothing is stuck: once the accidents stop, everything comes to its end.")
def all_ends(trace: Trace) -> Iterator[Breach]:
    for line, ended in trace.of(Ended):
        for operation in ended.operations:
            if operation.state is OperationState.IN_PROGRESS:
                yield Breach(line.step, f"operation {operation.id} is still under way: {operation}")
        for event in ended.events:
            if event.phase.is_live:
                yield Breach(line.step, f"event {event.id} is still {event.phase.value}")
        for scope in ended.scopes:
            if scope.walk is not None:
                yield Breach(line.step, f"{scope.id} is still walked through by {scope.walk}")
        if ended.next_action is not None:
            yield Breach(line.step, f"an action is left for {ended.next_action}")


@law("The history is append-only, without gaps, and each scope's is an unbroken chain.")
def history_holds(trace: Trace) -> Iterator[Breach]:
    told: list[Entry] = []
    for line, committed in trace.of(Committed):
        for entry in committed.entries:
            if entry.seq != len(told) + 1:
                yield Breach(line.step, f"entry {entry.seq} follows {len(told)}")
            told.append(entry)
    for line, ended in trace.of(Ended):
        if list(ended.history) != told:
            yield Breach(line.step, "the history is not what was committed")
        for scope in {entry.scope for entry in told}:
            broken = first_break(entry for entry in ended.history if entry.scope == scope)
            if broken is not None:
                yield Breach(line.step, f"the chain of {scope} breaks at {broken.seq}")


@law("The history tells every move of every event, in order.")
def history_tells_all(trace: Trace) -> Iterator[Breach]:
    words = {
        What.SCHEDULED: Phase.SCHEDULED,
        What.STRUCK: Phase.STARTED,
        What.STARTED: Phase.STARTED,
        What.COMPLETED: Phase.COMPLETED,
        What.CANCELED: Phase.CANCELED,
        What.FAILED: Phase.FAILED,
    }
    for _, ended in trace.of(Ended):
        last: dict[str, Phase] = {}
        for entry in ended.history:
            if entry.what in words:
                last[entry.subject] = words[entry.what]
        for event in ended.events:
            if last.get(event.id) is not event.phase:
                yield Breach(len(trace.lines), f"the history leaves {event.id} {last.get(event.id)}, not {event.phase}")


# Helpers: what a trace says, put in the shape in which a law asks for it


def _event_changes(trace: Trace) -> Iterator[tuple[Line, Event | None, Event]]:
    """Every shape each event ever had, with the one before."""
    known: dict[str, Event] = {}
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            for event in revision.after.events:
                before = known.get(event.id)
                if before is not event:
                    known[event.id] = event
                    yield line, before, event


def _both_at_once(was: Phase | None, after: Event) -> bool:
    return was is None and after.phase in (Phase.STARTED, Phase.CANCELED)


def _pair(document: Document) -> tuple[int, int]:
    return document.epoch, document.incarnation


def _looks(document: Document) -> tuple[int, int, tuple[Announcement, ...]]:
    return *_pair(document), document.announcements


def _visible_changes(before: Document, after: Document) -> int:
    old = {announcement.id: announcement for announcement in before.announcements}
    new = {announcement.id: announcement for announcement in after.announcements}
    return sum(old.get(event) != new.get(event) for event in {*old, *new})


def _deletes(scopes: dict[str, Scope], scale_set: str) -> dict[str, Event]:
    ours = [scope for scope in scopes.values() if scope.scale_set == scale_set]
    return {e.id: e for scope in ours for e in scope.events if e.type is EventType.TERMINATE}


def _pending_deletes(scopes: dict[str, Scope], scale_set: str) -> list[Event]:
    return [event for event in _deletes(scopes, scale_set).values() if event.phase is Phase.SCHEDULED]


def _is_users(operation: Operation) -> bool:
    wanted = operation.impact in (EventType.REBOOT, EventType.REDEPLOY) and operation.source is Source.USER
    return wanted and operation.state is OperationState.IN_PROGRESS
