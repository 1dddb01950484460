"""Resource providers: what `az provider list` shows, what the template function `providers` returns."""

from typing import Any

from forewarn.wire.catalogue.locations import LOCATIONS
from forewarn.wire.catalogue.types import TYPES, spelled_namespace, spelled_types

Json = dict[str, Any]


def providers(subscription: str) -> Json:
    return {"value": [_body(subscription, namespace) for namespace in TYPES]}


def provider(subscription: str, namespace: str) -> Json | None:
    spelled = spelled_namespace(namespace)
    return _body(subscription, spelled) if spelled in TYPES else None


def provider_type(namespace: str, type: str) -> Json | None:
    """One resource type of a provider."""
    spelled, path = spelled_namespace(namespace), "/".join(spelled_types(namespace, tuple(type.split("/"))))
    versions = TYPES.get(spelled, {}).get(path)
    return None if versions is None else _type(path, versions)


def _body(subscription: str, namespace: str) -> Json:
    return {
        "id": f"/subscriptions/{subscription}/providers/{namespace}",
        "namespace": namespace,
        "registrationPolicy": "RegistrationRequired",
        "registrationState": "Registered",
        "resourceTypes": [_type(path, versions) for path, versions in TYPES[namespace].items()],
    }


def _type(path: str, versions: tuple[str, ...]) -> Json:
    return {
        "resourceType": path,
        "locations": [location.display_name for location in LOCATIONS],
        "apiVersions": list(versions),
        "capabilities": "None",
    }
