"""The fleet, declared anew while Forewarn runs."""

import pytest

from tests.control.rig import FLEET, Rig

PATH = "/forewarn/v1/fleet"
MORE = FLEET + "[machine.extra]\n"


def names(rig: Rig, scope: str) -> list[str]:
    return [machine["name"] for machine in rig.get(f"/forewarn/v1/machines?scope={scope}")["items"]]


def test_another_declaration_is_taken_over_and_told(rig: Rig) -> None:
    assert rig.ask("PUT", PATH, {"declaration": MORE}) == (200, {"declaration": MORE})
    assert rig.get(PATH) == {"declaration": MORE}
    assert names(rig, "extra") == ["extra"]
    assert rig.fleet.known_as("extra", "extra") is not None


def test_the_same_declaration_again_changes_nothing(rig: Rig) -> None:
    rig.ask("PUT", PATH, {"declaration": MORE})
    before = rig.get("/forewarn/v1/history?limit=1")["last"]
    rig.ask("PUT", PATH, {"declaration": MORE})
    assert rig.get("/forewarn/v1/history?limit=1")["last"] == before


def test_who_is_no_longer_declared_leaves_at_once(rig: Rig) -> None:
    rig.ask("PUT", PATH, {"declaration": FLEET.replace("[machine.spot]", "[machine.other]")})
    assert rig.refused("GET", "/forewarn/v1/machines/spot")[0] == 404
    assert rig.fleet.known_as("spot", "spot") is None


@pytest.mark.parametrize(
    ("text", "status", "told"),
    [
        pytest.param("[machine.solo", 400, "declaration", id="no-toml"),
        pytest.param("[machine.solo]\nspeed = 3", 400, "speed", id="no-such-key"),
        pytest.param("[driver]\nreboot = '1s'\n", 409, "[driver]", id="another-driver"),
        pytest.param("[driver]\nkind = 'command'\nprogram = '/bin/true'\n", 409, "[driver]", id="a-program"),
    ],
)
def test_all_of_it_or_none(rig: Rig, text: str, status: int, told: str) -> None:
    before = rig.get(PATH)
    refused, message = rig.refused("PUT", PATH, {"declaration": text})
    assert (refused, told in message) == (status, True), message
    assert rig.get(PATH) == before
    assert len(names(rig, "db")) == 3


def test_a_declaration_is_not_endless(rig: Rig) -> None:
    assert rig.refused("PUT", PATH, {"declaration": "#" * 1024 * 1024})[0] == 413
