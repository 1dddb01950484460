"""What a description means for machines."""

from datetime import timedelta

from msgspec import Struct

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import EvictionPolicy, Machine, Priority, Profile
from forewarn.domain.resources import Resource
from forewarn.domain.scalesets import GROUP_SIZE, RepairAction, Repairs, ScaleIn, SetSpec, Upgrade
from forewarn.wire.arm_ids import parse_id
from forewarn.wire.catalogue import find_image
from forewarn.wire.compute.bodies import WORDS
from forewarn.wire.compute.digging import Json, a_flag, a_number, a_text, an_object, dig, objects, texts
from forewarn.wire.compute.notices import os_image_notice, policy_of, terminate_notice
from forewarn.wire.durations import parse_iso

SIZE = "Standard_D2s_v5"
"""Of a machine whose description does not say."""
REPAIRS = "automaticRepairsPolicy"


class Place(Struct, frozen=True, kw_only=True):
    """Where a resource is."""

    subscription: str
    group: str
    location: str


def scope_of(resource: Resource) -> str:
    """What it is in the fleet, or will be: its name in its group."""
    return resource.scope or f"{parse_id(resource.id).group}/{resource.name}"


def place_of(resource: Resource) -> Place:
    at = parse_id(resource.id)
    return Place(subscription=at.subscription, group=at.group, location=resource.location)


def spec_of(resource: Resource) -> SetSpec:
    """Of a scale set, as it is kept."""
    return set_spec(resource.body, name=scope_of(resource), title=resource.name, place=place_of(resource))


def machine_of(body: Json, name: str, scope: str, place: Place) -> Machine:
    properties = an_object(body, "properties")
    zones = texts(body, "zones")
    size = a_text(properties, "hardwareProfile", "vmSize") or SIZE
    machine = _model(properties, place, size, _tags(body))
    return Machine(
        scope=scope,
        name=name,
        computer_name=a_text(properties, "osProfile", "computerName") or name,
        zone=zones[0] if zones else "",
        priority=machine.priority,
        eviction_policy=machine.eviction_policy,
        terminate_notice=machine.terminate_notice,
        os_image_notice=machine.os_image_notice,
        profile=machine.profile,
    )


def set_of(properties: Json) -> str:
    """The id of the availability set or scale set that a machine is to be in; "": it stands alone."""
    ids = [found for kind in ("availabilitySet", "virtualMachineScaleSet") if (found := a_text(properties, kind, "id"))]
    if len(ids) > 1:
        raise Invalid("A virtual machine is in an availability set or in a scale set, not in both.")
    return ids[0] if ids else ""


def set_spec(body: Json, *, name: str, title: str, place: Place) -> SetSpec:
    """`name` is the scale set's in the fleet, `title` what its instances are named after."""
    properties = an_object(body, "properties")
    model = an_object(properties, "virtualMachineProfile")
    _check_network(model)
    size = a_text(body, "sku", "name") or SIZE
    flexible = is_flexible(properties)
    return SetSpec(
        name=name,
        title=title,
        capacity=a_number(body, "sku", "capacity"),
        flexible=flexible,
        single_group=a_flag(properties, "singlePlacementGroup", default=not flexible),
        upgrade=Upgrade(_word(properties, "mode", "upgradePolicy")),
        scale_in=_scale_in(properties),
        zones=texts(body, "zones"),
        fault_domains=a_number(properties, "platformFaultDomainCount") or 1,
        policy=policy_of(properties),
        repairs=_repairs(properties),
        computer_prefix=a_text(model, "osProfile", "computerNamePrefix"),
        instance=_model(model, place, size, _tags(body)),
    )


def is_flexible(properties: Json) -> bool:
    return _word(properties, "orchestrationMode") == "Flexible"


def default_single_group(body: Json) -> bool:
    """A uniform set is in one placement group unless it says so, or is too large for that from the start."""
    properties = an_object(body, "properties")
    return not is_flexible(properties) and (a_number(body, "sku", "capacity") or 0) <= GROUP_SIZE


def os_type(holder: Json) -> str:
    said = dig(holder, "storageProfile", "osDisk", "osType")
    image = an_object(holder, "storageProfile", "imageReference")
    known = find_image(*(a_text(image, part) for part in ("publisher", "offer", "sku")))
    if isinstance(said, str):
        return said
    return known.os if known else "Windows" if dig(holder, "osProfile", "windowsConfiguration") else "Linux"


def _model(holder: Json, place: Place, size: str, tags: dict[str, str]) -> Machine:
    """What a machine's properties and a scale set's model have in common."""
    image = an_object(holder, "storageProfile", "imageReference")
    return Machine(
        scope="",
        name="",
        priority=Priority(_word(holder, "priority")),
        eviction_policy=EvictionPolicy(_word(holder, "evictionPolicy")),
        terminate_notice=terminate_notice(holder),
        os_image_notice=os_image_notice(holder),
        profile=Profile(
            location=place.location,
            resource_group=place.group,
            subscription_id=place.subscription,
            size=size,
            os_type=os_type(holder),
            publisher=a_text(image, "publisher"),
            offer=a_text(image, "offer"),
            sku=a_text(image, "sku"),
            version=a_text(image, "version"),
            tags=tags,
        ),
    )


def _check_network(model: Json) -> None:
    """No rule reads it, but the interfaces of instances are made from it."""
    for card in objects(model, "networkProfile", "networkInterfaceConfigurations"):
        a_text(card, "name")
        for address in objects(card, "properties", "ipConfigurations"):
            a_text(address, "name")
            an_object(address, "properties")


def _word(holder: Json, name: str, *path: str) -> str:
    """One of a few words; the first of them where nothing is said."""
    word = a_text(holder, *path, name) or WORDS[name][0]
    if word not in WORDS[name]:
        raise Invalid(f"'{'.'.join((*path, name))}' must be one of {', '.join(WORDS[name])}, not '{word[:40]}'.")
    return word


def _scale_in(properties: Json) -> ScaleIn:
    rules = texts(properties, "scaleInPolicy", "rules")
    known = {rule.value: rule for rule in ScaleIn}
    if len(rules) > 1 or not set(rules) <= known.keys():
        raise Invalid(f"'scaleInPolicy.rules' must hold one of {', '.join(known)}.")
    return known[rules[0]] if rules else ScaleIn.DEFAULT


def _repairs(properties: Json) -> Repairs:
    return Repairs(
        enabled=a_flag(properties, REPAIRS, "enabled"),
        grace=_grace(a_text(properties, REPAIRS, "gracePeriod")),
        action=RepairAction(_word(properties, "repairAction", REPAIRS)),
    )


def _grace(text: str) -> timedelta:
    if not text:
        return Repairs().grace
    try:
        return parse_iso(text)
    except ValueError as error:
        raise Invalid(f"{REPAIRS}.gracePeriod: {error}.") from None


def _tags(body: Json) -> dict[str, str]:
    return dict(an_object(body, "tags"))
