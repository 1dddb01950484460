"""What the browser tests take from npm, brought once: `python -m tests.portal.browser.installing`.

It lies outside the checkout. Versions and hashes are in package-lock.json beside this file; npm takes them from
whichever registry it is set to.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

HERE = Path(__file__).parent
CHROMIUM = Path(os.environ.get("FOREWARN_CHROMIUM") or "/usr/bin/chromium")
LISTS = ("package.json", "package-lock.json")


def directory() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("FOREWARN_CACHE") or Path(caches, "forewarn"))
    wanted = sha256(b"".join((HERE / name).read_bytes() for name in LISTS)).hexdigest()[:12]
    return cache / f"browser-tests-{wanted}"


def axe() -> Path | None:
    """axe-core's one file, if it is there."""
    return directory() / "node_modules" / "axe-core" / "axe.min.js" if (directory() / "complete").exists() else None


def install() -> None:
    place = directory()
    place.parent.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if axe() is None:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            for name in LISTS:
                shutil.copy(HERE / name, place)
            subprocess.run(
                ["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=place, check=True
            )
            (place / "complete").touch()


def main() -> int:
    """A laptop may do without, and the tests that need what is missing are skipped; CI may not."""
    missing = []
    if not CHROMIUM.exists():
        missing.append(f"no {CHROMIUM}: apt-get install chromium, or name one in FOREWARN_CHROMIUM")
    try:
        install()
    except FileNotFoundError:
        missing.append("no npm, which brings axe-core: apt-get install npm")
    except subprocess.CalledProcessError as error:
        missing.append(f"npm could not bring axe-core: it ended with status {error.returncode}")
    for line in missing:
        print(f"browser tests: {line}", file=sys.stderr)
    return 1 if missing and os.environ.get("CI") else 0


if __name__ == "__main__":
    sys.exit(main())
