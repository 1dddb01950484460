"""The Azure CLI in an environment of its own, outside the checkout, made once: `python -m tests.azure.installing`.

It weighs 700 MB and pins hundreds of packages, so it shares nothing with the environment of the other tests.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

VERSION = "2.91.0"


def directory() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("FOREWARN_CACHE") or Path(caches, "forewarn"))
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    return cache / f"azure-cli-{VERSION}-python-{python}"


def az() -> Path | None:
    """The program, if it is installed whole."""
    return directory() / "bin" / "az" if (directory() / "complete").exists() else None


def install() -> Path:
    place = directory()
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if az() is None:
            shutil.rmtree(place, ignore_errors=True)
            print(f"installing azure-cli {VERSION} into {place} (some minutes, once)", flush=True)
            subprocess.run([sys.executable, "-m", "venv", place], check=True)
            pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            subprocess.run([*pip, f"azure-cli=={VERSION}"], check=True)
            (place / "complete").touch()
    found = az()
    assert found is not None, "it was just made"
    return found


if __name__ == "__main__":
    print(install())
