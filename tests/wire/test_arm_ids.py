"""Resource ids in every spelling clients use, and the ones that are refused."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.wire.arm_ids import ArmId, BadId, check_group, check_name, group_id, parse_id, subscription_id

S = "00000000-0000-0000-0000-000000000001"
GROUP = f"/subscriptions/{S}/resourceGroups/rg1"
SET = f"{GROUP}/providers/Microsoft.Compute/virtualMachineScaleSets/ss"

SPELLINGS = [
    pytest.param(f"/subscriptions/{S}", f"/subscriptions/{S}", id="subscription"),
    pytest.param(f"/subscriptions/{S}/resourcegroups/rg1/", GROUP, id="group, lower-case, with a slash behind it"),
    pytest.param(f"/SUBSCRIPTIONS/{S}/RESOURCEGROUPS/Rg1", GROUP.replace("rg1", "Rg1"), id="names keep their case"),
    pytest.param(f"{GROUP}/providers/microsoft.Compute/VirtualMachineScalesets/ss", SET, id="namespace and type"),
    pytest.param(
        f"{GROUP}/providers/Microsoft.Compute//availabilitySets/as1",
        f"{GROUP}/providers/Microsoft.Compute/availabilitySets/as1",
        id="the double slash of az vm create",
    ),
    pytest.param(f"{SET}/virtualmachines/0", f"{SET}/virtualMachines/0", id="child"),
    pytest.param(
        f"{SET}/virtualMachines/0/NetworkInterfaces/nic",
        f"{SET}/virtualMachines/0/networkInterfaces/nic",
        id="grandchild",
    ),
    pytest.param(
        f"{GROUP}/providers/microsoft.network/publicIpAddresses/ip",
        f"{GROUP}/providers/Microsoft.Network/publicIPAddresses/ip",
        id="publicIpAddresses as the CLI's dependsOn has it",
    ),
    pytest.param(
        f"{SET}/providers/microsoft.maintenance/scheduledEvents/8482AE8A",
        f"{SET}/providers/Microsoft.Maintenance/scheduledevents/8482AE8A",
        id="extension",
    ),
    pytest.param(
        f"/subscriptions/{S}/providers/Microsoft.Authorization/roleassignments/x",
        f"/subscriptions/{S}/providers/Microsoft.Authorization/roleAssignments/x",
        id="resource of a subscription",
    ),
    pytest.param(f"{GROUP}/providers/My.Own/kInds/k", f"{GROUP}/providers/My.Own/kInds/k", id="unknown as given"),
    pytest.param(
        f"{SET}/virtualmachines/0/strange/x", f"{SET}/virtualMachines/0/strange/x", id="unknown below what is known"
    ),
]


@pytest.mark.parametrize(("given", "canonical"), SPELLINGS)
def test_an_id_is_understood_in_any_spelling_and_answered_in_azures(given: str, canonical: str) -> None:
    found = parse_id(given)
    assert found.text == canonical
    assert parse_id(found.text) == found
    assert found.key == parse_id(given.upper()).key == canonical.lower()


def test_an_id_knows_its_parts() -> None:
    instance = parse_id(f"{SET}/virtualMachines/0")
    assert (instance.subscription, instance.group, instance.namespace) == (S, "rg1", "Microsoft.Compute")
    assert instance.type == "Microsoft.Compute/virtualMachineScaleSets/virtualMachines"
    assert (instance.name, instance.full_name, instance.is_child) == ("0", "ss/0", True)
    assert instance.relative == "Microsoft.Compute/virtualMachineScaleSets/ss/virtualMachines/0"


@pytest.mark.parametrize(
    ("text", "type", "name"),
    [
        pytest.param(f"/subscriptions/{S}", "Microsoft.Resources/subscriptions", S, id="subscription"),
        pytest.param(GROUP, "Microsoft.Resources/resourceGroups", "rg1", id="group"),
    ],
)
def test_what_is_no_resource_has_a_type_too(text: str, type: str, name: str) -> None:
    found = parse_id(text)
    assert (found.type, found.name, found.is_child) == (type, name, False)


def test_parents_lead_up_to_the_subscription() -> None:
    above: list[str] = []
    found = parse_id(f"{SET}/virtualMachines/0/providers/Microsoft.Maintenance/scheduledevents/x").parent
    while found is not None:
        above.append(found.text)
        found = found.parent
    assert above == [f"{SET}/virtualMachines/0", SET, GROUP, f"/subscriptions/{S}"]


def test_a_resource_of_a_subscription_has_the_subscription_as_parent() -> None:
    assert parse_id(f"/subscriptions/{S}/providers/Microsoft.Authorization/roleAssignments/x").parent == ArmId(
        subscription=S
    )


def test_ids_are_built_from_above() -> None:
    group = group_id(S, "rg1")
    scale_set = group.resource("microsoft.compute/virtualmachinescalesets", "ss")
    assert scale_set == parse_id(SET)
    assert scale_set.child("virtualmachines", "0").text == f"{SET}/virtualMachines/0"
    assert group.resource("Microsoft.Network/loadBalancers/inboundNatRules", "lb", "rule").full_name == "lb/rule"
    event = scale_set.resource("Microsoft.Maintenance/scheduledEvents", "E")
    assert event == parse_id(f"{SET}/providers/Microsoft.Maintenance/scheduledevents/E")
    assert event.child("x", "y").text == f"{event.text}/x/y"
    assert event.child("x", "y").parent == event


def test_a_group_has_no_children() -> None:
    with pytest.raises(BadId, match="no children"):
        group_id(S, "rg1").child("x", "y")


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("", "InvalidResourceId", id="nothing"),
        pytest.param("/", "InvalidResourceId", id="root"),
        pytest.param("/subscriptions", "InvalidResourceId", id="subscriptions alone"),
        pytest.param("/subscriptions/none", "InvalidSubscriptionId", id="subscription is no GUID"),
        pytest.param(f"subscriptions/{S}", "InvalidResourceId", id="no slash at the start"),
        pytest.param(f"/subscriptions/{S}/resourceGroups", "InvalidResourceId", id="group without a name"),
        pytest.param(f"{GROUP}/providers", "InvalidResourceId", id="providers alone"),
        pytest.param(f"{GROUP}/providers/Microsoft.Compute", "InvalidResourceId", id="namespace alone"),
        pytest.param(f"{GROUP}/providers/Microsoft.Compute/disks", "InvalidResourceId", id="collection"),
        pytest.param(f"{SET}/virtualMachines", "InvalidResourceId", id="collection of children"),
        pytest.param(f"{SET}/providers/Microsoft.Maintenance", "InvalidResourceId", id="half an extension"),
        pytest.param(f"{GROUP}/disks/d", "InvalidResourceId", id="no provider"),
        pytest.param(f"{GROUP}/providers/Compute/disks/d", "InvalidResourceType", id="namespace without a dot"),
        pytest.param(f"{GROUP}/providers/A.B/di-sks/d", "InvalidResourceType", id="strange type"),
        pytest.param(f"{SET}\x00", "InvalidResourceName", id="control character"),
        pytest.param(f"{GROUP}/providers/A.B/disks/..", "InvalidResourceName", id="dots"),
        pytest.param(f"/subscriptions/{S}/resourceGroups/..", "InvalidResourceGroup", id="group of dots"),
        pytest.param(f"/subscriptions/{S}/resourceGroups/a b", "InvalidResourceGroup", id="group with a space"),
        pytest.param(SET + "/a/b" * 600, "InvalidResourceId", id="endless"),
    ],
)
def test_what_is_no_id_is_refused(text: str, code: str) -> None:
    with pytest.raises(BadId) as refusal:
        parse_id(text)
    assert refusal.value.code == code


@pytest.mark.parametrize("name", ["vm1", "uni1_0", "a b", "vm-ü.x", "(x)", "x" * 260, "0"])
def test_good_names(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "name", ["", "x" * 261, "a/b", "a\\b", "a?b", "a%2fb", "a#b", "a\nb", "a\u202eb", "..", "a..b", "a.", " a", "a "]
)
def test_bad_names_are_refused_in_words_without_control_characters(name: str) -> None:
    with pytest.raises(BadId) as refusal:
        check_name(name)
    assert str(refusal.value).isprintable()


@pytest.mark.parametrize("group", ["rg", "RG_1", "a.b", "(a)-1", "größe", "x" * 90])
def test_good_groups(group: str) -> None:
    check_group(group)


@pytest.mark.parametrize("group", ["", "x" * 91, "a.", "a/b", "a..b", "a b", "a\n"])
def test_bad_groups_are_refused(group: str) -> None:
    with pytest.raises(BadId):
        check_group(group)


@given(st.text() | st.lists(st.sampled_from([*SET.split("/"), "", "..", "providers", "x"])).map("/".join))
def test_the_parser_raises_nothing_but_its_own_error(text: str) -> None:
    for candidate in (text, f"{GROUP}/{text}", f"{SET}/{text}"):
        with contextlib.suppress(BadId):
            found = parse_id(candidate)
            assert parse_id(found.text) == found


def test_a_subscription_is_a_guid() -> None:
    assert subscription_id(S).text == f"/subscriptions/{S}"
    with pytest.raises(BadId, match="subscription identifier 'x' is malformed"):
        subscription_id("x")
