"""The fixture `forewarn`, as a test's author meets it."""

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from forewarn.testing import Forewarn

WORKER = """
import json, sys, time, urllib.request
url = sys.argv[1] + "/metadata/scheduledevents?api-version=2020-07-01"
while True:
    ask = urllib.request.Request(url, headers={"Metadata": "true"})
    for event in json.load(urllib.request.urlopen(ask))["Events"]:
        if event["EventStatus"] == "Scheduled":
            body = json.dumps({"StartRequests": [{"EventId": event["EventId"]}]}).encode()
            urllib.request.urlopen(urllib.request.Request(url, body, {"Metadata": "true"})).read()
    time.sleep(0.02)
"""


@pytest.fixture
def start_my_worker() -> Iterator[Callable[[str], None]]:
    running: list[subprocess.Popen[bytes]] = []

    def start(url: str) -> None:
        running.append(subprocess.Popen([sys.executable, "-c", WORKER, url]))

    yield start
    for process in running:
        process.kill()
        process.wait()


def test_worker_drains(forewarn: Forewarn, start_my_worker: Callable[[str], None]) -> None:
    vm = forewarn.scale_set("workers", instances=3).instance(0)
    start_my_worker(vm.metadata_url)
    event = vm.delete(notice="10m")
    forewarn.until(lambda: event.approved, within="9m")
    assert event.approved_by == {vm}
    forewarn.advance("10m")
    assert event.gone
