"""A network and host name of its own for one program: a test may own any address. Needs root; CI must have it."""

import os
import shutil
import subprocess
import sys

import pytest


def run_apart(network: str, module: str, *arguments: str) -> str:
    """What the module prints, run after the shell commands that lay out its network."""
    tools = all(shutil.which(tool) for tool in ("ip", "unshare", "mount"))
    if not tools or os.geteuid() != 0:
        if os.environ.get("CI"):
            pytest.fail("CI must be able to make network namespaces")
        pytest.skip("needs root, ip and unshare")
    script = f'set -e\nip link set lo up\n{network}\nexec "$@"'
    done = subprocess.run(
        ["unshare", "--net", "--mount", "--uts", "sh", "-c", script, "sh", sys.executable, "-m", module, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
