"""Description and DurationInSeconds, as Azure's own events have them (spec 2.2 and 2.3)."""

import pytest

from forewarn.domain.events import EventType, Source
from forewarn.domain.maintenance import Maintenance
from forewarn.domain.texts import describe, duration_of
from tests.domain.world import World, machines, scope

TEXTS = {
    (EventType.FREEZE, Source.PLATFORM): "Host server is undergoing maintenance.",
    (EventType.FREEZE, Source.USER): "",
    (EventType.REBOOT, Source.PLATFORM): "Host server is undergoing maintenance.",
    (EventType.REBOOT, Source.USER): "Virtual machine is going to be restarted as requested by authorized user.",
    (EventType.REDEPLOY, Source.PLATFORM): "Host server is undergoing an emergency repair.",
    (EventType.REDEPLOY, Source.USER): "Virtual machine is going to be redeployed as requested by authorized user.",
    (EventType.PREEMPT, Source.PLATFORM): "",
    (EventType.PREEMPT, Source.USER): "",
    (EventType.TERMINATE, Source.PLATFORM): "",
    (EventType.TERMINATE, Source.USER): "",
}


@pytest.mark.parametrize(
    ("impact", "source", "text"),
    [pytest.param(*pair, text, id="-".join(word.value for word in pair)) for pair, text in TEXTS.items()],
)
def test_the_description_is_azures(impact: EventType, source: Source, text: str) -> None:
    assert describe(impact, source) == text


def test_the_table_of_descriptions_is_complete() -> None:
    assert set(TEXTS) == {(impact, source) for impact in EventType for source in Source}


@pytest.mark.parametrize("impact", EventType)
def test_only_a_freeze_says_how_long_it_takes(impact: EventType) -> None:
    assert duration_of(impact) == (9 if impact is EventType.FREEZE else -1)


@pytest.mark.parametrize(
    ("work", "description", "duration"),
    [
        pytest.param(Maintenance(impact=EventType.FREEZE), "Host server is undergoing maintenance.", 9, id="default"),
        pytest.param(Maintenance(impact=EventType.FREEZE, description="", duration=0), "", 0, id="own-even-if-empty"),
        pytest.param(
            Maintenance(impact=EventType.REDEPLOY, at_once=True),
            "Virtual machine has encountered a failure.",
            -1,
            id="hardware-failure",
        ),
        pytest.param(
            Maintenance(impact=EventType.REBOOT, at_once=True, description="Fire."), "Fire.", -1, id="own-failure"
        ),
    ],
)
def test_an_event_says_what_its_operator_says_or_what_azure_would(
    work: Maintenance, description: str, duration: int
) -> None:
    world = World([scope()], machines(count=1))
    (operation,) = world.schedule(["web_0"], work)
    event = world.event(operation)
    assert (event.description, event.duration) == (description, duration)
