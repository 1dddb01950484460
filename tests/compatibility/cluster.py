"""A real two-node Pacemaker cluster as one command: `python -m tests.compatibility.cluster AGENT …`.

Corosync, Pacemaker and its command line tools are Debian's own; nothing of the cluster is replaced by ours. The first
node runs where the command is started, so that the agent asks at 169.254.169.254 like every client. The second one, to
which the cluster moves its work, runs beside it in a network namespace of its own; it runs the agent only if told to,
and then its questions come from 10.83.0.2, through the first. Everything ends with the command.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.compatibility.configuring import WORK
from tests.compatibility.launching import Together, script
from tests.compatibility.node import ADDRESSES, NAMES

APART = ("--mount", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "--kill-child")
WIRE = ("cluster-1", "cluster-2")
JOIN = """\
ip link set lo up
until ip address add {address}/30 dev {wire} 2>/dev/null; do sleep 0.1; done
ip link set {wire} up
ip route add 169.254.169.254 via {gateway}
mount -t tmpfs tmpfs {directory}
exec "$@"
"""


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("agent", choices=("azure-events", "azure-events-az"))
    parser.add_argument("--agents", choices=("1", "2"), default="1", help="nodes that run the agent")
    parser.add_argument("--interval", type=int, default=10, help="seconds between two monitor actions")
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--package", type=Path, action="append", required=True)
    asked = parser.parse_args()
    logs, scratch, work = (asked.directory / name for name in ("logs", "scratch", "work"))
    for place in (logs, scratch, work):
        place.mkdir(parents=True, exist_ok=True)

    def node(name: str, *then: str) -> list[str]:
        layers = [word for place in asked.package for word in ("--package", str(place))]
        words = ["--name", name, "--scratch", str(scratch), "--logs", str(logs), *layers]
        return [*script("tests.compatibility.node", *words), *(["--then", *then] if then else [])]

    with Together(os.environ) as nodes:
        join = JOIN.format(address=ADDRESSES[1], gateway=ADDRESSES[0], wire=WIRE[1], directory=work)
        second = nodes.start("unshare", "--net", *APART, "sh", "-ec", join, "sh", *node(NAMES[1]))
        lay_wire(second.pid)
        setup = script("tests.compatibility.configuring", asked.agent, asked.agents, str(asked.interval), work / WORK)
        first = nodes.start("unshare", *APART, *node(NAMES[0], *setup))
        return first.wait()


def lay_wire(other: int) -> None:
    """From here to the network namespace of the other process, once that has made itself one."""
    here = os.readlink("/proc/self/ns/net")
    while os.readlink(f"/proc/{other}/ns/net") == here:
        time.sleep(0.05)
    for command in (
        ["ip", "link", "add", WIRE[0], "type", "veth", "peer", "name", WIRE[1], "netns", str(other)],
        ["ip", "address", "add", f"{ADDRESSES[0]}/30", "dev", WIRE[0]],
        ["ip", "link", "set", WIRE[0], "up"],
    ):
        subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main())
