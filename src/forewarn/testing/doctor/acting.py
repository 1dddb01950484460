"""Checks of whose events a client acts on, and in which order."""

from forewarn.testing.doctor.checks import Check, Need, Part
from forewarn.testing.doctor.findings import DoesNotApply, Wrong
from forewarn.testing.doctor.trial import Trial
from forewarn.testing.handles import Machine

HELD = 0.5
"""Seconds that the answer to an approval takes: time to look at whether the machine was prepared when it was given."""


def reads_an_event(trial: Trial) -> None:
    event = trial.announce(trial.me)
    trial.note(f"its NotBefore is {event.not_before:%a, %d %b %Y %H:%M:%S} GMT")
    if not trial.deals_with(event, trial.habits.latency):
        trial.lives()
    if trial.alive:
        trial.looks()


def own(trial: Trial) -> None:
    orders, habits = trial.orders, trial.habits
    approves, prepares = orders.approves or habits.approves, orders.probe is not None
    if not approves and not prepares:
        raise DoesNotApply(Need.REACTS.value)
    event = trial.announce(trial.me)
    seconds = trial.patience if habits.reacts else trial.reaction
    tried = f"It was tried with {', '.join(orders.types)}."
    if approves and not trial.wait(lambda: trial.approvals(event), seconds):
        trial.lives()
        raise Wrong(f"It did not approve event {event.id}. {tried}")
    if prepares and not trial.wait(lambda: trial.prepared, seconds):
        trial.lives()
        raise Wrong(f"It did not prepare for event {event.id}, which would be when {orders.probe}. {tried}")


def others_are_not_approved(trial: Trial) -> None:
    _leaves_alone(trial, trial.other, approvals=True, preparation=False)


def others_are_not_prepared_for(trial: Trial) -> None:
    _leaves_alone(trial, trial.other, approvals=False, preparation=True)


def whole_name(trial: Trial) -> None:
    _leaves_alone(trial, trial.namesake, approvals=True, preparation=True)


def _leaves_alone(trial: Trial, machine: Machine, *, approvals: bool, preparation: bool) -> None:
    event = trial.announce(machine)
    trial.calms_down()
    named = f"{machine.name}, and it is {trial.me.name}"
    if approvals and trial.approvals(event):
        raise Wrong(f"It approved event {event.id}, which is about {named}.")
    if preparation and trial.prepared:
        raise Wrong(f"It prepared for event {event.id}, which is about {named}: {trial.orders.probe}.")
    trial.lives()


def prepares_first(trial: Trial) -> None:
    trial.fault("delay", by=f"{HELD * 1000:.0f}ms", asked="approval")
    event = trial.announce(trial.me)
    if not trial.wait(lambda: trial.approvals(event), trial.patience):
        trial.lives()
        raise Wrong(f"It did not approve event {event.id} within {trial.patience:g} s.")
    prepared = trial.prepared
    trial.note(f"{event.id} was approved; prepared ({trial.orders.probe}): {'yes' if prepared else 'no'}")
    if not prepared:
        raise Wrong("It approved before it had prepared.")


def approval_is_taken(trial: Trial) -> None:
    event = trial.deals_with_the_next()
    trial.wait(lambda: all(request.status for request in trial.approvals(event)), trial.patience)
    for request in trial.approvals(event):
        if request.status == 400 and request.fields.get("metadata") == "true":
            raise Wrong(f"Its approval was answered {request.status}: {request.method} {request.target} {request.body}")


def approval_is_repeated(trial: Trial) -> None:
    trial.fault("status", status=503, asked="approval", requests=1)
    event = trial.announce(trial.me)
    trial.expects_dealing(event)
    if not trial.wait(lambda: len(trial.approvals(event)) > 1, trial.patience):
        trial.lives()
        raise Wrong(f"Its approval was answered 503, and {trial.patience:g} s later it had not approved again.")


def again(trial: Trial) -> None:
    first = trial.deals_with_the_next()
    trial.finish(first)
    if not trial.settles():
        trial.lives()
        raise DoesNotApply("Its preparation is not undone, so a second one cannot be seen.")
    trial.deals_with_the_next()


CHECKS = (
    Check(
        id="reads-an-event",
        part=Part.ACTING,
        title="understands an event, with its date as RFC 1123 writes it",
        why="NotBefore has been `Mon, 19 Sep 2016 18:29:47 GMT` ever since, whatever old pages and Microsoft's mock "
        "server say. A parser of ISO 8601 dies at the first real event.",
        how="An event is announced for its machine. It must live, and go on asking.",
        play=reads_an_event,
        without_events=True,
    ),
    Check(
        id="own-event",
        part=Part.ACTING,
        title="does something about an event of its own machine",
        why="That is what it is for.",
        how="An event is announced for its machine. It must approve it, if it ever does or `--approves` was said, and "
        "prepare if that can be seen.",
        play=own,
    ),
    Check(
        id="others-approval",
        part=Part.ACTING,
        title="does not approve the events of other machines",
        why="All machines of a set share one document, and an approval counts whoever gives it: it takes the notice "
        "away from a machine that is not ready.",
        how="An event is announced for another machine of the set.",
        play=others_are_not_approved,
        needs=(Need.APPROVES,),
    ),
    Check(
        id="others-preparation",
        part=Part.ACTING,
        title="does not prepare for the events of other machines",
        why="Otherwise one maintenance drains the whole set.",
        how="An event is announced for another machine of the set, and the probe is looked at.",
        play=others_are_not_prepared_for,
        needs=(Need.PROBE, Need.PREPARES),
    ),
    Check(
        id="whole-name",
        part=Part.ACTING,
        title="compares names whole",
        why="Microsoft's first sample looked for its name *in* the names of an event: `vm_1` is also in `vm_10`.",
        how="It is `vm_1`, and an event is announced for `vm_10`.",
        play=whole_name,
        needs=(Need.REACTS, Need.OWN_ONLY),
    ),
    Check(
        id="prepares-first",
        part=Part.ACTING,
        title="approves only after it has prepared",
        why="An approval starts the event at once, for all its machines.",
        how="An event is announced for its machine. When its approval comes, and before that is answered, the probe "
        "must already say that it is prepared.",
        play=prepares_first,
        needs=(Need.APPROVES, Need.PROBE),
    ),
    Check(
        id="approval-taken",
        part=Part.ACTING,
        title="approves in a form that is understood",
        why='The body is `{"StartRequests": [{"EventId": …}]}`; anything else is 400, and is no approval.',
        how="The answers to its approvals are looked at.",
        play=approval_is_taken,
        needs=(Need.APPROVES,),
    ),
    Check(
        id="approval-repeated",
        part=Part.ACTING,
        title="approves again if its approval was not taken",
        why="An approval that was answered 503 has not happened; nothing else tells that it is missing.",
        how="Its first approval of an event is answered 503.",
        play=approval_is_repeated,
        needs=(Need.APPROVES,),
    ),
    Check(
        id="next-event",
        part=Part.ACTING,
        title="looks for the next event when one is over",
        why="Machines live longer than one event.",
        how="An event of its own is dealt with and over; then another is announced.",
        play=again,
        needs=(Need.REACTS,),
    ),
)
