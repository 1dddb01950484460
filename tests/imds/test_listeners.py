"""Where the service may listen, and what it says when it may not."""

import socket
import tempfile
from pathlib import Path

import pytest

from forewarn.domain.errors import Conflict, Invalid
from forewarn.imds import ByLocalAddress
from forewarn.imds.listeners import on_address, on_loopback, on_socket_file
from tests.imds.world import document, get, machine, serving
from tests.private_network import run_apart

MACHINES = [machine("vm1", "alpha", "127.0.0.2"), machine("vm2", "beta", "127.0.0.3")]
DOCUMENTS = [document("alpha", 1), document("beta", 2)]
ADDRESSES = [each.address for each in MACHINES]


@pytest.mark.parametrize("one_socket", [True, False], ids=["one socket", "one per machine"])
def test_every_machine_is_found_on_loopback(one_socket: bool) -> None:
    with serving(
        machines=MACHINES, documents=DOCUMENTS, listen=lambda: on_loopback(0, ADDRESSES, one_socket=one_socket)
    ) as world:
        assert len(world.listener.sockets) == (1 if one_socket else 3)
        for address, incarnation in (("127.0.0.1", 1), ("127.0.0.2", 1), ("127.0.0.3", 2)):
            assert world.ask(get(host=address), address).fields["etag"] == f'"{incarnation}"'


def test_one_socket_on_loopback_is_not_reached_from_elsewhere() -> None:
    with serving() as world:
        try:
            client = world.connect(_other_address())
        except ConnectionRefusedError:
            return
        with client:
            assert client.is_closed()


def _other_address() -> str:
    """An address of this host beside loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this host has only loopback")
        return str(probe.getsockname()[0])


def test_too_many_sockets_are_refused() -> None:
    with pytest.raises(Invalid, match="too many"):
        on_loopback(0, [f"127.0.1.{number}" for number in range(255)] + ["127.0.2.1", "127.0.2.2"], one_socket=False)


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_a_wildcard_must_be_meant(host: str) -> None:
    with pytest.raises(Invalid, match="every address"):
        on_address(host, 0, ByLocalAddress())
    for listening in on_address(host, 0, ByLocalAddress(), wildcard=True).sockets:
        listening.close()


def test_a_name_is_no_address() -> None:
    with pytest.raises(Invalid, match="not an IP address"):
        on_address("metadata.example", 0, ByLocalAddress())


def test_an_address_in_use_is_told() -> None:
    with serving() as world, pytest.raises(Conflict, match="in use by another program"):
        on_address("127.0.0.1", world.port, ByLocalAddress())


def test_an_address_of_another_host_is_told() -> None:
    with pytest.raises(Conflict, match=r"ip address add 203\.0\.113\.77"):
        on_address("203.0.113.77", 0, ByLocalAddress())


@pytest.mark.parametrize("file", ["../vm1", "a/b", "x" * 120])
def test_a_socket_file_stays_in_its_directory(file: str) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.raises(Invalid, match="unix socket"):
        on_socket_file(Path(folder), file, "alpha", "vm1")


def test_what_is_no_socket_is_not_removed() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "vm1.sock").write_text("precious")
        with pytest.raises(Conflict, match="in use by another program"):
            on_socket_file(Path(folder), "vm1", "alpha", "vm1")
        assert Path(folder, "vm1.sock").read_text() == "precious"


NETWORK = """
ip link add host0 type veth peer name guest0
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip netns add guest
ip link set guest0 netns guest
ip address add 169.254.169.254/32 dev host0
ip link set host0 up
ip route add 10.0.0.4/32 dev host0
ip -n guest address add 10.0.0.4/32 dev guest0
ip -n guest link set guest0 up
ip -n guest route add 169.254.169.254/32 dev guest0
"""


def test_a_guest_in_a_network_of_its_own_asks_at_the_real_address() -> None:
    assert run_apart(NETWORK, "tests.imds.link_local").splitlines() == ["guest: 200 10", "host: 403"]
