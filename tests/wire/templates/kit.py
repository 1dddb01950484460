"""A place to deploy to, and short ways to write templates."""

from typing import Any

from forewarn.wire.arm_ids import ArmId
from forewarn.wire.templates import Context, PlannedResource, deploy_plan, outputs

Json = dict[str, Any]

SUBSCRIPTION = "00000000-0000-0000-0000-000000000001"
GROUP = f"/subscriptions/{SUBSCRIPTION}/resourceGroups/rg1"
CONTEXT = Context(
    subscription=SUBSCRIPTION,
    tenant="00000000-0000-0000-0000-000000000002",
    group="rg1",
    location="eastus",
    tags={"a": "b"},
)


def template(*resources: Json, **sections: Any) -> Json:
    return {"contentVersion": "1.0.0.0", "resources": list(resources), **sections}


def resource(type: str, name: str, *depends_on: str, **more: Any) -> Json:
    return {"type": type, "name": name, "apiVersion": "2024-07-01", "dependsOn": list(depends_on), **more}


def disk(name: str, *depends_on: str, **more: Any) -> Json:
    return resource("Microsoft.Compute/disks", name, *depends_on, **more)


def plan(*resources: Json, given: Json | None = None, **sections: Any) -> list[PlannedResource]:
    return deploy_plan(template(*resources, **sections), given or {}, CONTEXT)


def value_of(expression: Any, given: Json | None = None, **sections: Any) -> Any:
    """What an expression comes to in a resource."""
    return plan(disk("d", x=expression), given=given, **sections)[0].body["x"]


def found(resource: ArmId, full: bool) -> Json | None:
    """A world in which every resource but `nothing` is there."""
    return None if resource.name == "nothing" else {"at": resource.text, "full": full}


def output_of(value: Any, type: str = "object", *resources: Json, given: Json | None = None, **sections: Any) -> Any:
    whole = template(*resources, outputs={"it": {"type": type, "value": value}}, **sections)
    return outputs(whole, given or {}, CONTEXT, found)["it"].get("value")
