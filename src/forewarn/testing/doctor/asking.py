"""Checks of how a client asks: with which header, how often, for how long."""

import time
from itertools import pairwise
from statistics import median

from forewarn.testing.doctor.checks import Check, Part
from forewarn.testing.doctor.findings import Wrong
from forewarn.testing.doctor.logbook import busiest_second
from forewarn.testing.doctor.trial import Trial
from forewarn.wire.versions import EVENT_VERSIONS

MOST = 5
"""Requests a second that Azure answers each machine."""
WATCHED = 1.5
"""Seconds that a client's pace is looked at, at least."""


def header(trial: Trial) -> None:
    trial.looks()
    if trial.habits.reacts:
        trial.deals_with_the_next()
    for request in trial.requests:
        value = request.fields.get("metadata")
        if value != "true":
            sent = "without the header Metadata" if value is None else f"with Metadata: {value}"
            raise Wrong(f"It asked {sent}: {request.method} {request.target}.")


def version(trial: Trial) -> None:
    trial.looks()
    for request in trial.requests:
        if request.is_poll:
            asked = request.query.get("api-version", "")
            if asked not in EVENT_VERSIONS:
                raise Wrong(f"It asked for the api-version {asked!r}, which does not exist.")
            if asked < "2019-01-01":
                raise Wrong(f"It asked for the api-version {asked}, which does not tell of a Terminate.")


def often_enough(trial: Trial) -> None:
    slowest = trial.orders.slowest
    for _ in range(3):
        last = trial.log.last
        if not trial.wait(lambda last=last: any(r.is_poll for r in trial.log.since(last)), slowest):  # type: ignore[misc]
            trial.lives()
            raise Wrong(f"It did not ask for {slowest:g} s; of a Preempt it may hear 30 s before, or less.")


def not_too_often(trial: Trial) -> None:
    _watch_pace(trial, "though nothing was wrong")


def calm_when_refused(trial: Trial) -> None:
    trial.fault("status", status=503, asked="poll")
    _watch_pace(trial, "when it was answered 503")
    trial.lives()


def _watch_pace(trial: Trial, when: str) -> None:
    began = time.monotonic()
    trial.wait(lambda: time.monotonic() >= began + max(WATCHED, 2 * trial.habits.interval), trial.patience)
    asked = trial.requests
    most = busiest_second(asked)
    if most > MOST:
        raise Wrong(f"It asked {most} times within a second, {when}; Azure answers a machine {MOST} times.")


def first_answer(trial: Trial) -> None:
    seconds = trial.orders.first_answer
    trial.fault("delay", by=f"{seconds * 1000:.0f}ms", asked="poll")
    trial.start()
    trial.begins_to_ask()
    if not trial.wait(lambda: _waited(trial, seconds), seconds + trial.patience):
        trial.lives()
        raise Wrong(f"It never waited the {seconds:g} s that the answer takes, and so never got one.")
    trial.clear_faults()
    trial.deals_with_the_next()


def _waited(trial: Trial, seconds: float) -> bool:
    """It asked nothing else meanwhile, or goes on asking as usual, without giving up what it has asked before."""
    polls = [request for request in trial.requests if request.is_poll]
    gaps = [later.at - earlier.at for earlier, later in pairwise(polls)]
    answered = [request.is_answered for request in polls]
    as_usual = bool(gaps) and median(gaps) < 1.2 * trial.habits.interval
    return any(
        was and (as_usual or gap > seconds * 0.9)
        for was, gap in zip(answered, [*gaps, time.monotonic() - polls[-1].at if polls else 0.0], strict=False)
    )


CHECKS = (
    Check(
        id="metadata-header",
        part=Part.ASKING,
        title="sends `Metadata: true` with every request",
        why="A request without it is refused with 400, the approval too. Some hosts also refuse `Metadata: True`.",
        how="Every request of the client is looked at, while it is idle and while it deals with an event.",
        play=header,
        without_events=True,
    ),
    Check(
        id="api-version",
        part=Part.ASKING,
        title="asks for a version of the API that knows every type of event",
        why="A version does not list the types it does not know: Preempt came with 2017-11-01, Terminate with "
        "2019-01-01.",
        how="The `api-version` of its polls is looked at.",
        play=version,
        without_events=True,
    ),
    Check(
        id="often-enough",
        part=Part.ASKING,
        title="asks often enough for a Preempt",
        why="A Spot machine is told 30 seconds before it goes, and sometimes later. Azure recommends to ask every "
        "second; who asks every ten has twenty left.",
        how="Three times, it must ask within 10 seconds (`--slowest`).",
        play=often_enough,
        without_events=True,
    ),
    Check(
        id="not-too-often",
        part=Part.ASKING,
        title="asks five times a second at most",
        why="Azure answers a machine five requests a second, and all its programs together; the rest get 429.",
        how="The requests of the busiest second are counted while nothing happens.",
        play=not_too_often,
        without_events=True,
    ),
    Check(
        id="calm-when-refused",
        part=Part.ASKING,
        title="does not ask more often when it is refused",
        why="A host that updates its metadata service answers nobody for up to 70 seconds. Whoever then asks in a "
        "tight loop burns the machine's processor, and gets 429 afterwards.",
        how="Its polls are answered 503, and the requests of the busiest second are counted.",
        play=calm_when_refused,
        without_events=True,
    ),
    Check(
        id="first-answer",
        part=Part.ASKING,
        title="waits for the first answer",
        why="The first request enrols the machine, and Azure takes up to two minutes to answer it. Who gives up after "
        "five seconds, each time, is never enrolled.",
        how="It is started anew, and its polls are answered 10 seconds late (`--first-answer`; 2m is the whole truth). "
        "One must be waited for, and then an event is dealt with.",
        play=first_answer,
        starts=True,
        slow=True,
    ),
)
