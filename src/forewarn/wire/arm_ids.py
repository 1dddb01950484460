"""ARM resource ids: `/subscriptions/S/resourceGroups/G/providers/NAMESPACE/TYPE/NAME/TYPE/NAME…`.

Clients write them in any case and with doubled slashes; Azure answers with its own spelling of the fixed words and
types, and with names as they were given. Ids are therefore compared by `key`, never by their text.

A resource may extend another: `…/virtualMachines/vm1/providers/Microsoft.Maintenance/scheduledevents/ID`. Its id says
in `extends` which one; a role assignment that stands on a subscription or a group extends nothing.

Percent-encoding is no matter of this file: what comes here is decoded.
"""

import re
import unicodedata

from msgspec import Struct

from forewarn.wire.catalogue.types import spelled_namespace, spelled_types
from forewarn.wire.errors import Malformed

LONGEST_ID = 2048
LONGEST_NAME = 260
LONGEST_GROUP = 90

_GUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_NAMESPACE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,62}(?:\.[A-Za-z0-9]{1,63}){1,4}")
_TYPE = re.compile(r"[A-Za-z][A-Za-z0-9]{0,79}")
_MACHINES = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_REFUSED = frozenset("<>*%&:\\?/#")


class BadId(Malformed):
    """A resource id, or a part of one, that ARM would not take. `code` is ARM's word for it."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class ArmId(Struct, frozen=True, kw_only=True):
    """Of a subscription, of a resource group (`group`), or of a resource (`namespace`, `types`, `names`)."""

    subscription: str
    group: str = ""
    namespace: str = ""
    types: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    extends: "ArmId | None" = None

    @property
    def name(self) -> str:
        """The last name: of the resource, the group or the subscription."""
        return self.names[-1] if self.names else self.group or self.subscription

    @property
    def full_name(self) -> str:
        """As a template and Azure's `resourceName` have it: `lb/rule`."""
        return "/".join(self.names)

    @property
    def type(self) -> str:
        if self.names:
            return f"{self.namespace}/{'/'.join(self.types)}"
        return "Microsoft.Resources/resourceGroups" if self.group else "Microsoft.Resources/subscriptions"

    @property
    def is_child(self) -> bool:
        return len(self.names) > 1

    @property
    def parent(self) -> "ArmId | None":
        """What this one is in: the parent resource, what it extends, its group, its subscription; then nothing."""
        if self.is_child:
            return ArmId(
                subscription=self.subscription,
                group=self.group,
                namespace=self.namespace,
                types=self.types[:-1],
                names=self.names[:-1],
                extends=self.extends,
            )
        if self.extends is not None:
            return self.extends
        if self.names and self.group:
            return ArmId(subscription=self.subscription, group=self.group)
        return ArmId(subscription=self.subscription) if self.names or self.group else None

    @property
    def text(self) -> str:
        """The id in Azure's spelling."""
        if self.extends is not None:
            before = self.extends.text
        else:
            before = f"/subscriptions/{self.subscription}" + (f"/resourceGroups/{self.group}" if self.group else "")
        return f"{before}/providers/{self.relative}" if self.names else before

    @property
    def relative(self) -> str:
        """What follows `/providers/`: `Microsoft.Network/loadBalancers/lb/inboundNatRules/rule`."""
        return "/".join((self.namespace, *(part for pair in zip(self.types, self.names, strict=True) for part in pair)))

    @property
    def key(self) -> str:
        """Equal for every spelling of the same id."""
        return self.text.lower()

    def child(self, type: str, name: str) -> "ArmId":
        """A resource inside this one."""
        if not self.names:
            raise BadId("InvalidResourceId", f"'{self.text}' is no resource, so it has no children")
        return _resource(self.extends or self, self.namespace, (*self.types, type), (*self.names, name), self.extends)

    def resource(self, type: str, *names: str) -> "ArmId":
        """A resource of a full type (`Microsoft.Compute/virtualMachines`): in this group, or extending this one."""
        namespace, *types = type.split("/")
        return _resource(self, namespace, tuple(types), names, self if self.names else None)


def is_guid(text: str) -> bool:
    return _GUID.fullmatch(text) is not None


def subscription_id(subscription: str) -> ArmId:
    if not is_guid(subscription):
        shown = _shown(subscription)
        message = f"The provided subscription identifier '{shown}' is malformed or invalid."
        raise BadId("InvalidSubscriptionId", message)
    return ArmId(subscription=subscription)


