"""Other people's packages, fetched once and kept outside the checkout: `python -m tests.compatibility.installing`.

Nothing is installed on the machine itself: Python packages live in environments of their own, npm's in a folder, and
Debian's are unpacked, not installed. Versions are pinned, so that a finding on the page names what it was found in.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

DEBIAN = ("bookworm", "trixie")


@dataclass(frozen=True, kw_only=True, slots=True)
class Package:
    name: str
    version: str
    make: Callable[["Package", Path], None]
    more: tuple[str, ...] = ()  # what it needs beside itself, in the words of its registry

    @property
    def place(self) -> Path:
        return cache() / f"clients-{self.name}-{self.version.replace(':', '-')}"

    @property
    def complete(self) -> bool:
        return (self.place / "complete").exists()


def cache() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("FOREWARN_CACHE") or Path(caches, "forewarn"))


def install(package: Package) -> Path:
    place = package.place
    place.parent.mkdir(parents=True, exist_ok=True)
    with Path(f"{place}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not package.complete:
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
            print(f"fetching {package.name} {package.version} into {place}", flush=True)
            package.make(package, place)
            (place / "complete").touch()
    return place


def from_pypi(package: Package, place: Path) -> None:
    _run([sys.executable, "-m", "venv", place])
    pip = (place / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    _run([*pip, f"{package.name}=={package.version}", *package.more])


def from_npm(package: Package, place: Path) -> None:
    npm = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", place)
    _run([*npm, f"{package.name}@{package.version}", *package.more])


def from_debian(package: Package, place: Path) -> None:
    """Unpacked below `place`, with what Debian keeps in /lib where it belongs today, in /usr/lib."""
    files = place / "files"
    files.mkdir()
    apt = _apt(place / "apt")
    _run([*apt, "update"])
    _run([*apt, "download", f"{package.name}={package.version}", *package.more], cwd=files)
    for file in files.glob("*.deb"):
        _run(["dpkg-deb", "--extract", file, place])
    if (place / "lib").is_dir():
        shutil.copytree(place / "lib", place / "usr" / "lib", symlinks=True, dirs_exist_ok=True)
        shutil.rmtree(place / "lib")
    shutil.rmtree(files)
    shutil.rmtree(place / "apt")


def _apt(place: Path) -> list[str]:
    """apt with lists of its own, of each Debian release that a package is taken from, at this machine's own mirror."""
    for directory in ("lists/partial", "archives/partial"):
        (place / directory).mkdir(parents=True)
    mirrors = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian"]
    mirror = subprocess.run(mirrors, check=True, capture_output=True, text=True).stdout.split()[0]
    sources = place / "sources.list"
    sources.write_text("".join(f"deb {mirror} {release} main\n" for release in DEBIAN))
    settings = {
        "APT::Sandbox::User": "root",
        "Dir::Cache": place,
        "Dir::Etc::SourceList": sources,
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": place / "lists",
    }
    return ["apt-get", "--quiet=2", *(word for key, value in settings.items() for word in ("-o", f"{key}={value}"))]


def _run(command: Sequence[str | Path], cwd: Path | None = None) -> None:
    subprocess.run(command, cwd=cwd, check=True)


WITH_PACEMAKER = """
pacemaker-cli-utils pacemaker-common pacemaker-resource-agents corosync cluster-glue gawk libcfg7 libcib27 libcmap4
libcorosync-common4 libcpg4 libcrmcluster29 libcrmcommon34 libcrmservice28 libknet1 liblrm2 liblrmd28 libltdl7
liblzo2-2 libnet1 libnl-3-200 libnl-route-3-200 libnozzle1 libpacemaker1 libpe-rules26 libpe-status28 libpils2
libplumb2 libplumbgpl2 libqb100 libquorum5 libsigsegv2 libstatgrab10 libstonith1 libstonithd26 libvotequorum8
libxslt1.1
"""
DASK = Package(
    name="dask-cloudprovider",
    version="2025.9.0",
    make=from_pypi,
    more=("dask-cloudprovider[azure]", "distributed==2026.8.0", "aiohttp==3.14.5"),
)
JOBQ = Package(name="ai4s-jobq", version="3.13.1", make=from_pypi, more=("aiohttp==3.14.5",))
TERMINATION_HANDLER = Package(name="termination-handler", version="0.0.5", make=from_pypi)
AZURITE = Package(name="azurite", version="3.37.0", make=from_npm)
OLD_AGENTS = Package(name="resource-agents", version="1:4.12.0-2", make=from_debian)
AGENTS = Package(name="resource-agents", version="1:4.16.0-3+deb13u2", make=from_debian)
PACEMAKER = Package(
    name="pacemaker",
    version="2.1.5-1+deb12u1",
    make=from_debian,
    more=tuple(f"{name}/bookworm" for name in WITH_PACEMAKER.split()),
)
PACKAGES = (DASK, JOBQ, TERMINATION_HANDLER, AZURITE, OLD_AGENTS, AGENTS, PACEMAKER)


def main() -> int:
    missing = []
    for package in PACKAGES:
        try:
            print(install(package))
        except (OSError, subprocess.CalledProcessError) as error:
            missing.append(package)
            print(f"cannot be had: {package.name} {package.version}: {error}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
