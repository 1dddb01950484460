"""What a description means for machines."""

from datetime import timedelta
from typing import Any

import pytest

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import EvictionPolicy, Machine, Priority
from forewarn.domain.scalesets import RepairAction, Repairs, ScaleIn, SetSpec, Upgrade
from forewarn.domain.scopes import EventsPolicy
from forewarn.wire.compute.bodies import cleaned
from forewarn.wire.compute.completing import complete_machine, complete_set
from forewarn.wire.compute.notices import policy_of, settle_policy, settle_profile
from forewarn.wire.compute.reading import Place, machine_of, set_of, set_spec

Json = dict[str, Any]
PLACE = Place(subscription="00000000-0000-0000-0000-000000000001", group="rg", location="eastus")
UBUNTU = {"publisher": "Canonical", "offer": "UbuntuServer", "sku": "18.04-LTS", "version": "latest"}
WINDOWS = {"publisher": "MicrosoftWindowsServer", "offer": "WindowsServer", "sku": "2019-Datacenter"}


def spec(body: Json) -> SetSpec:
    return set_spec(complete_set(cleaned(body)), name="rg/web", title="web", place=PLACE)


def machine(properties: Json, **more: Any) -> Machine:
    return machine_of(complete_machine(cleaned({"properties": properties, **more})), "vm", "rg/vm", PLACE)


def model(**properties: Any) -> Json:
    return {"properties": {"virtualMachineProfile": properties}}


def test_a_machine_is_what_its_owner_describes() -> None:
    told = machine(
        {
            "hardwareProfile": {"vmSize": "Standard_B2s"},
            "storageProfile": {"imageReference": WINDOWS},
            "osProfile": {"computerName": "box"},
            "priority": "spot",
            "evictionPolicy": "delete",
        },
        zones=["2"],
        tags={"a": "b"},
    )
    assert (told.name, told.scope, told.computer_name, told.zone) == ("vm", "rg/vm", "box", "2")
    assert (told.priority, told.eviction_policy) == (Priority.SPOT, EvictionPolicy.DELETE)
    profile = told.profile
    assert (profile.size, profile.os_type, profile.sku) == ("Standard_B2s", "Windows", "2019-Datacenter")
    assert (profile.subscription_id, profile.resource_group) == (PLACE.subscription, PLACE.group)
    assert profile.location == PLACE.location
    assert profile.tags == {"a": "b"}


def test_little_is_enough_for_a_machine() -> None:
    told = machine({})
    assert (told.computer_name, told.priority, told.profile.os_type) == ("vm", Priority.REGULAR, "Linux")
    assert told.terminate_notice is None


@pytest.mark.parametrize(
    ("body", "want"),
    [
        pytest.param({}, {"flexible": False, "single_group": True, "upgrade": Upgrade.MANUAL}, id="uniform-by-default"),
        pytest.param({"sku": {"capacity": 101}}, {"single_group": False, "capacity": 101}, id="large-from-the-start"),
        pytest.param({"sku": {"capacity": "3"}}, {"capacity": 3}, id="a-number-as-text"),
        pytest.param(
            {"properties": {"singlePlacementGroup": None}},
            {"single_group": True, "capacity": None},
            id="null-is-default",
        ),
        pytest.param(
            {"properties": {"orchestrationMode": "flexible"}},
            {"flexible": True, "single_group": False, "fault_domains": 1},
            id="flexible",
        ),
        pytest.param({"zones": ["1", "2"]}, {"zones": ("1", "2"), "fault_domains": 1}, id="zones"),
        pytest.param(
            {"properties": {"upgradePolicy": {"mode": "automatic"}, "scaleInPolicy": {"rules": ["OldestVM"]}}},
            {"upgrade": Upgrade.AUTOMATIC, "scale_in": ScaleIn.OLDEST},
            id="policies",
        ),
        pytest.param(model(osProfile={"computerNamePrefix": "w"}), {"computer_prefix": "w"}, id="prefix"),
        pytest.param({}, {"repairs": Repairs(enabled=False)}, id="no-repairs-by-default"),
        pytest.param(
            {"properties": {"automaticRepairsPolicy": {"enabled": "true"}}},
            {"repairs": Repairs(enabled=True, grace=timedelta(minutes=10), action=RepairAction.REPLACE)},
            id="repairs",
        ),
        pytest.param(
            {"properties": {"automaticRepairsPolicy": {"gracePeriod": "PT30M", "repairAction": "reimage"}}},
            {"repairs": Repairs(enabled=False, grace=timedelta(minutes=30), action=RepairAction.REIMAGE)},
            id="repairs-without-a-word-that-they-are-wanted",
        ),
    ],
)
def test_a_scale_set_is_what_its_owner_describes(body: Json, want: Json) -> None:
    told = spec(body)
    assert {name: getattr(told, name) for name in want} == want


