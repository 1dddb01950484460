"""Which pods of a node have to go before it is touched: the rules of `kubectl drain`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

MIRROR = "kubernetes.io/config.mirror"
UNSCHEDULABLE = "node.kubernetes.io/unschedulable"


@dataclass(frozen=True, kw_only=True, slots=True)
class Pod:
    namespace: str
    name: str
    uid: str
    controller: str = ""
    """The kind of what would make it anew elsewhere; "" if nothing would."""
    is_mirror: bool = False
    """The kubelet's own, from a file on the node: the server only shows it."""
    is_finished: bool = False
    is_going: bool = False
    """It was told to end, and has not yet."""
    has_emptydir: bool = False
    tolerates_cordon: bool = False

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"

    @property
    def eviction_path(self) -> str:
        return f"/api/v1/namespaces/{quote(self.namespace, safe='')}/pods/{quote(self.name, safe='')}/eviction"

    @property
    def stays(self) -> bool:
        """A DaemonSet would put its pod back at once, cordoned or not."""
        return self.is_mirror or self.is_finished or self.controller == "DaemonSet"


def read_pod(item: Mapping[str, Any]) -> Pod:
    metadata, spec = item["metadata"], item.get("spec") or {}
    owners = metadata.get("ownerReferences") or ()
    return Pod(
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        controller=next((owner["kind"] for owner in owners if owner.get("controller")), ""),
        is_mirror=MIRROR in (metadata.get("annotations") or {}),
        is_finished=(item.get("status") or {}).get("phase") in ("Succeeded", "Failed"),
        is_going="deletionTimestamp" in metadata,
        has_emptydir=any("emptyDir" in volume for volume in spec.get("volumes") or ()),
        tolerates_cordon=any(_covers_cordon(toleration) for toleration in spec.get("tolerations") or ()),
    )


def objection(pod: Pod, *, force: bool, delete_emptydir: bool) -> str:
    """Why it may not be evicted, unless the configuration says that it may; "" if nothing is lost by it."""
    if pod.is_going:
        return ""
    if not pod.controller and not force:
        return f"{pod} has no controller and would not come back ('force' evicts it all the same)"
    if pod.has_emptydir and not delete_emptydir:
        return f"{pod} would lose the data in its emptyDir ('delete_emptydir' allows that)"
    return ""


def _covers_cordon(toleration: Mapping[str, Any]) -> bool:
    """The scheduler still puts such a pod on a cordoned node."""
    key, effect = toleration.get("key", ""), toleration.get("effect", "")
    return effect in ("", "NoSchedule") and (
        key == UNSCHEDULABLE or (not key and toleration.get("operator") == "Exists")
    )
