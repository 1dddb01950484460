"""Where a client runs, so that it finds its machine's events."""

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field

ADDRESS = "169.254.169.254"


class CannotReach(Exception):
    """This system cannot do it that way. The text tells what is missing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """`subprocess.run(place.command(["my-agent"]), env={**os.environ, **place.environment})`"""

    by: str  # the way it is reached
    url: str = f"http://{ADDRESS}"  # where its metadata is, seen from there
    environment: dict[str, str] = field(default_factory=dict)  # to be added to the client's
    prefix: tuple[str, ...] = ()

    def command(self, command: Sequence[str]) -> list[str]:
        """What to run instead of `command`."""
        return [*self.prefix, *command]


def past_proxies() -> dict[str, str]:
    """Whoever sits behind a proxy asks this address directly nevertheless."""
    known = os.environ.get("no_proxy") or os.environ.get("NO_PROXY")
    direct = ",".join(filter(None, (known, ADDRESS)))
    return {"no_proxy": direct, "NO_PROXY": direct}


def need(way: str, *programs: str) -> None:
    missing = [program for program in programs if shutil.which(program) is None]
    if missing:
        raise CannotReach(f"Clients cannot be reached by {way} here: {' and '.join(missing)} not found.")
