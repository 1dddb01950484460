"""Everything of a kind is found, whatever fits on a page."""

import pytest

from forewarn.domain.campaigns import Campaign, CampaignState
from forewarn.domain.events import EventType
from forewarn.engine import walking
from forewarn.engine.walking import every_machine, every_scope, pages_of_machines, pages_of_scopes
from tests.engine.desk import ALICE, NOON, Desk, in_a_loop

SCOPES = ["a", "b", "c", "d", "e"]
MACHINES = [f"{scope}_{number}" for scope in SCOPES for number in range(3)]


@pytest.mark.parametrize("page", [1, 2, 5, 1000])
@in_a_loop
async def test_everything_is_found_once_and_in_order(monkeypatch: pytest.MonkeyPatch, page: int) -> None:
    monkeypatch.setattr(walking, "PAGE", page)
    desk = await Desk.open(SCOPES, 3)
    assert await desk.store.read(lambda r: [scope.id for scope in every_scope(r)]) == SCOPES
    assert await desk.store.read(lambda r: [machine.name for machine in every_machine(r)]) == MACHINES
    assert [scope.id async for scopes in pages_of_scopes(desk.store) for scope in scopes] == SCOPES
    assert [machine.name async for found in pages_of_machines(desk.store) for machine in found] == MACHINES


@in_a_loop
async def test_a_campaign_is_steered_in_all_its_scopes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walking, "PAGE", 2)
    desk = await Desk.open(SCOPES)
    walked = tuple(SCOPES[1:])
    await desk.engine.begin_campaign(
        Campaign(id="C", impact=EventType.REBOOT, scopes=walked, requested_by=ALICE, requested_at=NOON)
    )
    assert await desk.store.read(lambda r: [scope.id for scope in every_scope(r, campaign="C")]) == list(walked)
    await desk.engine.steer_campaign("C", CampaignState.CANCELED, ALICE)
    assert await desk.store.read(lambda r: list(every_scope(r, campaign="C"))) == []
