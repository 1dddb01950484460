"""What the document says of an event: Description and DurationInSeconds, as Azure's own events do."""

from forewarn.domain.events import EventType, Source

FAILURE = "Virtual machine has encountered a failure."

DESCRIPTIONS: dict[tuple[EventType, Source], str] = {
    (EventType.FREEZE, Source.PLATFORM): "Host server is undergoing maintenance.",
    (EventType.REBOOT, Source.PLATFORM): "Host server is undergoing maintenance.",
    (EventType.REDEPLOY, Source.PLATFORM): "Host server is undergoing an emergency repair.",
    (EventType.REBOOT, Source.USER): "Virtual machine is going to be restarted as requested by authorized user.",
    (EventType.REDEPLOY, Source.USER): "Virtual machine is going to be redeployed as requested by authorized user.",
}
"""Where a pair is not listed (Preempt, Terminate) the text is empty, as captured."""

DURATIONS: dict[EventType, int] = {EventType.FREEZE: 9}
"""Seconds of interruption; -1, unknown, for all the others."""


def describe(impact: EventType, source: Source) -> str:
    return DESCRIPTIONS.get((impact, source), "")


def duration_of(impact: EventType) -> int:
    return DURATIONS.get(impact, -1)
