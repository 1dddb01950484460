"""A node's cordon, and whose it is.

The agent marks a node that it cordons with the event, in an annotation, in the same change. It takes off a cordon only
if the mark is still there and nobody else has set the cordon since: the server remembers who owns a field.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from forewarn.agent.errors import StepFailed
from forewarn.agent.steps.kube_api import MANAGER, Api
from forewarn.agent.turns import Turn

MARK = "forewarn/cordoned-for"
CONFLICT_PAUSE = 0.05
NOBODY_ELSE = (MANAGER, "ancient-changes")
"""The second is where the server puts the oldest owners, ours too, when there are more than ten."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Seen:
    """A node as it was at one moment; a change to it is refused if it is another by then."""

    name: str
    version: str
    is_cordoned: bool
    mark: str | None
    has_other_owner: bool
    """Somebody else has set the cordon, or wants it as well."""

    @property
    def cordoned_for(self) -> str | None:
        """The event for which the agent cordoned it; None if it is not cordoned, or not by the agent."""
        return self.mark if self.is_cordoned and not self.has_other_owner else None


def cordon(api: Api, turn: Turn, name: str) -> None:
    """What `restore` needs is kept before the change: `node`, and `cordoned` with the mark, if the cordon is ours.

    A cordon that the agent set for another event counts as ours, so that the last of the two takes it off.
    """
    while True:
        node = look(api, turn, name)
        if node is None:
            raise StepFailed(f"The cluster has no node {name!r}: say which it is with 'node'.")
        if node.is_cordoned:
            turn.keep(node=name, cordoned=node.cordoned_for)
            whose = "the agent" if node.cordoned_for else "somebody else, and will stay so"
            return turn.say(f"node {name} is already cordoned by {whose}")
        turn.keep(node=name, cordoned=turn.event.id)
        if _changed(api, turn, node, mark=turn.event.id, spec={"unschedulable": True}):
            return turn.say(f"node {name} is cordoned")


def uncordon(api: Api, turn: Turn, name: str, mark: str) -> None:
    while True:
        node = look(api, turn, name)
        if node is None:
            return turn.say(f"the cluster has no node {name} any more: nothing to uncordon")
        if node.mark != mark:
            return turn.say(f"node {name} no longer has the agent's cordon: it stays as it is")
        is_ours = node.cordoned_for == mark
        if _changed(api, turn, node, mark=None, spec={"unschedulable": None} if is_ours else {}):
            done = "is uncordoned" if is_ours else "was cordoned or uncordoned by somebody else: it stays as it is"
            return turn.say(f"node {name} {done}")


def look(api: Api, turn: Turn, name: str) -> Seen | None:
    reply = api.call(turn, "GET", _path(name), right="get nodes")
    if reply.status == 404:
        return None
    node = reply.expect(200)
    metadata = node["metadata"]
    return Seen(
        name=name,
        version=metadata["resourceVersion"],
        is_cordoned=bool(node["spec"].get("unschedulable")),
        mark=(metadata.get("annotations") or {}).get(MARK),
        has_other_owner=any(map(_is_other_owner, metadata.get("managedFields") or ())),
    )


def _is_other_owner(entry: Mapping[str, Any]) -> bool:
    owned = (entry.get("fieldsV1") or {}).get("f:spec") or {}
    return "f:unschedulable" in owned and entry.get("manager") not in NOBODY_ELSE


def _changed(api: Api, turn: Turn, node: Seen, *, mark: str | None, spec: Mapping[str, Any]) -> bool:
    """False if the node is no longer what was seen: look again."""
    patch = {"metadata": {"resourceVersion": node.version, "annotations": {MARK: mark}}, "spec": spec}
    path = f"{_path(node.name)}?fieldManager={MANAGER}"
    reply = api.call(turn, "PATCH", path, patch, right="patch nodes")
    if reply.status in (404, 409):
        turn.pause(CONFLICT_PAUSE)
        return False
    reply.expect(200)
    return True


def _path(name: str) -> str:
    return f"/api/v1/nodes/{quote(name, safe='')}"
