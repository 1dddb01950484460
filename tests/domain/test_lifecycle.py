"""Every cell of the table of transitions, legal or refused."""

import pytest

from forewarn.domain.errors import Conflict
from forewarn.domain.events import LIVE, Event, EventType, Phase, Source, announce
from forewarn.domain.lifecycle import BIRTHS, TRANSITIONS, Fact, step
from tests.domain.world import NOON, minutes

LEGAL = {
    (Phase.SCHEDULED, Fact.START): Phase.STARTED,
    (Phase.SCHEDULED, Fact.CANCEL): Phase.CANCELED,
    (Phase.STARTED, Fact.COMPLETE): Phase.COMPLETED,
    (Phase.STARTED, Fact.FAIL): Phase.FAILED,
}
"""Written out a second time, on purpose: a change of the table is a change of the law."""

CELLS = [pytest.param(phase, fact, id=f"{phase.value}-{fact.value}") for phase in Phase for fact in Fact]


def event(phase: Phase) -> Event:
    return Event(
        id="EV",
        scope="web",
        operation="OP",
        type=EventType.REBOOT,
        source=Source.USER,
        resources=("web_0", "web_1"),
        scheduled_at=NOON,
        not_before=NOON + minutes(15),
        phase=phase,
    )


@pytest.mark.parametrize(("phase", "fact"), CELLS)
def test_every_cell_is_a_legal_move_or_refused(phase: Phase, fact: Fact) -> None:
    target = LEGAL.get((phase, fact))
    if target is None:
        with pytest.raises(Conflict, match=f"EV is {phase.value}: this is not the time to {fact.value} it"):
            step(event(phase), fact, NOON)
    else:
        assert step(event(phase), fact, NOON).phase is target


@pytest.mark.parametrize(("phase", "fact"), CELLS)
def test_a_move_changes_the_phase_and_its_time_and_nothing_else(phase: Phase, fact: Fact) -> None:
    if (phase, fact) not in LEGAL:
        return
    before = event(phase)
    after = step(before, fact, NOON)
    changed = {name for name in Event.__struct_fields__ if getattr(before, name) != getattr(after, name)}
    assert changed == {"phase", "started_at" if fact is Fact.START else "ended_at"}


def test_the_table_has_a_row_for_every_phase() -> None:
    assert set(TRANSITIONS) == set(Phase)


def test_events_are_born_scheduled_or_started_and_those_are_the_phases_a_document_shows() -> None:
    assert {Phase.SCHEDULED, Phase.STARTED} == BIRTHS == set(LIVE)
    assert [phase for phase in Phase if phase.is_live] == [Phase.SCHEDULED, Phase.STARTED]


def test_what_has_ended_never_moves_again() -> None:
    assert all(not TRANSITIONS[phase] for phase in Phase if not phase.is_live)


def test_not_before_is_told_only_while_the_event_waits() -> None:
    assert announce(event(Phase.SCHEDULED)).not_before == NOON + minutes(15)
    assert announce(event(Phase.STARTED)).not_before is None
