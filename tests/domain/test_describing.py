"""A declared fleet, as its owner would have described it to the control plane."""

from msgspec.structs import replace

from forewarn.domain.describing import described, numbered
from forewarn.domain.machines import Machine, Priority, Profile
from forewarn.domain.resources import AVAILABILITY_SET, CLOUD_SERVICE, GROUP, SCALE_SET, VIRTUAL_MACHINE, Resource
from forewarn.domain.scopes import EventsPolicy, Scope, ScopeKind
from tests.domain.world import minutes

PROFILE = Profile(resource_group="rg", subscription_id="S", location="here", tags={"a": "b"})


def scope(name: str, kind: ScopeKind, **facts: object) -> Scope:
    return replace(Scope(id=name, kind=kind), **facts)


def machine(where: str, name: str, **facts: object) -> Machine:
    return replace(Machine(scope=where, name=name, profile=PROFILE), **facts)


def tell(scopes: list[Scope], machines: list[Machine]) -> tuple[dict[str, Resource], dict[str, Scope]]:
    owned, resources = described(scopes, machines)
    return {f"{r.type.rpartition('/')[2]}/{r.name}": r for r in resources}, {s.id: s for s in owned}


def test_a_machine_alone_is_a_virtual_machine_that_owns_its_scope() -> None:
    policy = EventsPolicy(approve_user_reboot=True, publish=True)
    vm = machine("vm", "vm", zone="2", priority=Priority.SPOT, os_image_notice=minutes(15))
    resources, scopes = tell([scope("vm", ScopeKind.STANDALONE, policy=policy)], [vm])
    assert list(resources) == ["virtualMachines/vm", "resourceGroups/rg"]
    told, group = resources.values()
    assert (group.type, group.key) == (GROUP, told.group)
    assert told.id == "/subscriptions/S/resourceGroups/rg/providers/Microsoft.Compute/virtualMachines/vm"
    assert (told.type, told.location, told.scope, told.machine) == (VIRTUAL_MACHINE, "here", "vm", "vm")
    assert (told.body["zones"], told.body["tags"]) == (["2"], {"a": "b"})
    properties = told.body["properties"]
    assert properties["priority"] == "Spot"
    assert properties["scheduledEventsProfile"] == {
        "osImageNotificationProfile": {"enable": True, "notBeforeTimeout": "PT15M"}
    }
    assert properties["scheduledEventsPolicy"]["userInitiatedReboot"] == {"automaticallyApprove": True}
    targets = properties["scheduledEventsPolicy"]["scheduledEventsAdditionalPublishingTargets"]
    assert targets["eventGridAndResourceGraph"]["enable"] is True
    assert scopes["vm"].owner == told.key


def test_an_availability_set_owns_its_scope_and_names_its_domains() -> None:
    members = [machine("set", f"vm{n}", update_domain=n, fault_domain=n % 2) for n in range(3)]
    resources, scopes = tell([scope("set", ScopeKind.AVAILABILITY_SET)], members)
    told = resources["availabilitySets/set"]
    assert told.body["properties"] == {"platformUpdateDomainCount": 3, "platformFaultDomainCount": 2}
    assert (scopes["set"].update_domains, scopes["set"].fault_domains, scopes["set"].owner) == (3, 2, told.key)
    assert resources["virtualMachines/vm1"].body["properties"]["availabilitySet"] == {"id": told.id}
    assert told.type == AVAILABILITY_SET


def test_the_placement_groups_of_a_scale_set_are_one_resource_that_goes_on_counting() -> None:
    groups = [scope(f"web:{n}", ScopeKind.PLACEMENT_GROUP, scale_set="web") for n in range(2)]
    members = [machine("web:0", "web_3", terminate_notice=minutes(5), zone="1"), machine("web:1", "web_11", zone="2")]
    resources, scopes = tell(groups, members)
    told = resources["virtualMachineScaleSets/web"]
    assert (told.type, told.scope, told.machine, told.counter) == (SCALE_SET, "web", "", 12)
    assert told.body["zones"] == ["1", "2"]
    assert {s.owner for s in scopes.values()} == {told.key}
    assert list(resources) == ["virtualMachineScaleSets/web", "resourceGroups/rg"]


def test_role_instances_are_their_service_s() -> None:
    resources, scopes = tell([scope("svc", ScopeKind.CLOUD_SERVICE)], [machine("svc", "Front_IN_0")])
    assert resources["cloudServices/svc"].type == CLOUD_SERVICE
    assert scopes["svc"].owner == resources["cloudServices/svc"].key
    assert len(resources) == 2


def test_what_has_no_machines_is_nobody_s() -> None:
    resources, scopes = tell([scope("set", ScopeKind.AVAILABILITY_SET)], [])
    assert (resources, scopes["set"].owner) == ({}, "")


def test_an_instance_knows_its_number_and_its_model() -> None:
    group = scope("web:0", ScopeKind.PLACEMENT_GROUP, scale_set="web")
    told = numbered(machine("web:0", "web_7"), group)
    assert (told.instance, told.model) == ("7", 1)
    later = replace(told, model=4)
    assert numbered(later, group) is later
    alone = machine("vm", "vm")
    assert numbered(alone, scope("vm", ScopeKind.STANDALONE)) is alone
