"""Hosts in URLs."""

import pytest

from forewarn.wire.authorities import is_loopback


@pytest.mark.parametrize("host", ["127.0.0.1", "127.9.9.9", "::1", "localhost", "fleet.localhost"])
def test_what_stays_on_this_host_is_loopback(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "2001:db8::1", "localhost.example", "notlocalhost", ""])
def test_nothing_else_is(host: str) -> None:
    assert not is_loopback(host)
