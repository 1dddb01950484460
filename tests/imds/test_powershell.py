"""What Windows PowerShell 5.1's Invoke-RestMethod puts on the wire, on one connection: a GET, then an approval.

The program itself was found in no package registry (docs/explanation/proofs.md): its requests are written down here.
"""

import json

import pytest

from tests.imds.world import REBOOT, World, announcement, document, serving

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


@pytest.mark.parametrize(
    "path", ["/metadata/scheduledevents?api-version=2017-03-01", "/metadata/latest/scheduledevents"]
)
def test_powershell_reads_and_approves(path: str) -> None:
    with serving(documents=[document("alpha", 2, announcement())]) as world:
        talk(world, path)


def talk(world: World, path: str) -> None:
    with world.connect() as client:
        client.send(ask(path))
        shown = json.loads(client.receive().body)
        (event,) = shown["Events"]
        assert event["Resources"][0][1:] == "vm1", "the old sample strips the first character of a name"
        body = json.dumps(
            {"StartRequests": [{"EventId": event["EventId"]}], "DocumentIncarnation": shown["DocumentIncarnation"]},
            indent=4,
        ).encode()
        client.send(tell(path, body))
        assert client.receive().status == 100
        client.send(body)
        assert client.receive().status == 200
    assert world.backend.approved == [("alpha", (REBOOT,), "machine:vm1")]
