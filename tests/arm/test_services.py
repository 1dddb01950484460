"""Cloud services: roles and their instances, and what is asked of them."""

from typing import Any

import pytest

from tests.arm.compute import COMPUTE, Cloud, a_cloud

SERVICE = f"{COMPUTE}/cloudServices/shop"
ROLES = f"{SERVICE}/roleInstances"


def a_service(**roles: int) -> dict[str, Any]:
    listed = [{"name": name, "sku": {"name": "Standard_D1_v2", "capacity": count}} for name, count in roles.items()]
    return {"location": "eastus", "properties": {"roleProfile": {"roles": listed}}}


def with_service() -> Cloud:
    cloud = a_cloud()
    cloud.made(SERVICE, a_service(FrontEnd=2, Worker=1))
    cloud.enrol("rg/shop")
    return cloud


def test_roles_have_instances() -> None:
    cloud = a_cloud()
    answer = cloud.ask("PUT", SERVICE, a_service(FrontEnd=2, Worker=1))
    assert (answer.status, answer.json["properties"]["provisioningState"]) == (201, "Succeeded")
    assert cloud.names(ROLES) == ["FrontEnd_IN_0", "FrontEnd_IN_1", "Worker_IN_0"]
    view = cloud.get(f"{ROLES}/FrontEnd_IN_1")
    assert view["id"] == f"{ROLES}/FrontEnd_IN_1"
    assert view["properties"]["instanceView"] == cloud.get(f"{ROLES}/FrontEnd_IN_1/instanceView")
    assert cloud.get(f"{SERVICE}/instanceView")["roleInstance"]["statusesSummary"] == [
        {"code": "PowerState/running", "count": 3}
    ]
    assert cloud.names(f"{COMPUTE}/cloudServices") == ["shop"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        pytest.param(f"{ROLES}/FrontEnd_IN_0/restart", None, id="itself"),
        pytest.param(f"{SERVICE}/restart", {"roleInstances": ["FrontEnd_IN_0"]}, id="named"),
    ],
)
def test_a_role_instance_is_restarted(path: str, body: dict[str, Any] | None) -> None:
    cloud = with_service()
    answer = cloud.post(path, body)
    assert answer.status == 202
    assert cloud.events("rg/shop") == [("Reboot", "Scheduled", ("FrontEnd_IN_0",))]
    cloud.advance(minutes=15)
    assert cloud.wait(answer) == "Succeeded"


@pytest.mark.parametrize("word", ["reimage", "rebuild"])
def test_a_role_instance_is_made_anew(word: str) -> None:
    cloud = with_service()
    answer = cloud.post(f"{ROLES}/Worker_IN_0/{word}")
    cloud.advance()
    assert (answer.status, cloud.wait(answer)) == (202, "Succeeded")


def test_a_role_changes_its_size() -> None:
    cloud = with_service()
    cloud.made(SERVICE, a_service(FrontEnd=1, Worker=2))
    cloud.advance()
    assert cloud.names(ROLES) == ["FrontEnd_IN_0", "Worker_IN_0", "Worker_IN_1"]


def test_role_instances_and_services_are_deleted() -> None:
    cloud = with_service()
    cloud.ask("DELETE", f"{ROLES}/Worker_IN_0")
    cloud.advance()
    assert cloud.names(ROLES) == ["FrontEnd_IN_0", "FrontEnd_IN_1"]
    answer = cloud.ask("DELETE", SERVICE)
    cloud.advance()
    assert cloud.wait(answer) == "Succeeded"
    assert cloud.refused("GET", SERVICE) == (404, "ResourceNotFound")
    assert cloud.ask("DELETE", SERVICE).status == 204


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        pytest.param("POST", f"{SERVICE}/restart", {}, 400, id="nobody-named"),
        pytest.param("POST", f"{SERVICE}/restart", {"roleInstances": ["x"]}, 400, id="no-such-instance"),
        pytest.param("POST", f"{ROLES}/x/restart", None, 404, id="no-such-instance-itself"),
        pytest.param("GET", f"{ROLES}/x", None, 404, id="look-for-no-such-instance"),
        pytest.param("PUT", SERVICE, a_service(a=-1), 400, id="fewer-than-none"),
        pytest.param("PUT", SERVICE, a_service(**{"a/b": 1}), 400, id="no-name"),
        pytest.param("PUT", SERVICE, {"properties": {"roleProfile": {"roles": [7]}}}, 400, id="no-role"),
    ],
)
def test_what_cannot_be_is_refused(method: str, path: str, body: dict[str, Any] | None, status: int) -> None:
    answer = with_service().ask(method, path, body)
    assert answer.status == status, answer.body
