"""One node of a real Pacemaker cluster, in namespaces of its own: `python -m tests.compatibility.node …`.

Debian's packages are unpacked, not installed, and know only their usual places. So they are laid over /usr, /etc and
/var, in a mount namespace that nobody else sees. What is written there is gone with the node.
"""

import argparse
import os
import socket
import subprocess
import sys
from pathlib import Path

from tests.compatibility.launching import Together

NAMES = ("node-1", "node-2")
ADDRESSES = ("10.83.0.1", "10.83.0.2")
USER = "hacluster:x:989:989::/var/lib/pacemaker:/usr/sbin/nologin\n"
GROUP = "haclient:x:989:\n"
CONFIGURATION = """\
totem {{
  version: 2
  cluster_name: compatibility
  transport: udpu
}}
quorum {{
  provider: corosync_votequorum
  two_node: 1
  wait_for_all: 0
}}
nodelist {{
{nodes}}}
logging {{
  to_stderr: yes
  to_syslog: no
}}
"""
NODE = "  node {{\n    ring0_addr: {address}\n    name: {name}\n    nodeid: {id}\n  }}\n"


def lay_over(packages: list[Path], scratch: Path) -> None:
    _mount("tmpfs", "tmpfs", scratch)
    lower = [str(place) for place in packages]
    _overlay("/usr", lower)
    for top in ("/etc", "/var"):
        upper, work = scratch / f"upper{top}", scratch / f"work{top}"
        upper.mkdir(parents=True)
        work.mkdir(parents=True)
        _overlay(top, lower, f",upperdir={upper},workdir={work}")
    for top in ("/run", "/dev/shm"):
        _mount("tmpfs", "tmpfs", Path(top))
    subprocess.run(["ldconfig"], check=True)


def configure() -> None:
    with Path("/etc/group").open("a") as groups, Path("/etc/passwd").open("a") as users:
        groups.write(GROUP)
        users.write(USER)
    for place in ("lib/pacemaker/cib", "lib/pacemaker/pengine", "lib/pacemaker/cores", "log/pacemaker"):
        Path("/var", place).mkdir(parents=True, exist_ok=True)
    for place in ("/var/lib/corosync", "/var/log/corosync", "/run/crm"):
        Path(place).mkdir(parents=True, exist_ok=True)
    owned = ["/var/lib/pacemaker", "/var/log/pacemaker", "/run/crm"]
    subprocess.run(["chown", "--recursive", "hacluster:haclient", *owned], check=True)
    nodes = (
        NODE.format(address=address, name=name, id=number)
        for number, (name, address) in enumerate(zip(NAMES, ADDRESSES, strict=True), 1)
    )
    Path("/etc/corosync/corosync.conf").write_text(CONFIGURATION.format(nodes="".join(nodes)))


def _overlay(top: str, lower: list[str], more: str = "") -> None:
    layers = ":".join([*(f"{place}{top}" for place in lower if Path(f"{place}{top}").is_dir()), top])
    subprocess.run(["mount", "-t", "overlay", "overlay", "-o", f"lowerdir={layers}{more}", top], check=True)


def _mount(kind: str, what: str, where: Path) -> None:
    subprocess.run(["mount", "-t", kind, what, where], check=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--name", choices=NAMES, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    parser.add_argument("--logs", type=Path, required=True)
    parser.add_argument("--package", type=Path, action="append", required=True)
    parser.add_argument("--then", nargs=argparse.REMAINDER, default=[])
    asked = parser.parse_args()
    socket.sethostname(asked.name)
    lay_over(asked.package, asked.scratch)
    configure()
    environment = {**os.environ, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    environment["PCMK_logfile"] = str(asked.logs / f"{asked.name}.log")
    with Together(environment) as programs, (asked.logs / f"{asked.name}-corosync.log").open("w") as log:
        os.dup2(log.fileno(), sys.stderr.fileno())
        programs.start("corosync", "-f")
        programs.run("sh", "-c", "until corosync-quorumtool -s >&2; do sleep 0.2; done")
        pacemaker = programs.start("pacemakerd")
        if asked.then:
            programs.start(*asked.then)
        return pacemaker.wait()


if __name__ == "__main__":
    sys.exit(main())