@pytest.mark.parametrize(
    ("profile", "terminate", "image"),
    [
        pytest.param({"terminateNotificationProfile": {"enable": "true"}}, 5, None, id="five-minutes-by-default"),
        pytest.param(
            {"terminateNotificationProfile": {"enable": True, "notBeforeTimeout": "PT15M"}}, 15, None, id="as-it-says"
        ),
        pytest.param({"terminateNotificationProfile": {"notBeforeTimeout": "PT9M"}}, 9, None, id="a-time-alone"),
        pytest.param({"terminateNotificationProfile": {"enable": False}}, None, None, id="off"),
        pytest.param({"osImageNotificationProfile": {"enable": True}}, None, 15, id="image"),
    ],
)
def test_a_model_says_what_its_instances_are_told_before(
    profile: Json, terminate: int | None, image: int | None
) -> None:
    instance = spec(model(scheduledEventsProfile=profile)).instance
    wanted = tuple(None if minutes is None else timedelta(minutes=minutes) for minutes in (terminate, image))
    assert (instance.terminate_notice, instance.os_image_notice) == wanted


@pytest.mark.parametrize(
    ("body", "why"),
    [
        pytest.param(
            model(scheduledEventsProfile={"terminateNotificationProfile": {"notBeforeTimeout": "10"}}),
            "'10' is not an ISO 8601 duration such as PT5M",
            id="no-duration",
        ),
        pytest.param(
            model(scheduledEventsProfile={"osImageNotificationProfile": {"notBeforeTimeout": "PT10M"}}),
            "must be PT15M, not PT10M",
            id="image-notice-is-fifteen-minutes",
        ),
        pytest.param(
            model(scheduledEventsProfile={"terminateNotificationProfile": {"enable": "perhaps"}}),
            "'terminateNotificationProfile.enable' must be true or false",
            id="no-boolean",
        ),
        pytest.param(
            {"properties": {"automaticRepairsPolicy": {"gracePeriod": "30"}}},
            "automaticRepairsPolicy.gracePeriod: '30' is not an ISO 8601 duration",
            id="no-grace-period",
        ),
        pytest.param(
            {"properties": {"automaticRepairsPolicy": {"repairAction": "Pray"}}},
            "'automaticRepairsPolicy.repairAction' must be one of Replace, Restart, Reimage, not 'Pray'",
            id="no-repair-action",
        ),
        pytest.param(
            {"properties": {"automaticRepairsPolicy": True}},
            "'automaticRepairsPolicy' must be an object",
            id="no-policy",
        ),
        pytest.param(model(priority="Cheap"), "'priority' must be one of Regular, Spot, Low", id="no-priority"),
        pytest.param(
            {"properties": {"scaleInPolicy": {"rules": ["Any"]}}}, "Default, NewestVM, OldestVM", id="no-rule"
        ),
        pytest.param(
            {"properties": {"upgradePolicy": {"mode": "x"}}}, "'upgradePolicy.mode' must be one of", id="mode"
        ),
        pytest.param({"sku": {"capacity": "many"}}, "'sku.capacity' must be a whole number", id="no-number"),
        pytest.param({"sku": {"capacity": True}}, "'sku.capacity' must be a whole number", id="true-is-no-number"),
        pytest.param({"properties": "x"}, "'properties' must be an object", id="no-object"),
        pytest.param(model(storageProfile={"imageReference": "x"}), "must be an object", id="no-image"),
        pytest.param({"zones": [1]}, "'zones' must be a list of strings", id="no-zone"),
    ],
)
def test_what_makes_no_sense_is_said_to_make_none(body: Json, why: str) -> None:
    with pytest.raises(Invalid, match=why):
        spec(body)


def test_a_machine_is_in_one_set_at_most() -> None:
    assert set_of({"availabilitySet": {"id": "/a"}}) == "/a"
    assert set_of({}) == ""
    with pytest.raises(Invalid, match="not in both"):
        set_of({"availabilitySet": {"id": "/a"}, "virtualMachineScaleSet": {"id": "/b"}})


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        pytest.param({}, EventsPolicy(), id="none"),
        pytest.param(
            {"userInitiatedReboot": {"automaticallyApprove": True}}, EventsPolicy(approve_user_reboot=True), id="reboot"
        ),
        pytest.param(
            {"userInitiatedRedeploy": {"automaticallyApprove": True}},
            EventsPolicy(approve_user_redeploy=True),
            id="redeploy",
        ),
        pytest.param(
            {"allInstancesDown": {"automaticallyApprove": False}},
            EventsPolicy(approve_all_instances_down=False),
            id="all-down-must-be-asked",
        ),
        pytest.param(
            {
                "scheduledEventsAdditionalPublishingTargets": {
                    "eventGridAndResourceGraph": {"enable": True, "scheduledEventsApiVersion": "2020-07-01"}
                }
            },
            EventsPolicy(publish=True),
            id="published",
        ),
    ],
)
def test_a_policy_says_what_needs_no_approval(policy: Json, want: EventsPolicy) -> None:
    properties = settle_policy({"scheduledEventsPolicy": policy})
    assert policy_of(properties) == want
    assert ("scheduledEventsPolicy" in properties) is (want != EventsPolicy())


def test_one_version_is_published() -> None:
    grid = {"eventGridAndResourceGraph": {"enable": True, "scheduledEventsApiVersion": "2019-01-01"}}
    with pytest.raises(Invalid, match="must be 2020-07-01"):
        policy_of({"scheduledEventsPolicy": {"scheduledEventsAdditionalPublishingTargets": grid}})


def test_switching_both_notifications_off_leaves_an_empty_profile() -> None:
    off = {"enable": False}
    profile = {"terminateNotificationProfile": off, "osImageNotificationProfile": off}
    assert settle_profile({"scheduledEventsProfile": profile}) == {"scheduledEventsProfile": {}}
