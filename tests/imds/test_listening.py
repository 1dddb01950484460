"""What an operator says of who asks, and where each machine is then found."""

import tempfile
from pathlib import Path

import pytest

from forewarn.domain.errors import Invalid
from forewarn.imds.identity import ByLocalAddress, BySourceAddress, Everyone, Identity
from forewarn.imds.listening import identity_called, socket_files, url_maker
from tests.imds.world import machine

ONE = machine("vm1", "alpha", "127.0.0.2")
TWIN = machine("vm1", "beta", "127.0.0.3")


@pytest.mark.parametrize(
    ("wanted", "identity"),
    [
        pytest.param("loopback", ByLocalAddress(), id="loopback"),
        pytest.param("source", BySourceAddress(), id="source"),
        pytest.param("machine=vm1", Everyone("alpha", "vm1"), id="one-machine"),
    ],
)
def test_there_are_three_ways_to_know_who_asks(wanted: str, identity: Identity) -> None:
    assert identity_called(wanted, [ONE]) == identity


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        pytest.param("machine=vm1", "2 machines are called so", id="two-of-that-name"),
        pytest.param("header", "loopback, source or machine=NAME", id="no-such-way"),
    ],
)
def test_what_would_leave_it_open_is_refused(wanted: str, told: str) -> None:
    with pytest.raises(Invalid, match=told):
        identity_called(wanted, [ONE, TWIN])


def test_a_machine_nobody_has_is_refused() -> None:
    with pytest.raises(Invalid, match="no machines are called so"):
        identity_called("machine=none", [])


def test_a_socket_file_names_the_scope_only_where_it_must() -> None:
    with tempfile.TemporaryDirectory() as folder:
        listeners = socket_files(Path(folder), [ONE, TWIN, machine("vm2", "web:0", "")])
        files = sorted(file.name for file in Path(folder).iterdir())
        for listener in listeners:
            listener.sockets[0].close()
    assert files == ["vm1.alpha.sock", "vm1.beta.sock", "vm2.sock"]


@pytest.mark.parametrize(
    ("host", "port", "identity", "url"),
    [
        pytest.param("127.0.0.1", 8254, ByLocalAddress(), "http://127.0.0.2:8254", id="an-address-of-its-own"),
        pytest.param("169.254.169.254", 80, BySourceAddress(), "http://169.254.169.254", id="the-usual-port"),
        pytest.param("::1", 8254, Everyone("alpha", "vm1"), "http://[::1]:8254", id="ipv6"),
    ],
)
def test_each_machine_has_a_url(host: str, port: int, identity: Identity, url: str) -> None:
    assert url_maker(host, port, identity)(ONE) == url
