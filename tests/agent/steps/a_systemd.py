"""A real systemd for tests: a user's instance in a mount namespace of its own. Needs root; CI must have it."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import pytest

from tests.waiting import until

SYSTEMD = "/usr/lib/systemd/systemd"
START = f"""
set -e
umount -R /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mount -t tmpfs none /run
mkdir -p /run/systemd/system
mkdir "/sys/fs/cgroup/$1"
sh -c 'echo $$ >"/sys/fs/cgroup/$1/cgroup.procs"; exec {SYSTEMD} --user --unit=basic.target' sh "$1" || true
rmdir "/sys/fs/cgroup/$1/init.scope" "/sys/fs/cgroup/$1"
"""


@contextmanager
def running_systemd() -> Iterator[Path]:
    """Its runtime directory, for XDG_RUNTIME_DIR; `systemd/user` in it is where units are put."""
    if os.geteuid() != 0 or not Path(SYSTEMD).exists() or not shutil.which("unshare"):
        _cannot("needs root, systemd and unshare")
    folder = Path(tempfile.mkdtemp(prefix="forewarn"))  # its path must fit a socket's address
    (folder / "systemd" / "user").mkdir(parents=True)
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "XDG_RUNTIME_DIR": str(folder)}
    command = ["unshare", "--mount", "sh", "-c", START, "sh", f"{folder.name}"]
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
        try:
            _wait_for(folder / "systemd" / "private", process, said)
            yield folder
        finally:
            subprocess.run(["systemctl", "--user", "exit"], env=environment, capture_output=True, check=False)
            process.wait(timeout=10)
            shutil.rmtree(folder)


def _wait_for(socket: Path, process: subprocess.Popen[bytes], said: IO[bytes]) -> None:
    with suppress(AssertionError):
        until(lambda: socket.exists() or process.poll() is not None, "systemd is up, or has ended", 10)
    if not socket.exists():
        said.seek(0)
        _cannot(f"systemd does not come up here: {said.read().decode()}")


def _cannot(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(why)
    pytest.skip(why)
