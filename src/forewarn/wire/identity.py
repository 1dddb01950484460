"""A machine's managed identity, as the metadata service speaks of it. Its errors have a shape of their own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec

from forewarn.wire.answers import JSON, Answer, ok
from forewarn.wire.versions import INSTANCE_VERSIONS

PATH = "/metadata/identity/oauth2/token"
VERSIONS = frozenset(version for version in INSTANCE_VERSIONS if version >= "2018-02-01")
LONGEST_RESOURCE = 500


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenRequest:
    resource: str  # whom the token is for
    ids: frozenset[str] = frozenset()  # of clients, for those that say which identity they mean
    resource_id: str = ""  # of the identity in ARM, the same


@dataclass(frozen=True, kw_only=True, slots=True)
class Token:
    access_token: str = field(repr=False)
    client_id: str
    resource: str
    issued: datetime
    expires: datetime


def _refused(error: str, description: str) -> Answer:
    body = msgspec.json.encode({"error": error, "error_description": description})
    return Answer(status=400, body=body, content_type=JSON)


MISSING_HEADER = _refused("bad_request_102", "Required metadata header not specified")
UNKNOWN_IDENTITY = _refused("invalid_request", "Identity not found")
NO_RESOURCE = _refused("invalid_request", "Required query variable 'resource' is missing")
BAD_RESOURCE = _refused("invalid_resource", "The resource is not the name of one")
NO_VERSION = _refused("invalid_request", "Required query variable 'api-version' is missing")
UNKNOWN_VERSION = _refused("invalid_request", "The api-version is not one of identity tokens: use 2018-02-01")


def read_request(query: Mapping[str, str]) -> TokenRequest | Answer:
    version, resource = query.get("api-version"), query.get("resource")
    if not version:
        return NO_VERSION
    if version not in VERSIONS:
        return UNKNOWN_VERSION
    if not resource:
        return NO_RESOURCE
    if len(resource) > LONGEST_RESOURCE or not resource.isprintable():
        return BAD_RESOURCE
    named = (query.get("client_id"), query.get("object_id"))
    return TokenRequest(
        resource=resource,
        ids=frozenset(name.lower() for name in named if name),
        resource_id=(query.get("msi_res_id") or query.get("mi_res_id") or "").lower(),
    )


def token_answer(token: Token) -> Answer:
    """Numbers are strings here, as in Azure."""
    lifetime = str(int((token.expires - token.issued).total_seconds()))
    return ok(
        msgspec.json.encode(
            {
                "access_token": token.access_token,
                "client_id": token.client_id,
                "expires_in": lifetime,
                "expires_on": str(int(token.expires.timestamp())),
                "ext_expires_in": lifetime,
                "not_before": str(int(token.issued.timestamp())),
                "resource": token.resource,
                "token_type": "Bearer",
            }
        )
    )
