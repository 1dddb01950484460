"""Clients for the kit's tests: real processes that poll, as somebody's worker would."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

ONLY_OURS = {
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "-p forewarn.testing.plugin -p no:cacheprovider",
}
"""For a pytest of its own: of the plugins that are installed here, some take longer to load than a test."""

POLLER = """
import json, sys, time, urllib.request
url, approves = sys.argv[1] + "/metadata/scheduledevents?api-version=2020-07-01", "approve" in sys.argv
seen = None
def ask(body=None):
    request = urllib.request.Request(url, body, {"Metadata": "true"})
    return urllib.request.urlopen(request, timeout=10).read()
while True:
    events = json.loads(ask())["Events"]
    now = [event["EventStatus"] for event in events]
    if now != seen:
        print(*now or ["nothing"], flush=True)
        seen = now
    for event in events:
        if approves and event["EventStatus"] == "Scheduled":
            ask(json.dumps({"StartRequests": [{"EventId": event["EventId"]}]}).encode())
    time.sleep(0.02)
"""


@contextmanager
def poller(url: str, *how: str) -> Iterator["subprocess.Popen[str]"]:
    """It polls every 20 ms, prints what it sees when that is new, and approves if told so. It has polled once."""
    command = [sys.executable, "-IS", "-c", POLLER, url, *how]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        assert process.stdout.readline() == "nothing\n"
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def seen_by(process: "subprocess.Popen[str]") -> list[str]:
    """All it has printed after the first line; it ends with this."""
    process.kill()
    assert process.stdout is not None
    return process.stdout.read().split()
