"""The metadata service while 100 restarts are waited for through ARM: what its slowest answers become.

A steady load of machines that look at their document: alone, and while clients of Azure's poll, taking turns.
"""

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from bench.azure import SIZE, Client, Site, scale_set
from bench.http import PATH
from bench.measuring import LOAD_CORE, Row, median, pinned
from forewarn.access.files import ca_file

RESTARTS = 100
SECONDS = 4
MACHINES = 500
"""Connections, each of which asks about twenty times a second."""
STEADY = Path(__file__).with_name("steady.lua")
UNITS = {"us": 1.0, "ms": 1e3, "s": 1e6}


def rows(rounds: int, tell: Callable[[str], None]) -> list[Row]:
    alone: list[float] = []
    beside: list[float] = []
    asked: list[float] = []
    for number in range(rounds):
        with scale_set() as (site, client):  # a new one, which has not told anybody of the last round to wait
            urls = _restart(site, client)
            alone.append(_p99(site))
            with _polling(site, urls, asked):
                beside.append(_p99(site))
        tell(f"polls: round {number + 1} of {rounds}, p99 {alone[-1]:.0f} µs alone, {beside[-1]:.0f} µs beside")
    ratio = median([b / a for a, b in zip(alone, beside, strict=True)])
    return [
        Row(
            what=f"p99 of the metadata service beside {RESTARTS} restarts in flight ({median(asked):.0f} polls/s)",
            measured=f"{ratio:.2f}× that without them ({median(alone):.0f} µs)",
            wanted="≤ 1.2×",
            holds=ratio <= 1.2,
        )
    ]


def _restart(site: Site, client: Client) -> list[str]:
    """Their operations' URLs. Each waits for its notice, as in every placement group there is one that asks."""
    machines = client.send("GET", f"/forewarn/v1/machines?limit={SIZE}").json["items"]
    for url in {machine["scope"]: machine["metadata_url"] for machine in machines}.values():
        with urlopen(Request(url + PATH, headers={"Metadata": "true"})):
            pass
    spread = client.ask("GET", site.instances).json["value"][:: SIZE // RESTARTS]  # each group takes only so many
    return [client.ask("POST", f"{instance['id']}/restart").headers["azure-asyncoperation"] for instance in spread]


def _p99(site: Site) -> float:
    """In microseconds."""
    command = ["wrk", "-t1", f"-c{MACHINES}", f"-d{SECONDS}", "--latency", "-s", str(STEADY), "-H", "Metadata: true"]
    done = subprocess.run(
        pinned(LOAD_CORE, [*command, site.metadata + PATH]), capture_output=True, text=True, check=True
    )
    found = re.search(r"99%\s+([\d.]+)(us|ms|s)\b", done.stdout)
    if found is None or "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise SystemExit(f"wrk had trouble:\n{done.stdout}")
    return float(found[1]) * UNITS[found[2]]


@contextmanager
def _polling(site: Site, urls: list[str], asked: list[float]) -> Iterator[None]:
    """Whoever measures goes first on the core that they share. `asked`: how often they did, a second."""
    process = subprocess.Popen(
        pinned(LOAD_CORE, ["chrt", "--idle", "0", sys.executable, "-m", "bench.pollers", str(ca_file(site.data))]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write("\n".join([site.token, *urls]))
        process.stdin.close()
        if process.stdout.readline() != "polling\n":
            raise SystemExit("those who wait for the restarts had trouble")
        time.sleep(1)  # nobody asks again earlier
        started = time.monotonic()
        yield
        process.terminate()
        asked.append(int(process.stdout.read()) / (time.monotonic() - started))
    finally:
        process.kill()
        process.wait()
