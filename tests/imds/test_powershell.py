"""What Windows PowerShell 5.1's Invoke-RestMethod puts on the wire, on one connection: a GET, then an approval.

The program itself was found in no package registry (docs/explanation/proofs.md): its requests are written down here.
"""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.imds.world import REBOOT, announcement, document, serving

AGENT = "Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.17763.1"


def ask(path: str) -> bytes:
    lines = (f"GET {path} HTTP/1.1", "Metadata: true", f"User-Agent: {AGENT}", "Host: 169.254.169.254")
    return "\r\n".join([*lines, "Connection: Keep-Alive", "", ""]).encode()


def tell(path: str, body: bytes) -> bytes:
    lines = (
        f"POST {path} HTTP/1.1",
        "Metadata: true",
        f"User-Agent: {AGENT}",
        "Content-Type: application/x-www-form-urlencoded",
        "Host: 169.254.169.254",
        f"Content-Length: {len(body)}",
        "Expect: 100-continue",
    )
    return "\r\n".join([*lines, "", ""]).encode()


def new_approval(shown: dict[str, Any]) -> str:
    """A table turned to JSON, in the layout of that version and with ends of lines as on Windows."""
    approval = {
        "DocumentIncarnation": shown["DocumentIncarnation"],
        "StartRequests": [{"EventId": shown["Events"][0]["EventId"]}],
    }
    return json.dumps(approval, indent=4, separators=(",", ":  ")).replace("\n", "\r\n")


def old_approval(shown: dict[str, Any]) -> str:
    """Text put together by hand."""
    event = shown["Events"][0]["EventId"]
    return f'{{"StartRequests" : [{{ "EventId": "{event}"}}]}}'


@pytest.mark.parametrize(
    ("path", "approval"),
    [
        pytest.param("/metadata/scheduledevents?api-version=2017-03-01", new_approval, id="2017"),
        pytest.param("/metadata/latest/scheduledevents", old_approval, id="2016"),
    ],
)
def test_powershell_reads_and_approves(path: str, approval: Callable[[dict[str, Any]], str]) -> None:
    with serving(documents=[document("alpha", 2, announcement())]) as world:
        with world.connect() as client:
            client.send(ask(path))
            shown = json.loads(client.receive().body)
            (event,) = shown["Events"]
            assert event["Resources"][0][1:] == "vm1", "the old sample strips the first character of a name"
            body = approval(shown).encode()
            client.send(tell(path, body))
            assert client.receive().status == 100
            client.send(body)
            answer = client.receive()
            assert (answer.status, answer.body) == (200, b"")
        assert world.backend.approved == [("alpha", (REBOOT,), "machine:vm1")]
