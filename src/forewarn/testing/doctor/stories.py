"""Checks of what happens to machines, beyond one plain event."""

from forewarn.testing.doctor.asking import MOST
from forewarn.testing.doctor.checks import Check, Need, Part
from forewarn.testing.doctor.findings import DoesNotApply, Wrong
from forewarn.testing.doctor.logbook import busiest_second
from forewarn.testing.doctor.trial import Trial


def started_at_once(trial: Trial) -> None:
    event = trial.announce(trial.me, type="Reboot", at_once=True)
    trial.calms_down()
    trial.lives()
    trial.finish(event)
    trial.looks()
    trial.deals_with_the_next()


def empty_not_before(trial: Trial) -> None:
    trial.announce(trial.other, type="Reboot", at_once=True)
    trial.looks()
    mine = trial.deals_with_the_next()
    trial.approved_only(mine)


def several_events(trial: Trial) -> None:
    first, second, third = trial.machines[3:6]
    trial.announce(first, type="Freeze")
    trial.announce(second, type="Redeploy")
    mine = trial.announce(trial.me)
    trial.announce(third, trial.other)
    trial.expects_dealing(mine)
    if trial.alive:
        trial.calms_down()
    trial.approved_only(mine)


def hundred_resources(trial: Trial) -> None:
    big = trial.announce(*trial.machines)
    trial.looks()
    if trial.habits.prepares and not trial.wait(lambda: trial.prepared, trial.patience):
        raise Wrong(f"It did not prepare for event {big.id}, which names it among {len(trial.machines)} machines.")
    if trial.alive:
        trial.calms_down()
        trial.finish(big)
        trial.looks()
        trial.deals_with_the_next()


def cancelled(trial: Trial) -> None:
    with trial.held_back():  # so it can be called off
        event = trial.announce(trial.me)
        trial.expects_dealing(event)
        trial.finish(event)
        trial.looks()
        seen = trial.log.last
        trial.calms_down()
        late = [request for request in trial.approvals(event) if request.number > seen]
        if late:
            raise Wrong(f"It approved event {event.id}, which it could see was cancelled.")
        if trial.habits.undoes and not trial.wait(lambda: not trial.prepared, trial.patience):
            raise Wrong(f"The event was cancelled, and {trial.patience:g} s later nothing was undone.")
        trial.lives()


def waits_after_approval(trial: Trial) -> None:
    with trial.held_back():
        event = trial.announce(trial.me)
        trial.expects_dealing(event)
        trial.calms_down()
        trial.lives()
        most = busiest_second(trial.approvals(event))
        if most > MOST:
            raise Wrong(f"It approved the same event {most} times within a second, since that did not start at once.")
        if trial.habits.undoes and not trial.prepared:
            raise Wrong("The event was still to come, and what was prepared for it was undone.")


def terminate(trial: Trial) -> None:
    """One's own delete is approved, though it waits for those of the others."""
    others = [trial.announce(machine, type="Terminate") for machine in trial.machines[2:4]]
    mine = trial.announce(trial.me, type="Terminate")
    if not trial.wait(lambda: trial.approvals(mine), trial.reaction):
        trial.lives()
        raise DoesNotApply("It approves nothing of the type Terminate.")
    trial.calms_down()
    trial.lives()
    trial.approved_only(mine)
    for machine, event in zip(trial.machines[2:4], others, strict=True):
        machine.approve(event)
    trial.note("the other machines have approved theirs")
    unstarted = [event.id for event in (mine, *others) if not event.started]
    if unstarted and any(request.status == 200 for request in trial.approvals(mine)):
        raise Wrong(f"All are approved, and still not started: {', '.join(unstarted)}.")


def preempt(trial: Trial) -> None:
    event = trial.announce(trial.me)
    if not trial.deals_with(event, trial.reaction):
        trial.lives()
        raise DoesNotApply("It does nothing about a Preempt.")
    if trial.alive:
        trial.looks()


CHECKS = (
    Check(
        id="started-at-once",
        part=Part.STORIES,
        title="lives through an event that appears already started",
        why="When hardware fails there is no Scheduled phase: the event is there, Started, and its NotBefore is empty.",
        how="Its machine breaks down. When that is over, another event of its own is announced.",
        play=started_at_once,
    ),
    Check(
        id="empty-not-before",
        part=Part.STORIES,
        title='reads a document in which a NotBefore is ""',
        why='A started event has `"NotBefore": ""`. One that is about another machine must not keep it from its own.',
        how="Another machine's event has started; then one of its own is announced.",
        play=empty_not_before,
    ),
    Check(
        id="several-events",
        part=Part.STORIES,
        title="finds its own among several events",
        why="A document holds the events of the whole set, of all types and in any phase.",
        how="Four events in one document, one of them its own.",
        play=several_events,
    ),
    Check(
        id="hundred-resources",
        part=Part.STORIES,
        title="finds itself among a hundred machines of one event",
        why="An event names all machines of the host that it hits, and a placement group has a hundred.",
        how="An event names a hundred machines, its own among them. It must prepare, if that can be seen; whether it "
        "approves for all is its own affair. Then an event of its own is announced.",
        play=hundred_resources,
    ),
    Check(
        id="cancelled",
        part=Part.STORIES,
        title="gives up what was cancelled",
        why="Maintenance is called off: the event is gone from the document, and the machine goes on working. Who "
        "stays drained has taken itself out for nothing.",
        how="An event of its own is announced and, before anything lets it start, cancelled. It must not approve it "
        "any more, and undo what it prepared, if it does that at all.",
        play=cancelled,
        needs=(Need.REACTS,),
    ),
    Check(
        id="waits-after-approval",
        part=Part.STORIES,
        title="waits if an approved event does not start",
        why="Azure may need the approval of others on the same host: the event stays Scheduled, and nothing tells that "
        "it was approved.",
        how="Its approval is taken, and nothing happens. It must not approve it over and over, nor undo.",
        play=waits_after_approval,
        needs=(Need.APPROVES,),
    ),
    Check(
        id="terminate",
        part=Part.STORIES,
        title="does its part in approving all pending deletes of a scale set",
        why="A delete that is approved waits until all other pending deletes of the scale set are approved too, so "
        "each machine has to approve its own, though nothing happens then; and its own only.",
        how="Three machines of a scale set are deleted at once, its own among them. When the doctor has approved the "
        "other two, all three must start.",
        play=terminate,
        needs=(Need.APPROVES,),
        type="Terminate",
    ),
    Check(
        id="preempt",
        part=Part.STORIES,
        title="deals with an eviction",
        why="A Spot machine has 30 seconds.",
        how="Its machine is a Spot machine, and is evicted.",
        play=preempt,
        needs=(Need.REACTS,),
        type="Preempt",
    ),
)
