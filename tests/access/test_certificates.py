"""HTTPS with an authority of one's own: strict clients accept it, and it renews itself."""

import ssl
import stat
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from forewarn.access.certificates import ServerTls, ensure
from forewarn.domain.errors import Invalid
from forewarn.testing.builders import NOON

DAY = timedelta(days=1)


def held(directory: Path, name: str = "server.pem") -> bytes:
    return (directory / name).read_bytes()


def names(directory: Path) -> set[str]:
    certificate = x509.load_pem_x509_certificate(held(directory))
    held_names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return {str(name.value) for name in held_names}


def shake_hands(server: ssl.SSLContext, trusted: Path, host: str) -> None:
    """A whole handshake in memory, as strict as Python 3.13 is by default."""
    client = ssl.create_default_context(cafile=str(trusted))
    client.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    asks = client.wrap_bio(to_client, to_server, server_hostname=host)
    answers = server.wrap_bio(to_server, to_client, server_side=True)
    for side in (asks, answers, asks, answers):
        try:
            side.do_handshake()
        except ssl.SSLWantReadError:
            continue
    assert asks.version() == "TLSv1.3"


@pytest.fixture
def now() -> datetime:
    """A handshake goes by the real clock, whatever anybody says."""
    from forewarn.wiring import wall

    return wall()


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1", "forewarn.example", "192.0.2.7"])
def test_a_strict_client_accepts_every_name_of_the_server(tmp_path: Path, now: datetime, host: str) -> None:
    tls = ServerTls(tmp_path, ["Forewarn.example", "192.0.2.7"], now)
    shake_hands(tls.context, tmp_path / "ca.pem", host)


def test_a_client_refuses_a_name_that_is_not_the_server_s(tmp_path: Path, now: datetime) -> None:
    tls = ServerTls(tmp_path, [], now)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(tls.context, tmp_path / "ca.pem", "forewarn.example")


def test_a_client_refuses_the_server_of_another_authority(tmp_path: Path, now: datetime) -> None:
    tls = ServerTls(tmp_path / "one", [], now)
    ServerTls(tmp_path / "other", [], now)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(tls.context, tmp_path / "other" / "ca.pem", "localhost")


def test_the_authority_can_sign_servers_and_nothing_below_them(tmp_path: Path) -> None:
    ensure(tmp_path, [], NOON)
    extensions = x509.load_pem_x509_certificate(held(tmp_path, "ca.pem")).extensions
    basic = extensions.get_extension_for_class(x509.BasicConstraints)
    assert (basic.critical, basic.value.ca, basic.value.path_length) == (True, True, 0)
    usage = extensions.get_extension_for_class(x509.KeyUsage)
    assert (usage.critical, usage.value.key_cert_sign, usage.value.digital_signature) == (True, True, False)


def test_what_is_there_and_good_is_kept(tmp_path: Path) -> None:
    assert ensure(tmp_path, ["a.example"], NOON)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    assert not ensure(tmp_path, ["A.example"], NOON + 300 * DAY)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()} == {0o600}


def test_one_that_is_about_to_expire_is_replaced_and_the_authority_stays(tmp_path: Path) -> None:
    ensure(tmp_path, [], NOON)
    authority = held(tmp_path, "ca.pem")
    assert not ensure(tmp_path, [], NOON + 367 * DAY)
    assert ensure(tmp_path, [], NOON + 368 * DAY)
    assert held(tmp_path, "ca.pem") == authority


def test_other_names_need_another_certificate(tmp_path: Path) -> None:
    ensure(tmp_path, ["a.example"], NOON)
    assert ensure(tmp_path, ["b.example"], NOON)
    assert names(tmp_path) == {"localhost", "127.0.0.1", "::1", "b.example"}


def test_an_authority_at_its_end_is_followed_by_another(tmp_path: Path) -> None:
    ensure(tmp_path, [], NOON)
    authority = held(tmp_path, "ca.pem")
    assert ensure(tmp_path, [], NOON + 3650 * DAY)
    assert held(tmp_path, "ca.pem") != authority


@pytest.mark.parametrize("name", ["ca.pem", "ca-key.pem", "server.pem", "server-key.pem"])
@pytest.mark.parametrize("harm", ["gone", "garbled", "another's"])
def test_what_a_crash_left_half_done_is_made_anew(tmp_path: Path, now: datetime, name: str, harm: str) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for directory in (here, there):
        ensure(directory, [], now)
    match harm:
        case "gone":
            (here / name).unlink()
        case "garbled":
            (here / name).write_bytes(held(here, name)[:100])
        case _:
            (here / name).write_bytes(held(there, name))
    tls = ServerTls(here, [], now)
    shake_hands(tls.context, here / "ca.pem", "localhost")


def test_a_server_that_runs_is_given_its_new_certificate(tmp_path: Path, now: datetime) -> None:
    tls = ServerTls(tmp_path, [], now - 390 * DAY)
    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(ServerTls(tmp_path, [], now - 390 * DAY).context, tmp_path / "ca.pem", "elsewhere.example")
    before = held(tmp_path)
    tls.tend(now)
    assert held(tmp_path) != before
    shake_hands(tls.context, tmp_path / "ca.pem", "localhost")


def test_a_name_that_no_certificate_can_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Invalid, match="not a host name"):
        ensure(tmp_path, ["bücher.example"], NOON)
