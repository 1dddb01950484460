"""What the design takes for granted: limits, promises, the outbox, the history, and an end to everything."""

from collections.abc import Iterator
from datetime import datetime

from forewarn.domain.campaigns import WISHES, CampaignState
from forewarn.domain.events import EventType, OperationState, Phase
from forewarn.domain.history import Entry, What, first_break
from forewarn.domain.machines import Machine
from forewarn.engine.engine import ANSWERS_KEPT
from forewarn.testing.simulation.laws.book import Breach, law
from forewarn.testing.simulation.laws.reading import is_users
from forewarn.testing.simulation.trace import Accepted, Asked, Committed, Declared, Ended, Impact, Trace

PAUSE, CANCEL = WISHES[CampaignState.PAUSED], WISHES[CampaignState.CANCELED]


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


@law("At most so many requests of users for restarts and redeploys are under way in a scope at once.")
def within_the_limit(trace: Trace) -> Iterator[Breach]:
    limit = next(record.fleet.settings.user_operations for _, record in trace.of(Declared))
    for line, committed in trace.of(Committed):
        for revision in committed.change.revisions:
            count = len({o.request or o.id for o in revision.after.operations if is_users(o)})
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


@law("What was promised is there, and one key is one promise for a day.")
def promises_are_kept(trace: Trace) -> Iterator[Breach]:
    born, latest = _births(trace), trace.lines[0].at
    made: dict[str, tuple[datetime, tuple[str, ...]]] = {}
    promised: dict[str, int] = {}
    for line in trace.lines:
        latest = max(latest, line.at)  # what was forgotten stays forgotten when the clock is set back
        if not isinstance(line.record, Accepted):
            continue
        key, operations = line.record.key, line.record.operations
        promised.update((operation, line.step) for operation in operations)
        if key is not None:
            since, before = made.get(key, (latest, operations))
            if before != operations and latest - since < ANSWERS_KEPT:
                yield Breach(line.step, f"{key} was promised twice")
            if before != operations or key not in made:
                made[key] = (min([line.at, *(born[operation] for operation in operations)]), operations)
    for _, ended in trace.of(Ended):
        kept = {operation.id for operation in ended.operations}
        for operation, step in promised.items():
            if operation not in kept:
                yield Breach(step, f"{operation} was promised and forgotten")


def _births(trace: Trace) -> dict[str, datetime]:
    """When each operation was asked for."""
    return {
        operation.id: operation.requested_at
        for _, committed in trace.of(Committed)
        for revision in committed.change.revisions
        for operation in revision.after.operations
    }


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
