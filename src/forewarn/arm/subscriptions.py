"""The one subscription, its tenant, and what Azure would say about itself in it: places, providers, sizes, images."""

from collections.abc import Iterable, Sequence

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.filters import equalities
from forewarn.arm.routing import Row, Rows, S
from forewarn.domain.access import Right, covers
from forewarn.domain.resources import AVAILABILITY_SET, SCALE_SET, VIRTUAL_MACHINE
from forewarn.engine.ports import Reader
from forewarn.wire import catalogue

TITLE = "Forewarn"
PAGE = 1000


# The subscription and the tenant


async def list_subscriptions(desk: Desk, ask: Ask) -> Reply:
    """For whoever has a role anywhere in it."""
    who = (ask.caller.principal, ask.caller.object_id)
    given = desk.access.assignments.list()
    seen = any(one.principal in who and covers(desk.access.subscription, one.scope) for one in given)
    return Reply(body={"value": [_subscription(desk)] if seen else [], "count": {"type": "Total", "value": int(seen)}})


async def get_subscription(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=_subscription(desk))


async def list_tenants(desk: Desk, ask: Ask) -> Reply:
    tenant = desk.access.tenant
    told = {
        "id": f"/tenants/{tenant}",
        "tenantId": tenant,
        "displayName": TITLE,
        "defaultDomain": "forewarn.localhost",
        "tenantType": "AAD",
        "tenantCategory": "Home",
        "countryCode": "",
        "domains": [],
    }
    return Reply(body={"value": [told]})


def _subscription(desk: Desk) -> Json:
    return {
        "id": desk.access.subscription,
        "authorizationSource": "RoleBased",
        "managedByTenants": [],
        "subscriptionId": desk.subscription,
        "tenantId": desk.access.tenant,
        "displayName": TITLE,
        "state": "Enabled",
        "subscriptionPolicies": {
            "locationPlacementId": "Public_2014-09-01",
            "quotaId": "PayAsYouGo_2014-09-01",
            "spendingLimit": "Off",
        },
    }


async def list_locations(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=catalogue.locations(desk.subscription))


# Providers


async def list_providers(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=catalogue.providers(desk.subscription))


async def get_provider(desk: Desk, ask: Ask) -> Reply:
    """Also the answer to `register`: all there are always are."""
    namespace = ask.path["namespace"]
    found = catalogue.provider(desk.subscription, namespace)
    if found is None:
        raise ArmError(
            404, "InvalidResourceNamespace", f"The resource namespace '{namespace[:100]}' is invalid: it is not known."
        )
    return Reply(body=found)


# Sizes


async def list_skus(desk: Desk, ask: Ask) -> Reply:
    wanted = [value for name, value in equalities(ask.query.get("$filter", "")) if name == "location"]
    return Reply(body=catalogue.skus(wanted[0] if wanted else ""))


async def list_sizes(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=catalogue.vm_sizes())


async def list_usages(desk: Desk, ask: Ask) -> Reply:
    """Of all places together."""
    return Reply(body=await desk.estate.store.read(_usages))


def _usages(reader: Reader) -> Json:
    sets = [str(body.get("sku", {}).get("name", "")) for body in _bodies(reader, SCALE_SET)]
    sizes = [_size(body) for body in _bodies(reader, VIRTUAL_MACHINE)]
    cores = sum(known.cores for size in sizes if (known := catalogue.find_size(size)) is not None)
    return catalogue.usages(cores, len(sizes), len(sets), sum(1 for _ in _bodies(reader, AVAILABILITY_SET)))


def _bodies(reader: Reader, kind: str) -> Iterable[Json]:
    after = ""
    while page := reader.list_resources(kind=kind, after=after, limit=PAGE):
        yield from (resource.body for resource in page)
        after = page[-1].key


def _size(body: Json) -> str:
    return str(body.get("properties", {}).get("hardwareProfile", {}).get("vmSize", ""))


# Images


async def list_publishers(desk: Desk, ask: Ask) -> Reply:
    return Reply(body=catalogue.image_publishers(desk.subscription, ask.path["location"]))


async def list_offers(desk: Desk, ask: Ask) -> Reply:
    return _some(ask, catalogue.image_offers(desk.subscription, *_image(ask, "location", "publisher")))


async def list_image_skus(desk: Desk, ask: Ask) -> Reply:
    return _some(ask, catalogue.image_skus(desk.subscription, *_image(ask, "location", "publisher", "offer")))


async def list_versions(desk: Desk, ask: Ask) -> Reply:
    expand = ask.query.get("$expand", "").lower() == "properties"
    path = _image(ask, "location", "publisher", "offer", "sku")
    return _some(ask, catalogue.image_versions(desk.subscription, *path, properties=expand))


async def get_version(desk: Desk, ask: Ask) -> Reply:
    path = _image(ask, "location", "publisher", "offer", "sku", "version")
    found = catalogue.image_version(desk.subscription, *path)
    if found is None:
        raise _no_image(ask)
    return Reply(body=found)


def _image(ask: Ask, *names: str) -> tuple[str, ...]:
    return tuple(ask.path[name] for name in names)


def _some(ask: Ask, found: Sequence[Json] | None) -> Reply:
    """A bare array, as Azure has it here and nowhere else."""
    if not found:
        raise _no_image(ask)
    return Reply(body=found)


def _no_image(ask: Ask) -> ArmError:
    names = [ask.path[name] for name in ("publisher", "offer", "sku", "version") if name in ask.path]
    return ArmError(404, "NotFound", f"Artifact: VMImage was not found: {':'.join(names)[:300]}.", "vmImage")


_PROVIDER = f"{S}/providers/{{namespace}}"
_PLACE = f"{S}/providers/Microsoft.Compute/locations/{{location}}"
_PUBLISHER = f"{_PLACE}/publishers/{{publisher}}/artifacttypes/vmimage/offers"
_VERSIONS = f"{_PUBLISHER}/{{offer}}/skus/{{sku}}/versions"
ROWS: Rows = (
    Row(method="GET", path="/subscriptions", handler=list_subscriptions, open=True),
    Row(method="GET", path="/tenants", handler=list_tenants, open=True),
    Row(method="GET", path=S, handler=get_subscription),
    Row(method="GET", path=f"{S}/locations", handler=list_locations),
    Row(method="GET", path=f"{S}/providers", handler=list_providers),
    Row(method="GET", path=_PROVIDER, handler=get_provider),
    Row(method="POST", path=f"{_PROVIDER}/register", handler=get_provider, right=Right.READ),
    Row(method="GET", path=f"{S}/providers/Microsoft.Compute/skus", handler=list_skus),
    Row(method="GET", path=f"{_PLACE}/vmSizes", handler=list_sizes),
    Row(method="GET", path=f"{_PLACE}/usages", handler=list_usages),
    Row(method="GET", path=f"{_PLACE}/publishers", handler=list_publishers),
    Row(method="GET", path=_PUBLISHER, handler=list_offers),
    Row(method="GET", path=f"{_PUBLISHER}/{{offer}}/skus", handler=list_image_skus),
    Row(method="GET", path=_VERSIONS, handler=list_versions),
    Row(method="GET", path=f"{_VERSIONS}/{{version}}", handler=get_version),
)
