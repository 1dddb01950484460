"""The gallery shows each state there is."""

from forewarn.domain.events import EventType, Phase
from forewarn.domain.machines import Power
from forewarn.portal.views.gallery import gallery_view
from forewarn.testing.builders import NOON


def test_it_has_a_machine_in_each_state_and_with_each_kind_of_event() -> None:
    rows = [row for group in gallery_view(NOON).fleet.groups for row in group.rows]
    assert {row.power for row in rows} == set(Power)
    told = {(row.pending.type, row.pending.phase) for row in rows if row.pending}
    assert told == {(kind, phase) for kind in EventType for phase in Phase if phase.is_live}
