"""What a machine learns about itself."""

import json

import pytest

from forewarn.domain.machines import Machine, Priority, Profile
from forewarn.domain.scopes import ScopeKind
from forewarn.wire.instance import ScopeFacts
from forewarn.wire.versions import INSTANCE_VERSIONS
from tests.imds.world import World, get, serving

WEB = Machine(
    scope="web-0",
    name="web_7",
    computer_name="web000007",
    update_domain=3,
    fault_domain=1,
    zone="2",
    priority=Priority.SPOT,
    profile=Profile(vm_id="0f0e0d0c", private_ip="10.0.0.4", tags={"role": "front", "team": "shop"}),
)
FACTS = ScopeFacts(kind=ScopeKind.PLACEMENT_GROUP, scale_set="web", placement_group_id="f67c14ab")


def ask(world: World, path: str, query: str = "") -> bytes:
    response = world.ask(get(f"/metadata/instance{path}?api-version=2021-02-01{query}"))
    assert response.status == 200
    return response.body


def test_the_whole_document() -> None:
    with serving(machines=[WEB], documents=[]) as world:
        world.do(lambda: world.fleet.publish(facts={"web-0": FACTS}))
        compute = json.loads(ask(world, ""))["compute"]
    assert compute["name"] == "web_7", "the string that is found in Resources"
    assert compute["vmScaleSetName"] == "web"
    assert compute["placementGroupId"] == "f67c14ab"
    assert (compute["platformUpdateDomain"], compute["platformFaultDomain"], compute["zone"]) == ("3", "1", "2")
    assert (compute["priority"], compute["tags"]) == ("Spot", "role:front;team:shop")
    assert compute["resourceId"].endswith("/virtualMachineScaleSets/web/virtualMachines/7")


@pytest.mark.parametrize(
    ("path", "query", "body"),
    [
        ("/compute/name", "&format=text", b"vm1"),
        ("/compute/name/", "&format=text", b"vm1"),
        ("/compute/name", "&format=TEXT", b"vm1"),
        ("/network/interface/0/ipv4/ipAddress/0/privateIpAddress", "&format=text", b"10.0.0.4"),
        ("/network/interface/0/ipv4/subnet", "", b'[{"address":"10.0.0.0","prefix":"24"}]'),
        ("", "&format=text", b"compute/\nnetwork/"),
    ],
)
def test_parts_of_it(world: World, path: str, query: str, body: bytes) -> None:
    assert ask(world, path, query) == body


@pytest.mark.parametrize("path", ["/Compute", "/compute/Name", "/compute/none", "/network/interface/1", "//compute"])
def test_what_is_not_there(world: World, path: str) -> None:
    assert world.ask(get(f"/metadata/instance{path}?api-version=2021-02-01&format=text")).status == 404


def test_the_instance_needs_no_enrolment(world: World) -> None:
    ask(world, "")
    assert world.backend.enrolled == []
    assert world.do(world.server.take_seen) == {}


def test_the_versions(world: World) -> None:
    response = world.ask(get("/metadata/versions"))
    assert json.loads(response.body) == {"apiVersions": list(INSTANCE_VERSIONS)}


def test_a_machine_that_changes_tells_so(world: World) -> None:
    with world.connect() as client:
        raw = get("/metadata/instance/compute/zone?api-version=2021-02-01&format=text")
        for zone in ("", "3"):
            world.do(lambda zone=zone: world.fleet.publish(machines=[Machine(scope="alpha", name="vm1", zone=zone)]))  # type: ignore[misc]
            client.send(raw)
            assert client.receive().body.decode() == zone
