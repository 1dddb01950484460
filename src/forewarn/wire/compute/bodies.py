"""Bodies as Compute keeps them: cleaned of what only clients write, and merged into what is there.

Clients send booleans as strings, words in any letter case, nulls for "as you like", and back what they were shown.
A PUT on something that exists merges, as a PATCH does: `az vmss scale` puts nothing but a sku.
"""

from typing import Any

from forewarn.domain.errors import Invalid
from forewarn.wire.compute.digging import Json
from forewarn.wire.secrets import is_secret

BOOLEANS = frozenset(
    [
        "allowExtensionOperations",
        "automaticallyApprove",
        "bootDiagnosticsEnabled",
        "disablePasswordAuthentication",
        "enable",
        "enableAcceleratedNetworking",
        "enableAutomaticOSUpgrade",
        "enableAutomaticUpdates",
        "enabled",
        "enableIPForwarding",
        "encryptionAtHost",
        "forceDeletion",
        "overprovision",
        "primary",
        "protectFromScaleIn",
        "protectFromScaleSetActions",
        "provisionVMAgent",
        "secureBootEnabled",
        "singlePlacementGroup",
        "ultraSSDEnabled",
        "vTpmEnabled",
        "zoneBalance",
    ]
)
WORDS = {
    "mode": ("Manual", "Automatic", "Rolling"),
    "orchestrationMode": ("Uniform", "Flexible"),
    "priority": ("Regular", "Spot", "Low"),
    "evictionPolicy": ("Deallocate", "Delete"),
    "createOption": ("FromImage", "Attach", "Empty", "Copy", "Restore"),
    "caching": ("None", "ReadOnly", "ReadWrite"),
    "repairAction": ("Replace", "Restart", "Reimage"),
}
KEPT = frozenset({"tags", "sku", "zones", "identity", "plan", "extendedLocation", "properties"})
COMPUTED_PROPERTIES = frozenset(
    [
        "provisioningState",
        "uniqueId",
        "vmId",
        "timeCreated",
        "instanceView",
        "statuses",
        "virtualMachines",
        "instanceId",
        "resources",
    ]
)
WHOLE = frozenset({"tags", "identity", "plan"})
"""What is replaced, not merged."""


def cleaned(body: Json) -> Json:
    """What of a client's body is its owner's description."""
    kept: Json = {name: value for name, value in body.items() if name in KEPT and value is not None}
    cleaned_body = {name: value if name == "tags" else _clean(value, name) for name, value in kept.items()}
    _check_tags(cleaned_body)
    properties = cleaned_body.get("properties")
    if isinstance(properties, dict):
        _forget_computed(properties)
    return cleaned_body


def merged(known: Json, sent: Json) -> Json:
    both = {**known, **sent}
    for name in known.keys() & sent.keys():
        if isinstance(known[name], dict) and isinstance(sent[name], dict) and name not in WHOLE:
            both[name] = merged(known[name], sent[name])
    return both


def _clean(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _clean(inner, key) for key, inner in value.items() if inner is not None and not is_secret(key)}
    if isinstance(value, list):
        return [_clean(inner) for inner in value if inner is not None]
    if name in BOOLEANS and isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if name in WORDS and isinstance(value, str):
        return next((word for word in WORDS[name] if word.lower() == value.lower()), value)
    return value


def _forget_computed(properties: Json) -> None:
    for name in COMPUTED_PROPERTIES & properties.keys():
        del properties[name]
    for holder in (properties, properties.get("virtualMachineProfile")):
        if isinstance(holder, dict):
            holder.pop("timeCreated", None)
            storage = holder.get("storageProfile")
            image = storage.get("imageReference") if isinstance(storage, dict) else None
            if isinstance(image, dict):
                image.pop("exactVersion", None)


def _check_tags(body: Json) -> None:
    tags = body.get("tags", {})
    if not isinstance(tags, dict) or not all(isinstance(value, str) for value in tags.values()):
        raise Invalid("'tags' must be an object whose values are strings.")
