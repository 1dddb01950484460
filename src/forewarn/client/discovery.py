"""Where this machine's metadata service is, if nobody has said so.

In a virtual network it is at 169.254.169.254. A machine outside of one (a classic VM or a role instance) is told the
address by DHCP, in option 245. What was found is asked before it is believed: other clouds have something at the first
address too, and option 245 may be that of another service of the host.
"""

import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from forewarn.client.alarm import Alarm
from forewarn.client.dhcp import ask_on_the_wire, interfaces
from forewarn.client.endpoints import read_endpoint
from forewarn.client.errors import Interrupted, NoEndpoint, Unreachable, Unreadable
from forewarn.client.leases import leased_addresses
from forewarn.client.patience import Patience
from forewarn.client.reading import read_object
from forewarn.client.transport import Answer, Request, Transport

OURS = "FOREWARN_ENDPOINT"
SAMPLES = "SCHEDULEDEVENTSIP"  # where Microsoft's sample leaves what it has found
LINK_LOCAL = "169.254.169.254"

_VERSIONS = ("/metadata/versions", "apiVersions")
_INSTANCE = ("/metadata/instance?api-version=2017-08-01", "compute")
_EVENTS = ("/metadata/scheduledevents?api-version=2017-08-01", "Events")
_QUICK = (_VERSIONS, _INSTANCE)
_THOROUGH = (*_QUICK, _EVENTS)  # the last enrols the machine, and may take two minutes
_BUSY = (410, 429)

Questions = Sequence[tuple[str, str]]
"""A target, and the key that the answer has if a metadata service gave it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """What a machine can look at; a test has its own."""

    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    leases: Callable[[], Sequence[str]] = leased_addresses
    wire: Callable[[int], str | None] = lambda xid: ask_on_the_wire(interfaces(), xid)
    """Raises OSError if it may not ask."""


def discover(
    transport: Transport,
    patience: Patience,
    rng: random.Random,
    *,
    alarm: Alarm | None = None,
    around: Surroundings | None = None,
) -> str:
    around = around or Surroundings()
    given = around.environ.get(OURS, "")
    if given:
        read_endpoint(given)
        return given
    tried: list[str] = []
    for address, questions in _candidates(around, rng, tried):
        endpoint = f"http://{address}"
        if _is_service(transport, endpoint, questions, patience, alarm):
            return endpoint
        tried.append(f"{address} is no metadata service")
    raise NoEndpoint(
        f"No metadata service was found: {'; '.join(tried)}. If there is one, say where: set {OURS} to its URL."
    )


def _candidates(around: Surroundings, rng: random.Random, tried: list[str]) -> Iterator[tuple[str, Questions]]:
    """Addresses, likely ones first, with what to ask there."""
    yield LINK_LOCAL, _QUICK
    kept = around.environ.get(SAMPLES, "")
    told = list(dict.fromkeys([*([kept] if kept else []), *around.leases()]))
    yield from ((address, _THOROUGH) for address in told)
    if not told:
        tried.append("no lease has DHCP option 245")
    try:
        offered = around.wire(rng.getrandbits(32))
    except PermissionError:
        tried.append("DHCP could not be asked for option 245, which needs root (CAP_NET_BIND_SERVICE and CAP_NET_RAW)")
    except OSError as error:
        tried.append(f"DHCP could not be asked for option 245: {error}")
    else:
        if offered is None:
            tried.append("no DHCP server offered option 245")
        elif offered not in told:
            yield offered, _THOROUGH


def _is_service(
    transport: Transport, endpoint: str, questions: Questions, patience: Patience, alarm: Alarm | None
) -> bool:
    for question in questions:
        target, key = question
        timeout = patience.first if question is _EVENTS else patience.connect
        request = Request(endpoint=endpoint, target=target, connect=patience.connect, timeout=timeout, alarm=alarm)
        try:
            if _is_there(transport.send(request), key):
                return True
        except Interrupted:
            raise
        except (Unreachable, Unreadable):
            return False
    return False


def _is_there(answer: Answer, key: str) -> bool:
    """Also if it is too busy to answer now."""
    if answer.status in _BUSY or answer.status >= 500:
        return True
    try:
        return answer.status == 200 and key in read_object(answer.body)
    except Unreadable:
        return False
