"""From what an operator says to where the service listens, and how it knows who asks there."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from forewarn.domain.errors import Invalid
from forewarn.domain.machines import Machine
from forewarn.imds.identity import ByLocalAddress, BySourceAddress, Everyone, Identity
from forewarn.imds.listeners import Listener, on_address, on_loopback, on_socket_file
from forewarn.wire.authorities import authority, bracketed


def identity_called(wanted: str, called: Sequence[Machine]) -> Identity:
    """`loopback`, `source`, or `machine=NAME`; `called`: the machines that NAME names."""
    kind, _, name = wanted.partition("=")
    match kind:
        case "loopback":
            return ByLocalAddress()
        case "source":
            return BySourceAddress()
        case "machine":
            if len(called) != 1:
                raise Invalid(f"--identity machine={name}: {len(called) or 'no'} machines are called so; one must be.")
            return Everyone(called[0].scope, called[0].name)
        case _:
            raise Invalid(f"{wanted!r} is no way to know who asks: it is loopback, source or machine=NAME.")


def listen(host: str, port: int, identity: Identity, addresses: Iterable[str], *, wildcard: bool) -> Listener:
    if isinstance(identity, ByLocalAddress) and host.startswith("127."):
        return on_loopback(port, addresses)
    listener = on_address(host, port, identity, wildcard=wildcard)
    if isinstance(identity, ByLocalAddress) and not wildcard and host not in {"::1", *addresses}:
        for listening in listener.sockets:
            listening.close()
        raise Invalid(
            f"No machine has the address {host}, so nobody could be known there: say --identity source, to know"
            " machines by the address they come from, or --identity machine=NAME."
        )
    return listener


def socket_files(directory: Path, machines: Sequence[Machine]) -> list[Listener]:
    """One unix socket per machine, named after it; with its scope where the name alone is not unique."""
    count = Counter(machine.name for machine in machines)
    files = {
        (m.scope, m.name): (m.name if count[m.name] == 1 else f"{m.name}.{m.scope}").replace("/", "-") for m in machines
    }
    return [on_socket_file(directory, file, scope, name) for (scope, name), file in files.items()]


def url_maker(host: str, port: int, identity: Identity) -> Callable[[Machine], str]:
    """Where each machine finds its own document."""

    def url(machine: Machine) -> str:
        at = machine.address if isinstance(identity, ByLocalAddress) else host
        return f"http://{bracketed(at)}" if port == 80 else f"http://{authority(at, port)}"

    return url
