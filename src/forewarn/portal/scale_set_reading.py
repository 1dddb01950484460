"""Finding scale sets, and what stands behind them."""

from forewarn.domain.errors import NotFound
from forewarn.domain.machines import Machine
from forewarn.domain.resources import SCALE_SET, Resource, resource_id
from forewarn.engine.ports import Reader
from forewarn.portal.desk import Visit
from forewarn.portal.places import ROOT
from forewarn.portal.ports import Answer
from forewarn.portal.views.scale_sets import SetFacts, SetRow, by_set, list_view, set_row

VERSION = "2024-07-01"
"""The api-version that the portal speaks to the control plane."""
EVERYTHING = 1000


async def every_set(visit: Visit) -> tuple[SetRow, ...]:
    roster = await visit.desk.roster.fill()
    resources = await visit.desk.engine.store.read(lambda reader: every_resource(reader, SCALE_SET))
    homes = by_set(roster.scopes, roster.machines)
    found = ((resource, homes.get(resource.scope, ([], []))) for resource in resources)
    return list_view(
        SetFacts(resource=resource, scopes=scopes, members=members) for resource, (scopes, members) in found
    )


async def one_set(visit: Visit) -> SetFacts:
    """The one that the path names; NotFound if there is none."""
    path = visit.request.path_params
    subscription = visit.desk.access.local.subscription
    key = resource_id(subscription, path["group"], SCALE_SET, path["name"]).lower()

    def read(reader: Reader) -> SetFacts | None:
        resource = reader.resource(key)
        if resource is None:
            return None
        scopes = reader.scopes_of_scale_set(resource.scope)
        members = [machine for scope in scopes for machine in reader.machines(scope.id)]
        return SetFacts(resource=resource, scopes=scopes, members=members)

    found = await visit.desk.engine.store.read(read)
    if found is None:
        raise NotFound(
            "There is no scale set {name} in the resource group {group}.",
            key="no_scale_set",
            name=path["name"][:80],
            group=path["group"][:90],
        )
    return found


def every_resource(reader: Reader, kind: str) -> list[Resource]:
    found: list[Resource] = []
    while page := reader.list_resources(kind=kind, after=found[-1].key if found else "", limit=EVERYTHING):
        found += page
    return found


def page_of(facts: SetFacts, below: str = "") -> str:
    return ROOT + set_row(facts).place + below


async def ask(visit: Visit, facts: SetFacts, method: str, below: str, body: dict[str, object]) -> Answer:
    """Something of the set, as `az` would."""
    path = f"{facts.resource.id}{below}?api-version={VERSION}"
    return await visit.desk.resources.send(visit.caller, method, path, body)


def named(facts: SetFacts, instances: list[str]) -> list[Machine]:
    """The instances with these ids; those that are gone by now are not among them."""
    wanted = set(instances)
    return [machine for machine in facts.members if machine.instance in wanted]
