"""What Compute fills in where a client said nothing, so that the clients find it."""

from forewarn.domain.durations import format_iso
from forewarn.domain.scalesets import Repairs
from forewarn.wire.catalogue import find_image
from forewarn.wire.compute.bodies import merged
from forewarn.wire.compute.digging import Json, a_text, an_object, dig
from forewarn.wire.compute.notices import settle_policy, settle_profile
from forewarn.wire.compute.reading import REPAIRS, SIZE, default_single_group, is_flexible, os_type

OS_PROFILE: Json = {"secrets": [], "allowExtensionOperations": True, "requireGuestProvisionSignal": True}
DISK_GB = 30
UNSAID = Repairs()
REPAIRS_POLICY: Json = {
    "enabled": UNSAID.enabled,
    "gracePeriod": format_iso(UNSAID.grace),
    "repairAction": UNSAID.action.value,
}


def complete_machine(body: Json) -> Json:
    properties = settle_policy(settle_profile(an_object(body, "properties")))
    defaults: Json = {"hardwareProfile": {"vmSize": SIZE}, "storageProfile": {**_storage(properties), "dataDisks": []}}
    if an_object(properties, "osProfile"):
        defaults["osProfile"] = OS_PROFILE
    return {**body, "properties": merged(defaults, properties)}


def complete_set(body: Json) -> Json:
    """The number of instances is not a part of the description: it is counted."""
    properties = settle_policy(an_object(body, "properties"))
    flexible = is_flexible(properties)
    defaults: Json = {
        "singlePlacementGroup": default_single_group(body),
        "orchestrationMode": "Flexible" if flexible else "Uniform",
        "upgradePolicy": {"mode": "Manual"},
        "platformFaultDomainCount": 1 if flexible or body.get("zones") else 5,
        **({"constrainedMaximumCapacity": False} if flexible else {"overprovision": True}),
    }
    if an_object(properties, REPAIRS):
        defaults[REPAIRS] = REPAIRS_POLICY
    if an_object(properties, "virtualMachineProfile"):
        properties = {**properties, "virtualMachineProfile": _model(properties["virtualMachineProfile"])}
    complete = {**body, "properties": merged(defaults, properties)}
    if an_object(body, "sku"):
        complete["sku"] = {"tier": "Standard", **body["sku"]}
    return complete


def complete_availability_set(body: Json) -> Json:
    defaults = {"platformUpdateDomainCount": 5, "platformFaultDomainCount": 2}
    properties = merged(defaults, settle_policy(an_object(body, "properties")))
    return {**body, "sku": {"name": a_text(body, "sku", "name") or "Classic"}, "properties": properties}


def without_capacity(body: Json) -> Json:
    if "sku" not in body:
        return body
    return {**body, "sku": {name: value for name, value in body["sku"].items() if name != "capacity"}}


def _model(model: Json) -> Json:
    model = settle_profile(model)
    defaults: Json = {"storageProfile": _storage(model)}
    if an_object(model, "osProfile"):
        defaults["osProfile"] = OS_PROFILE
    return merged(defaults, model)


def _storage(holder: Json) -> Json:
    image = an_object(holder, "storageProfile", "imageReference")
    known = find_image(*(a_text(image, part) for part in ("publisher", "offer", "sku")))
    disk: Json = {
        "osType": os_type(holder),
        "createOption": "FromImage",
        "caching": "ReadWrite",
        "diskSizeGB": known.disk_gb if known else DISK_GB,
    }
    if dig(holder, "storageProfile", "osDisk", "vhd") is None:
        disk["managedDisk"] = {"storageAccountType": "Premium_LRS"}
    return {"osDisk": disk}
