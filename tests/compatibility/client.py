"""What is known of a client before it is run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.compatibility.installing import Package


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Where one run of a client happens."""

    directory: Path  # empty, and the run's own


@dataclass(frozen=True, kw_only=True, slots=True)
class Client:
    name: str
    package: str
    version: str
    licence: str
    source: str  # the registry
    packages: tuple[Package, ...]
    needs: tuple[str, ...]  # of the machine
    about: str
    started: str  # how, and what of its surroundings is ours
    asks: str  # the request it repeats
    interval: float  # seconds between two requests, when nothing is wrong
    reacts_to: tuple[str, ...]  # types of events
    approves: str  # when, or that it never does
    notes: tuple[str, ...]  # seen by hand, beside what doctor checks
    command: Callable[[Place], Sequence[str]]
    settling: float = 30.0  # seconds from its start to its first request, at most
    work: Callable[[Place], Path] | None = None
    """A file that is there for as long as the client has work on this machine; when it is gone, it has prepared."""

    reaction: float = 5.0  # seconds from what it hears to what it does, at most
    ends: bool = False  # it ends when it has prepared
    at_once: int = 4  # so many of them may run side by side

    @property
    def installed(self) -> bool:
        return all(package.complete for package in self.packages)
