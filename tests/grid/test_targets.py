"""Where a webhook may be."""

import socket

import pytest

from forewarn.domain.errors import Invalid
from forewarn.grid.targets import check_address, target_of


@pytest.mark.parametrize(
    ("url", "host", "port", "path"),
    [
        pytest.param("https://example.com/hook?code=x", "example.com", 443, "/hook?code=x", id="https"),
        pytest.param("http://127.0.0.1:7071", "127.0.0.1", 7071, "/", id="no-path"),
        pytest.param("HTTP://[::1]:80/a", "::1", 80, "/a", id="ipv6"),
    ],
)
def test_a_url_names_a_target(url: str, host: str, port: int, path: str) -> None:
    target = target_of(url)
    assert (target.host, target.port, target.path) == (host, port, path)
    assert "code" not in target.origin


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("", id="nothing"),
        pytest.param("ftp://example.com", id="another-scheme"),
        pytest.param("https://", id="no-host"),
        pytest.param("https://user:password@example.com", id="password"),
        pytest.param("https://example.com/#part", id="fragment"),
        pytest.param("https://example.com/a b", id="blank"),
        pytest.param("https://example.com/\r\nHost: x", id="line-break"),
        pytest.param("https://exämple.com/", id="not-ascii"),
        pytest.param("https://example.com:99999/", id="no-such-port"),
        pytest.param("https://[::1/", id="open-bracket"),
        pytest.param("https://example.com/" + "a" * 2048, id="too-long"),
    ],
)
def test_what_cannot_be_called_is_refused(url: str) -> None:
    with pytest.raises(Invalid):
        target_of(url)


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "::169.254.169.254",
        "64:ff9b::a9fe:a9fe",
        "2002:a9fe:a9fe::1",
        "169.254.0.1",
        "fe80::1%lo",
        "168.63.129.16",
        "100.100.100.200",
        "fd00:ec2::254",
        "224.0.0.1",
    ],
)
def test_a_metadata_service_is_no_webhook(address: str) -> None:
    with pytest.raises(Invalid, match="cannot be at"):
        check_address(address, 80, ())


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "0.0.0.0", "::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"])
def test_forewarn_itself_is_no_webhook(address: str) -> None:
    if address == "::1" and not _has_ipv6():
        pytest.skip("no IPv6 here")
    with pytest.raises(Invalid, match="Forewarn itself"):
        check_address(address, 8255, {8254, 8255})
    check_address(address, 7071, {8254, 8255})


def test_the_same_port_of_another_machine_may_be_called() -> None:
    check_address("192.0.2.7", 8255, {8255})
    check_address("10.1.2.3", 443, {8255})


def _has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True
