"""This host takes the address itself: for a machine or a container of one's own, and for one machine of the fleet."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from forewarn.domain.errors import ForewarnError
from forewarn.imds import Everyone
from forewarn.imds.listeners import on_address
from forewarn.testing.reach.places import ADDRESS, CannotReach, Place, need, past_proxies

if TYPE_CHECKING:
    from forewarn.testing.handles import Machine
    from forewarn.testing.hosting import Host


@contextmanager
def bound(host: "Host", machine: "Machine") -> Iterator[Place]:
    """Every program of this host that asks 169.254.169.254 is taken for that machine, as long as the block lasts.

    What answered there before, on a virtual machine of a cloud, does not meanwhile.
    """
    need("address", "ip")
    taken = _take()
    try:
        try:
            listener = on_address(ADDRESS, 80, Everyone(machine.scope, machine.name))
        except ForewarnError as error:
            raise CannotReach(f"Clients cannot be reached by address here: {error}") from None
        with host.serving(listener):
            yield Place(by="address", environment=past_proxies())
    finally:
        if taken:
            _ip("delete")


def _take() -> bool:
    """Whether it was not there."""
    if _is_here():
        return False
    done = _ip("add")
    if done.returncode:
        raise CannotReach(f"Clients cannot be reached by address here, which needs root: {done.stderr.strip()}")
    return True


def _is_here() -> bool:
    with socket.socket() as probe:
        try:
            probe.bind((ADDRESS, 0))
        except OSError:
            return False
        return True


def _ip(verb: str) -> "subprocess.CompletedProcess[str]":
    command = ["ip", "address", verb, f"{ADDRESS}/32", "dev", "lo"]
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 (no shell; one of two verbs)
