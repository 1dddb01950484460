import pytest

from tests.control.rig import Rig

CAMPAIGNS = "/forewarn/v1/campaigns"
EVENTS = "/forewarn/v1/events"


def begun(rig: Rig, **body: object) -> str:
    campaign: str = rig.post(CAMPAIGNS, {"type": "Reboot", **body})["id"]
    return campaign


def advance(rig: Rig, by: str) -> None:
    rig.post("/forewarn/v1/clock/advance", {"by": by})


def live(rig: Rig) -> list[str]:
    return sorted(name for event in rig.get(EVENTS)["items"] for name in event["resources"])


def test_a_campaign_walks_the_update_domains_with_a_pause_between(rig: Rig) -> None:
    campaign = begun(rig, scopes=["db"], pause="10m")
    advance(rig, "0s")
    assert live(rig) == ["db-0"]
    progress = rig.get(f"{CAMPAIGNS}/{campaign}")
    assert progress["scopes_under_way"] == 1
    assert [(item["current"], item["remaining"], item["said"]) for item in progress["items"]] == [
        (0, [1, 2], "update domain 0")
    ]
    advance(rig, "15m5s")
    assert live(rig) == []
    advance(rig, "10m")
    assert live(rig) == ["db-1"]
    advance(rig, "2h")
    progress = rig.get(f"{CAMPAIGNS}/{campaign}")
    assert (progress["scopes_under_way"], progress["items"][0]["said"]) == (0, "completed")


def test_a_scale_set_s_name_stands_for_all_its_placement_groups(rig: Rig) -> None:
    campaign = begun(rig, scopes=["web"])
    assert [item["scope"] for item in rig.get(f"{CAMPAIGNS}/{campaign}")["items"]] == ["web:0", "web:1"]


def test_a_campaign_over_the_whole_fleet_is_told_in_pages(rig: Rig) -> None:
    campaign = begun(rig, all=True)
    first = rig.get(f"{CAMPAIGNS}/{campaign}?limit=4")
    assert ([item["scope"] for item in first["items"]], first["next"]) == (["db", "solo", "spot", "twins"], "twins")
    rest = rig.get(f"{CAMPAIGNS}/{campaign}?limit=4&after=twins")
    assert ([item["scope"] for item in rest["items"]], rest["next"]) == (["web:0", "web:1"], None)


def test_a_campaign_is_paused_resumed_and_cancelled(rig: Rig) -> None:
    campaign = begun(rig, scopes=["db"], pause="1m")
    advance(rig, "0s")
    assert rig.post(f"{CAMPAIGNS}/{campaign}/pause")["state"] == "Paused"
    advance(rig, "1h")
    assert live(rig) == []
    assert rig.post(f"{CAMPAIGNS}/{campaign}/resume")["state"] == "Running"
    advance(rig, "0s")
    assert live(rig) == ["db-1"]
    assert rig.post(f"{CAMPAIGNS}/{campaign.lower()}/cancel")["state"] == "Canceled"
    advance(rig, "0s")
    assert live(rig) == []
    assert rig.refused("POST", f"{CAMPAIGNS}/{campaign}/resume")[0] == 409
    assert [c["state"] for c in rig.get(CAMPAIGNS)["items"]] == ["Canceled"]


@pytest.mark.parametrize(
    ("body", "status", "told"),
    [
        pytest.param({"type": "Reboot"}, 400, "Name the scopes", id="no-scopes"),
        pytest.param({"type": "Reboot", "scopes": ["db"], "all": True}, 400, "one or the other", id="both"),
        pytest.param({"type": "Reboot", "scopes": ["nowhere"]}, 404, "no scope or scale set nowhere", id="nowhere"),
        pytest.param({"type": "Terminate", "scopes": ["db"]}, 400, "Freeze, Reboot or Redeploy", id="type"),
        pytest.param({"type": "Reboot", "scopes": ["db"], "pause": "x"}, 400, "pause: 'x' is not", id="pause"),
        pytest.param({"type": "Reboot", "scopes": ["db"], "notice": "1s"}, 400, "at least", id="notice"),
    ],
)
def test_what_cannot_be_rolled_out_is_refused(rig: Rig, body: object, status: int, told: str) -> None:
    refused, message = rig.refused("POST", CAMPAIGNS, body)
    assert (refused, told in message) == (status, True), message
    assert rig.get(CAMPAIGNS)["items"] == []


def test_a_scope_has_one_campaign_at_a_time(rig: Rig) -> None:
    begun(rig, scopes=["db"])
    assert rig.refused("POST", CAMPAIGNS, {"type": "Freeze", "scopes": ["spot", "db"]})[0] == 409
    assert rig.get("/forewarn/v1/scopes/spot")["campaign"] is None


def test_an_idempotency_key_begins_one_campaign(rig: Rig) -> None:
    body = {"type": "Reboot", "scopes": ["db"]}
    first = rig.post(CAMPAIGNS, body, key="roll")
    assert rig.post(CAMPAIGNS, body, key="roll") == first
    assert len(rig.get(CAMPAIGNS)["items"]) == 1


@pytest.mark.parametrize("path", ["FFFF", "FFFF/pause"])
def test_a_campaign_that_is_not_there_is_not_found(rig: Rig, path: str) -> None:
    assert rig.refused("POST" if "/" in path else "GET", f"{CAMPAIGNS}/{path}")[0] == 404


def test_a_failed_driver_halts_the_campaign_until_it_is_resumed(rig: Rig) -> None:
    rig.driver.failing.add("db-0")
    campaign = begun(rig, scopes=["db"], pause="1m")
    advance(rig, "2h")
    assert rig.get(f"{CAMPAIGNS}/{campaign}")["items"][0]["said"] == "halted: a driver failed"
    rig.driver.failing.clear()
    rig.post(f"{CAMPAIGNS}/{campaign}/resume")
    advance(rig, "0s")
    assert live(rig) == ["db-1"]
