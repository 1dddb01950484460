"""A DISCOVER and its offers: the bytes, and once on a real wire."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forewarn.client.dhcp import Interface, ask_on_the_wire, discover_packet, interfaces, read_offer
from tests.client.responder import COOKIE, ENDPOINT, OFFER, Option, reply
from tests.private_network import run_apart

XID = 0x12345678
MAC = bytes.fromhex("000d3a123456")
ASKED = discover_packet(XID, MAC)


def test_a_discover_is_laid_out_as_rfc_2131_has_it() -> None:
    assert len(ASKED) == 300
    assert ASKED[:4] == bytes([1, 1, 6, 0])
    assert ASKED[4:8] == bytes.fromhex("12345678")
    assert ASKED[10:12] == b"\x80\x00"  # answer to everybody
    assert ASKED[28:34] == MAC
    assert ASKED[236:240] == COOKIE
    assert ASKED[240:243] == bytes([53, 1, 1])
    assert 245 in ASKED[245 : 245 + ASKED[244]]


@pytest.mark.parametrize(
    ("options", "address"),
    [
        pytest.param([OFFER, ENDPOINT], "168.63.129.16", id="an-offer"),
        pytest.param([ENDPOINT, (3, bytes(4)), OFFER], "168.63.129.16", id="in-any-order"),
        pytest.param([OFFER], None, id="without-the-option"),
        pytest.param([ENDPOINT], None, id="of-no-kind"),
        pytest.param([(53, b"\x06"), ENDPOINT], None, id="a-refusal"),
        pytest.param([OFFER, (245, b"\1\2\3")], None, id="too-short"),
        pytest.param([OFFER, (245, bytes(4))], None, id="no-address"),
        pytest.param([OFFER, (255, b""), ENDPOINT], None, id="behind-the-end"),
    ],
)
def test_offers(options: list[Option], address: str | None) -> None:
    assert read_offer(reply(ASKED, options), XID, MAC) == address


def test_padding_between_options_is_nothing() -> None:
    packet = reply(ASKED, [OFFER, ENDPOINT]).replace(COOKIE, COOKIE + b"\0\0\0")
    assert read_offer(packet, XID, MAC) == "168.63.129.16"


@pytest.mark.parametrize(
    "packet",
    [
        pytest.param(reply(ASKED, [OFFER, ENDPOINT], xid=b"1234"), id="to-another-question"),
        pytest.param(reply(ASKED, [OFFER, ENDPOINT], op=1), id="a-question"),
        pytest.param(reply(discover_packet(XID, bytes(6)), [OFFER, ENDPOINT]), id="to-another-machine"),
        pytest.param(reply(ASKED, [OFFER, ENDPOINT]).replace(COOKIE, b"cook"), id="bootp"),
        pytest.param(ASKED, id="our-own"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_what_is_no_offer_to_us(packet: bytes) -> None:
    assert read_offer(packet, XID, MAC) is None


@given(st.binary(max_size=64), st.integers(min_value=0, max_value=300))
def test_any_packet_is_read_or_left(junk: bytes, cut: int) -> None:
    whole = reply(ASKED, [OFFER]) + junk
    read_offer(whole[:cut], XID, MAC)
    read_offer(reply(ASKED, [])[:-1] + junk, XID, MAC)


def card(root: Path, name: str, *, mac: str, type: str = "1", state: str = "up", device: bool = True) -> None:
    (root / name).mkdir()
    for file, text in (("address", mac), ("type", type), ("operstate", state)):
        (root / name / file).write_text(f"{text}\n")
    if device:
        (root / name / "device").mkdir()


def test_only_cards_that_are_up_are_asked(tmp_path: Path) -> None:
    card(tmp_path, "docker0", mac="02:42:00:00:00:01", device=False)
    card(tmp_path, "lo", mac="00:00:00:00:00:00", type="772", state="unknown", device=False)
    assert [found.name for found in interfaces(tmp_path)] == ["docker0"]
    card(tmp_path, "eth0", mac="00:0d:3a:12:34:56")
    card(tmp_path, "eth1", mac="00:0d:3a:12:34:57", state="down")
    card(tmp_path, "eth2", mac="00:00:00:00:00:00")
    (tmp_path / "bonding_masters").write_text("")
    assert interfaces(tmp_path) == [Interface(name="eth0", mac=MAC)]


def test_without_a_card_nobody_is_asked() -> None:
    with pytest.raises(OSError, match="no network card is up"):
        ask_on_the_wire([], XID)


NETWORK = """
ip link add host0 type veth peer name guest0
mkdir -p /run/netns
mount -t tmpfs none /run/netns
ip netns add guest
ip link set guest0 netns guest
ip address add 168.63.129.16/24 dev host0
ip link set host0 up
ip -n guest link set guest0 up
"""


def test_a_guest_without_an_address_is_told_where_its_host_is() -> None:
    told = json.loads(run_apart(NETWORK, "tests.client.on_the_wire"))
    assert told["guest"] == "['guest0'] 168.63.129.16"
    assert bytes.fromhex(told["heard"])[4:8] == bytes.fromhex("12345678")
