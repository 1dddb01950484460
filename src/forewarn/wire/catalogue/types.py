"""Which resource types there are, as Azure spells them, and their api-versions, newest first.

Every api-version is accepted by its date; these lists are only what a client that asks is told.
"""

COMPUTE = (
    "2026-04-01",
    "2025-11-01",
    "2025-04-01",
    "2024-11-01",
    "2024-07-01",
    "2024-03-01",
    "2023-09-01",
    "2023-07-01",
    "2023-03-01",
    "2022-11-01",
    "2022-08-01",
    "2022-03-01",
    "2021-11-01",
    "2021-07-01",
    "2021-03-01",
    "2020-12-01",
    "2020-06-01",
    "2019-12-01",
    "2019-07-01",
    "2019-03-01",
    "2018-10-01",
    "2018-06-01",
    "2018-04-01",
    "2017-12-01",
    "2017-03-30",
    "2016-03-30",
    "2015-06-15",
)
SKUS = ("2021-07-01", "2019-04-01", "2017-09-01")
CLOUD_SERVICES = ("2024-11-04", "2022-09-04", "2022-04-04", "2021-03-01", "2020-10-01-preview")
NETWORK = (
    "2024-07-01",
    "2024-01-01",
    "2023-09-01",
    "2022-11-01",
    "2022-01-01",
    "2021-08-01",
    "2020-11-01",
    "2019-11-01",
    "2018-11-01",
    "2017-10-01",
    "2016-09-01",
    "2015-06-15",
)
RESOURCES = ("2026-06-01", "2025-04-01", "2024-11-01", "2022-12-01", "2022-09-01", "2021-04-01", "2020-06-01")
MAINTENANCE = ("2025-10-01-preview", "2023-10-01-preview", "2023-04-01", "2021-05-01")
AUTHORIZATION = ("2022-04-01", "2020-04-01-preview", "2018-01-01-preview", "2015-07-01")
EVENT_GRID = ("2025-02-15", "2023-12-15-preview", "2022-06-15", "2020-06-01")
RESOURCE_GRAPH = ("2024-04-01", "2022-10-01", "2021-03-01", "2019-04-01")

TYPES: dict[str, dict[str, tuple[str, ...]]] = {
    "Microsoft.Compute": {
        "availabilitySets": COMPUTE,
        "cloudServices": CLOUD_SERVICES,
        "cloudServices/roleInstances": CLOUD_SERVICES,
        "cloudServices/roles": CLOUD_SERVICES,
        "disks": COMPUTE,
        "images": COMPUTE,
        "locations": COMPUTE,
        "locations/operations": COMPUTE,
        "locations/publishers": COMPUTE,
        "locations/usages": COMPUTE,
        "locations/vmSizes": COMPUTE,
        "proximityPlacementGroups": COMPUTE,
        "skus": SKUS,
        "virtualMachineScaleSets": COMPUTE,
        "virtualMachineScaleSets/extensions": COMPUTE,
        "virtualMachineScaleSets/virtualMachines": COMPUTE,
        "virtualMachineScaleSets/virtualMachines/networkInterfaces": COMPUTE,
        "virtualMachines": COMPUTE,
        "virtualMachines/extensions": COMPUTE,
    },
    "Microsoft.Network": {
        "applicationGateways": NETWORK,
        "loadBalancers": NETWORK,
        "loadBalancers/backendAddressPools": NETWORK,
        "loadBalancers/frontendIPConfigurations": NETWORK,
        "loadBalancers/inboundNatRules": NETWORK,
        "natGateways": NETWORK,
        "networkInterfaces": NETWORK,
        "networkInterfaces/ipConfigurations": NETWORK,
        "networkSecurityGroups": NETWORK,
        "networkSecurityGroups/securityRules": NETWORK,
        "publicIPAddresses": NETWORK,
        "publicIPPrefixes": NETWORK,
        "routeTables": NETWORK,
        "virtualNetworks": NETWORK,
        "virtualNetworks/subnets": NETWORK,
    },
    "Microsoft.Resources": {
        "deployments": RESOURCES,
        "deployments/operations": RESOURCES,
        "links": RESOURCES,
        "locations": RESOURCES,
        "providers": RESOURCES,
        "resourceGroups": RESOURCES,
        "resources": RESOURCES,
        "subscriptions": RESOURCES,
        "tags": RESOURCES,
        "tenants": RESOURCES,
    },
    "Microsoft.Maintenance": {
        "applyUpdates": MAINTENANCE,
        "configurationAssignments": MAINTENANCE,
        "maintenanceConfigurations": MAINTENANCE,
        "scheduledevents": MAINTENANCE,  # all lower-case, as the clients send it
        "updates": MAINTENANCE,
    },
    "Microsoft.Authorization": {
        "locks": AUTHORIZATION,
        "permissions": AUTHORIZATION,
        "roleAssignments": AUTHORIZATION,
        "roleDefinitions": AUTHORIZATION,
    },
    "Microsoft.EventGrid": {
        "eventSubscriptions": EVENT_GRID,
        "extensionTopics": EVENT_GRID,
        "systemTopics": EVENT_GRID,
        "systemTopics/eventSubscriptions": EVENT_GRID,
        "topicTypes": EVENT_GRID,
    },
    "Microsoft.ResourceGraph": {
        "operations": RESOURCE_GRAPH,
        "resources": RESOURCE_GRAPH,
    },
}

_NAMESPACES = {namespace.lower(): namespace for namespace in TYPES}
_SPELLINGS = {f"{space}/{path}".lower(): path for space, paths in TYPES.items() for path in paths}


def spelled_namespace(namespace: str) -> str:
    """As Azure spells it, or as given if Azure's spelling is not known here."""
    return _NAMESPACES.get(namespace.lower(), namespace)


def spelled_types(namespace: str, types: tuple[str, ...]) -> tuple[str, ...]:
    """Likewise for a path of types. Of `virtualMachines/unknown` the known beginning is spelled as Azure does."""
    for known in range(len(types), 0, -1):
        if path := _SPELLINGS.get(f"{namespace}/{'/'.join(types[:known])}".lower()):
            return (*path.split("/"), *types[known:])
    return types
