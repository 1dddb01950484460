"""Ways to reach clients that ask 169.254.169.254 and cannot be told another address.

namespace   the client runs in a network of its own, where that address answers: Linux, root or user namespaces
proxy       `http_proxy` leads the client here, if it honours that
address     this host takes the address itself, for one machine: Linux, root
url         the client can be told another address after all
auto        `namespace` where that works, and `proxy` elsewhere
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from forewarn.testing.reach.address import bound
from forewarn.testing.reach.places import CannotReach, Place

if TYPE_CHECKING:
    from forewarn.testing.handles import Machine
    from forewarn.testing.kit import Forewarn

__all__ = ["WAYS", "CannotReach", "Place", "reach"]


def reach(kit: "Forewarn", machine: "Machine", by: str = "auto") -> AbstractContextManager[Place]:
    """Where the machine's client is to run, for as long as the block lasts. CannotReach tells what is missing."""
    if by == "auto":
        return _whatever_works(kit, machine)
    if by not in WAYS:
        raise ValueError(f"{by!r} is no way to reach a client: it is auto, {', '.join(WAYS)}.")
    return WAYS[by](kit, machine)


@contextmanager
def _url(kit: "Forewarn", machine: "Machine") -> Iterator[Place]:
    yield Place(by="url", url=machine.metadata_url)


@contextmanager
def _proxy(kit: "Forewarn", machine: "Machine") -> Iterator[Place]:
    yield Place(by="proxy", environment=machine.environment)


@contextmanager
def _namespace(kit: "Forewarn", machine: "Machine") -> Iterator[Place]:
    with kit.network.guest(machine) as place:
        yield place


@contextmanager
def _address(kit: "Forewarn", machine: "Machine") -> Iterator[Place]:
    with bound(kit.host, machine) as place:
        yield place


def _whatever_works(kit: "Forewarn", machine: "Machine") -> AbstractContextManager[Place]:
    try:
        _ = kit.network
    except CannotReach:
        return _proxy(kit, machine)
    return _namespace(kit, machine)


WAYS: dict[str, Callable[["Forewarn", "Machine"], AbstractContextManager[Place]]] = {
    "namespace": _namespace,
    "proxy": _proxy,
    "address": _address,
    "url": _url,
}
