"""Instances of a scale set, one by one and by name."""

from typing import Any

import pytest

from forewarn.domain.events import Actor
from tests.arm.compute import SET, a_cloud, a_set, with_notice

MISSING = "The provided instanceId 77 is not an active Virtual Machine Scale Set VM instanceId."


@pytest.mark.parametrize("word", ["delete", "restart", "redeploy", "start", "poweroff", "reimageall", "manualupgrade"])
def test_an_instance_that_is_not_there_is_a_bad_parameter(word: str) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(2))
    answer = cloud.post(f"{SET}/{word}", {"instanceIds": ["0", "77"]})
    assert answer.status == 400
    assert answer.json["error"] == {"code": "InvalidParameter", "message": MISSING, "target": "instanceIds"}
    cloud.advance()
    assert cloud.ids() == ["0", "1"]


@pytest.mark.parametrize("word", ["delete", "manualupgrade"])
@pytest.mark.parametrize("body", [None, {}, {"instanceIds": []}], ids=["nothing", "empty", "nobody"])
def test_silence_does_not_mean_everybody(word: str, body: dict[str, Any] | None) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(2))
    assert cloud.refused("POST", f"{SET}/{word}", body) == (400, "InvalidParameter")


@pytest.mark.parametrize("ids", ["0", [0], {"0": 1}])
def test_ids_are_a_list_of_texts(ids: object) -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    assert cloud.refused("POST", f"{SET}/restart", {"instanceIds": ids}) == (400, "InvalidParameter")


def test_one_that_is_not_there_is_not_found() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1))
    for method, path in (
        ("GET", "77"),
        ("GET", "77/instanceView"),
        ("GET", "77/networkInterfaces"),
        ("PUT", "77"),
        ("POST", "77/restart"),
        ("POST", "77/simulateEviction"),
    ):
        answer = cloud.ask(method, f"{SET}/virtualMachines/{path}", {} if method == "PUT" else None)
        assert answer.status == 404
        assert answer.json["error"] == {
            "code": "NotFound",
            "message": "The entity was not found in this Azure location.",
        }
    assert cloud.ask("DELETE", f"{SET}/virtualMachines/77").status == 204


def test_a_protected_instance_is_spared_by_scale_in() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(3))
    body = {"location": "eastus", "properties": {"protectionPolicy": {"protectFromScaleIn": "true"}}}
    answer = cloud.ask("PUT", f"{SET}/virtualMachines/2", body)
    assert answer.status == 200
    policy = {"protectFromScaleIn": True, "protectFromScaleSetActions": False}
    assert answer.json["properties"]["protectionPolicy"] == policy
    assert cloud.get(f"{SET}/virtualMachines/2")["properties"]["protectionPolicy"] == policy
    cloud.ask("PATCH", SET, {"sku": {"capacity": 1}})
    cloud.advance()
    assert cloud.ids() == ["2"]
    assert cloud.refused("PATCH", SET, {"sku": {"capacity": 0}}) == (409, "OperationNotAllowed")


def test_an_instance_protected_from_actions_has_to_be_named() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(2))
    body = {"properties": {"protectionPolicy": {"protectFromScaleSetActions": True}}}
    cloud.ask("PUT", f"{SET}/virtualMachines/0", body)
    cloud.post(f"{SET}/deallocate")
    assert [cloud.power(f"{SET}/virtualMachines/{i}") for i in (0, 1)] == ["running", "deallocated"]
    cloud.post(f"{SET}/deallocate", {"instanceIds": ["0"]})
    assert cloud.power(f"{SET}/virtualMachines/0") == "deallocated"


def test_the_rule_of_scale_in_is_the_owner_s() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(1, scaleInPolicy={"rules": ["OldestVM"]}))
    cloud.advance(hours=1)
    cloud.ask("PATCH", SET, {"sku": {"capacity": 2}})
    cloud.ask("PATCH", SET, {"sku": {"capacity": 1}})
    cloud.advance()
    assert cloud.ids() == ["1"]


def test_ids_are_not_given_twice() -> None:
    cloud = a_cloud()
    cloud.made(SET, a_set(2))
    cloud.post(f"{SET}/delete", {"instanceIds": ["1", "1"]})
    cloud.advance()
    cloud.ask("PATCH", SET, {"sku": {"capacity": 2}})
    assert cloud.ids() == ["0", "2"]


def test_a_second_delete_waits_for_the_first() -> None:
    cloud = a_cloud()
    cloud.made(SET, with_notice(2))
    cloud.enrol("rg/web:0")
    first = cloud.post(f"{SET}/delete", {"instanceIds": ["1"]})
    second = cloud.post(f"{SET}/delete", {"instanceIds": ["1"]})
    assert len(cloud.events("rg/web:0")) == 1
    cloud.advance(minutes=10)
    assert (cloud.wait(first), cloud.wait(second)) == ("Succeeded", "Succeeded")


def test_a_delete_that_is_called_off_is_told_as_canceled() -> None:
    cloud = a_cloud()
    cloud.made(SET, with_notice(2))
    cloud.enrol("rg/web:0")
    answer = cloud.post(f"{SET}/delete", {"instanceIds": ["1"]})
    (event,) = cloud.run(cloud.store.read(lambda reader: reader.list_events(scope="rg/web:0")))
    cloud.run(cloud.engine.cancel_event(event.id, Actor.user("somebody")))
    assert cloud.wait(answer) == "Canceled"
    assert cloud.get(SET)["sku"]["capacity"] == 2
    assert cloud.ids() == ["0", "1"]
