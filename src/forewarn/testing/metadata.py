"""The metadata endpoint, asked as a machine: for the kit's own requests, and for tests without a client."""

import http.client
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

USER_AGENT = "forewarn-testing"
PATH = "/metadata/scheduledevents"
VERSION = "2020-07-01"


@dataclass(frozen=True, kw_only=True, slots=True)
class Response:
    status: int
    fields: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def document(self) -> dict[str, Any]:
        document = json.loads(self.body)
        assert isinstance(document, dict), f"not a document: {self.body[:200]!r}"
        return document


def ask(
    url: str,
    path: str,
    *,
    method: str = "GET",
    body: bytes | None = None,
    fields: Mapping[str, str] | None = None,
    seconds: float = 150.0,
) -> Response:
    """`seconds`: of real time, until it must be answered; a scope's first answer may take two minutes."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port or 80, timeout=seconds)
    try:
        connection.request(method, path, body, {"Metadata": "true", "User-Agent": USER_AGENT, **(fields or {})})
        response = connection.getresponse()
        return Response(
            status=response.status,
            fields={name.lower(): value for name, value in response.getheaders()},
            body=response.read(),
        )
    finally:
        connection.close()


def poll(url: str, version: str = VERSION) -> Response:
    return ask(url, f"{PATH}?api-version={version}")


def approve(url: str, *events: str, version: str = VERSION) -> Response:
    return ask(url, f"{PATH}?api-version={version}", method="POST", body=approval_of(events))


def approval_of(events: Iterable[str]) -> bytes:
    return json.dumps({"StartRequests": [{"EventId": event} for event in events]}).encode()
