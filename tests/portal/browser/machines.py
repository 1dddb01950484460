"""What the software inside a machine does: it asks for its document, and approves."""

import json
import urllib.request
from typing import Any

from tests.e2e.running import Up


def metadata_url(forewarn: Up, machine: str) -> str:
    """Also of a machine that was made after the start."""
    done = forewarn.cli("fleet", "--json")
    assert done.returncode == 0, done.stderr
    return next(str(one["metadata_url"]) for one in json.loads(done.stdout) if one["name"] == machine)


def poll(url: str) -> list[dict[str, Any]]:
    """The events in its document."""
    with urllib.request.urlopen(_request(url), timeout=10) as answer:
        return list(json.load(answer)["Events"])


def approve(url: str, *events: str) -> None:
    body = json.dumps({"StartRequests": [{"EventId": event} for event in events]}).encode()
    with urllib.request.urlopen(_request(url, body), timeout=10) as answer:
        assert answer.status == 200


def _request(url: str, body: bytes | None = None) -> urllib.request.Request:
    target = f"{url}/metadata/scheduledevents?api-version=2020-07-01"
    return urllib.request.Request(target, data=body, headers={"Metadata": "true"})
