"""Run inside a private network: serves 169.254.169.254:80 to a guest that has an address of its own."""

import subprocess
import sys

from forewarn.imds import BySourceAddress
from forewarn.imds.listeners import on_address
from tests.imds.world import document, get, machine, serving

GUEST = """
import urllib.request
request = urllib.request.Request(
    "http://169.254.169.254/metadata/scheduledevents?api-version=2020-07-01", headers={"Metadata": "true"}
)
with urllib.request.urlopen(request, timeout=10) as response:
    print("guest:", response.status, response.headers["ETag"].strip('"'))
"""

if __name__ == "__main__":
    with serving(
        machines=[machine("vm1", "alpha", "10.0.0.4")],
        documents=[document("alpha", 10)],
        listen=lambda: on_address("169.254.169.254", 80, BySourceAddress()),
    ) as world:
        subprocess.run(["ip", "netns", "exec", "guest", sys.executable, "-c", GUEST], check=True)
        print("host:", world.ask(get(host="169.254.169.254"), "169.254.169.254").status)
