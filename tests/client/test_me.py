"""What the machine is told about itself, and what follows from it."""

import json
import socket

import pytest

from forewarn.client import Identity, Unreachable
from tests.client.acting import playing, says

COMPUTE = {
    "name": "web_18",
    "vmScaleSetName": "web",
    "osProfile": {"computerName": "web00000i"},
    "placementGroupId": "group",
    "platformUpdateDomain": "3",
    "tags": "owner:me;note:a",
    "tagsList": [{"name": "note", "value": "a;b:c"}],
    "priority": "Spot",
}
INSTANCE = says(200, json.dumps({"compute": COMPUTE, "network": {}}).encode())
OLD = says(200, json.dumps({"compute": {"name": "vm1", "tags": "owner:me;note:a:b;"}}).encode())
HOST = socket.gethostname()


def test_the_instance_is_a_value_with_all_that_was_sent() -> None:
    with playing(INSTANCE) as stage:
        instance = stage.client.instance()
        assert (instance.name, instance.scale_set, instance.computer_name) == ("web_18", "web", "web00000i")
        assert (instance.placement_group, instance.update_domain, instance.zone) == ("group", "3", "")
        assert (instance.priority, instance.tags) == ("Spot", {"note": "a;b:c"})
        assert instance.raw == {"compute": COMPUTE, "network": {}}


def test_an_old_host_is_asked_in_its_own_version() -> None:
    with playing(says(400), OLD) as stage:
        instance = stage.client.instance()
        assert (instance.name, instance.tags) == ("vm1", {"owner": "me", "note": "a:b"})
        assert stage.tape.targets[-1] == "/metadata/instance?api-version=2017-12-01"


def test_the_metadata_says_who_i_am() -> None:
    with playing(INSTANCE) as stage:
        assert stage.client.me() == Identity(resource="web_18", computer_name="web00000i", host=HOST)


def test_a_name_that_was_given_needs_no_metadata() -> None:
    with playing(says(500), name="vm1") as stage:
        assert stage.client.me() == Identity(name="vm1", host=HOST)
        assert stage.tape.requests == []


@pytest.mark.parametrize("status", [400, 403, 404])
def test_without_metadata_only_the_host_name_is_left(status: int) -> None:
    with playing(says(status)) as stage:
        assert stage.client.me() == Identity(host=HOST)


def test_metadata_that_cannot_be_had_now_is_not_taken_for_none() -> None:
    with playing(says(503)) as stage, pytest.raises(Unreachable):
        stage.client.me()
