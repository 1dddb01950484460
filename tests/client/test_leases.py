"""Option 245 in the files of DHCP clients."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.client.leases import leased_addresses, read_lease

WIRE = "168.63.129.16"

DHCLIENT = """\
lease {
  interface "eth0";
  fixed-address 10.0.0.4;
  option subnet-mask 255.255.255.0;
  option dhcp-server-identifier 168.63.129.16;
  option rfc3442-classless-static-routes 0,10,0,0,1,32,168,63,129,16,10,0,0,1;
  option unknown-245 VALUE;
  option domain-name "xyz.internal.cloudapp.net";
  expire never;
}
"""
NETWORKD = """\
# This is private data. Do not parse.
ADDRESS=10.0.0.4
NETMASK=255.255.255.0
SERVER_ADDRESS=168.63.129.16
LIFETIME=4294967295
OPTION_245=a83f8110
"""


@pytest.mark.parametrize(
    ("text", "address"),
    [
        pytest.param(DHCLIENT.replace("VALUE", "a8:3f:81:10"), WIRE, id="dhclient-hex"),
        pytest.param(DHCLIENT.replace("VALUE", "A8:3F:81:10"), WIRE, id="dhclient-hex-in-upper-case"),
        pytest.param(DHCLIENT.replace("VALUE", "a:0:0:4"), "10.0.0.4", id="dhclient-hex-without-zeros"),
        pytest.param(DHCLIENT.replace("VALUE", "168.63.129.16"), WIRE, id="dhclient-dotted"),
        pytest.param(DHCLIENT.replace("VALUE", r'"\250?\201\020"'), WIRE, id="dhclient-as-text-with-octals"),
        pytest.param(DHCLIENT.replace("VALUE", r'"d\"\\e"'), "100.34.92.101", id="dhclient-as-text-with-escapes"),
        pytest.param(DHCLIENT.replace("VALUE", '"a8:3f:81:10"'), WIRE, id="dhclient-quoted"),
        pytest.param(DHCLIENT.replace("unknown-245 VALUE", "option-245 a8:3f:81:10"), WIRE, id="dhclient-option-245"),
        pytest.param(NETWORKD, WIRE, id="networkd"),
        pytest.param("[lease]\nprivate_245=168.63.129.16\n", WIRE, id="network-manager"),
        pytest.param(
            DHCLIENT.replace("VALUE", "a:0:0:4") + DHCLIENT.replace("VALUE", "a8:3f:81:10"), WIRE, id="the-latest-lease"
        ),
        pytest.param(DHCLIENT.replace("VALUE", "a8:3f:81"), None, id="too-short"),
        pytest.param(DHCLIENT.replace("VALUE", "0:0:0:0"), None, id="no-address"),
        pytest.param(DHCLIENT.replace("VALUE", "ff:ff:ff:ff"), None, id="everybody"),
        pytest.param(DHCLIENT.replace("VALUE", "1.2.3.256"), None, id="no-such-address"),
        pytest.param(DHCLIENT.replace("unknown-245 VALUE", "unknown-2450 a8:3f:81:10"), None, id="another-option"),
        pytest.param("", None, id="an-empty-file"),
    ],
)
def test_every_form_is_read(text: str, address: str | None) -> None:
    assert read_lease(text) == address


@given(st.text())
def test_any_text_is_read(value: str) -> None:
    read_lease(f"option unknown-245 {value};\nOPTION_245={value}\n")


def test_files_are_read_where_clients_keep_them_latest_first(tmp_path: Path) -> None:
    files = {
        "var/lib/dhcp/dhclient.eth0.leases": DHCLIENT.replace("VALUE", "10.0.0.1"),
        "var/lib/dhclient/dhclient.leases": DHCLIENT.replace("VALUE", "10.0.0.2"),
        "run/systemd/netif/leases/2": NETWORKD,
        "var/lib/NetworkManager/dhclient-1234-eth0.lease": DHCLIENT.replace("VALUE", "10.0.0.4"),
        "var/lib/NetworkManager/internal-1234-eth0.lease": NETWORKD,
        "var/lib/NetworkManager/timestamps": DHCLIENT.replace("VALUE", "10.0.0.6"),
    }
    for age, (name, text) in enumerate(files.items()):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        os.utime(path, (1000 - age, 1000 - age))
    (tmp_path / "var/lib/dhcp/a-directory.leases").mkdir()
    assert leased_addresses(tmp_path) == ["10.0.0.1", "10.0.0.2", WIRE, "10.0.0.4"]


def test_a_system_without_leases_has_none(tmp_path: Path) -> None:
    assert leased_addresses(tmp_path) == []