def group_id(subscription: str, group: str) -> ArmId:
    check_group(group)
    return ArmId(subscription=subscription_id(subscription).subscription, group=group)


def parse_id(text: str) -> ArmId:
    """An id in any spelling. `BadId` if it is none."""
    if len(text) > LONGEST_ID:
        raise BadId("InvalidResourceId", f"A resource id has at most {LONGEST_ID} characters.")
    parts = [part for part in text.split("/") if part]
    if not text.startswith("/") or len(parts) < 2 or parts[0].lower() != "subscriptions":
        raise _no_id(text)
    found = subscription_id(parts[1])
    rest = parts[2:]
    if len(rest) >= 2 and rest[0].lower() == "resourcegroups":
        found, rest = group_id(parts[1], rest[1]), rest[2:]
    for block in _provider_blocks(text, rest):
        found = found.resource("/".join((block[0], *block[1::2])), *block[2::2])
    return found


def check_name(name: str) -> None:
    """ARM's own rules; a resource type may add its own."""
    if not 1 <= len(name) <= LONGEST_NAME:
        raise _bad_name(name, f"it must have 1 to {LONGEST_NAME} characters")
    if any(character in _REFUSED or unicodedata.category(character)[0] == "C" for character in name):
        raise _bad_name(name, f"it may not contain control characters or any of {' '.join(sorted(_REFUSED))}")
    if ".." in name or name != name.strip() or name.endswith("."):
        raise _bad_name(name, "it may not contain '..', end with a period, or begin or end with a space")


def check_machine_name(name: str) -> None:
    """Of machines and of sets of them: it becomes a part of file names, and of what drivers are told."""
    if not _MACHINES.fullmatch(name):
        words = "it must have 1 to 80 letters, digits, periods, hyphens or underscores"
        raise _bad_name(name, f"{words}, and begin with a letter or digit")


def check_group(group: str) -> None:
    if not 1 <= len(group) <= LONGEST_GROUP:
        message = f"The resource group name must have 1 to {LONGEST_GROUP} characters."
        raise BadId("InvalidResourceGroup", message)
    if ".." in group or group.endswith(".") or not all(_in_group(character) for character in group):
        message = (
            f"The provided resource group name '{_shown(group)}' is not valid. The name can only be a letter, digit,"
            " '-', '.', '(', ')' or '_', and cannot end with '.' or contain '..'."
        )
        raise BadId("InvalidResourceGroup", message)


def _in_group(character: str) -> bool:
    return character.isalnum() or character in "-.()_"


def _provider_blocks(text: str, parts: list[str]) -> list[list[str]]:
    """`providers/A/t/n/providers/B/u/m` → [[A, t, n], [B, u, m]]."""
    blocks: list[list[str]] = []
    while parts:
        if parts[0].lower() != "providers":
            raise _no_id(text)
        end = next((at for at in range(2, len(parts), 2) if parts[at].lower() == "providers"), len(parts))
        block, parts = parts[1:end], parts[end:]
        if len(block) < 3 or len(block) % 2 == 0:
            raise _no_id(text)
        blocks.append(block)
    return blocks


def _resource(
    place: ArmId, namespace: str, types: tuple[str, ...], names: tuple[str, ...], extends: ArmId | None
) -> ArmId:
    if not _NAMESPACE.fullmatch(namespace) or not types or not all(_TYPE.fullmatch(part) for part in types):
        shown = _shown("/".join((namespace, *types)))
        raise BadId("InvalidResourceType", f"'{shown}' is not a resource type such as Microsoft.Compute/disks.")
    if len(types) != len(names):
        shown = _shown("/".join((namespace, *types)))
        message = f"The type '{shown}' needs {len(types)} name(s), and {len(names)} came."
        raise BadId("InvalidResourceId", message)
    for name in names:
        check_name(name)
    return ArmId(
        subscription=place.subscription,
        group=place.group,
        namespace=spelled_namespace(namespace),
        types=spelled_types(namespace, types),
        names=names,
        extends=extends,
    )


def _no_id(text: str) -> BadId:
    wanted = "/subscriptions/{id}/resourceGroups/{group}/providers/{namespace}/{type}/{name}"
    return BadId("InvalidResourceId", f"'{_shown(text)}' is not a resource id such as {wanted}.")


def _bad_name(name: str, reason: str) -> BadId:
    return BadId("InvalidResourceName", f"The resource name '{_shown(name)}' is not valid: {reason}.")


def _shown(text: str) -> str:
    """Safe to print: short, and without control characters."""
    return "".join(character if character.isprintable() else "�" for character in text[:200])
