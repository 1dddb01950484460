"""The certificates of HTTPS: an authority of this Forewarn's own, and one that it issues to the server.

Who trusts `ca.pem` trusts the server for as long as the data directory lives. The server's certificate is issued anew
when it is about to expire, or when the server has got other names.
"""

import ssl
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from forewarn.access.files import make_private
from forewarn.disk import write_private
from forewarn.domain.errors import Invalid

ALWAYS = ("localhost", "127.0.0.1", "::1")
AUTHORITY_FOR = timedelta(days=3650)
SERVER_FOR = timedelta(days=397)  # browsers refuse longer ones
RENEW_WITHIN = timedelta(days=30)
BACKDATED = timedelta(hours=1)
"""For clients whose clock is a little behind."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Files:
    authority: Path
    authority_key: Path
    server: Path
    server_key: Path

    @classmethod
    def below(cls, directory: Path) -> "Files":
        return cls(
            authority=directory / "ca.pem",
            authority_key=directory / "ca-key.pem",
            server=directory / "server.pem",
            server_key=directory / "server-key.pem",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey


def ensure(directory: Path, hosts: Collection[str], now: datetime) -> bool:
    """Make what is missing or about to expire. Says whether the server's certificate is a new one."""
    make_private(directory)
    files = Files.below(directory)
    names = sorted({*ALWAYS, *(host.lower() for host in hosts)})
    authority = _read(files.authority, files.authority_key)
    if authority is None or _expires_soon(authority.certificate, now):
        authority = _new_authority(now)
        _write(authority, files.authority, files.authority_key)
    server = _read(files.server, files.server_key)
    if server is not None and _still_good(server.certificate, authority.certificate, names, now):
        return False
    _write(_new_server(authority, names, now), files.server, files.server_key)
    return True


class ServerTls:
    """What a server needs to speak HTTPS, for as long as it runs."""

    def __init__(self, directory: Path, hosts: Collection[str], now: datetime) -> None:
        """`hosts`: names and addresses of the server, beside those of loopback."""
        self._directory = directory
        self._hosts = hosts
        ensure(directory, hosts, now)
        self.context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        self.context.minimum_version = ssl.TLSVersion.TLSv1_2
        self.context.set_alpn_protocols(["http/1.1"])
        self._load()

    def tend(self, now: datetime) -> None:
        """Renew the certificate if it is time. Connections made from then on are shown the new one."""
        if ensure(self._directory, self._hosts, now):
            self._load()

    def _load(self) -> None:
        files = Files.below(self._directory)
        self.context.load_cert_chain(files.server, files.server_key)


def _new_authority(now: datetime) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    serial = x509.random_serial_number()
    name = _name(f"Forewarn authority {serial:040x}"[:40])
    builder = (
        _builder(name, name, key, serial, now, AUTHORITY_FOR)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False)
    )
    return _Pair(certificate=builder.sign(key, hashes.SHA256()), key=key)


def _new_server(authority: _Pair, names: Iterable[str], now: datetime) -> _Pair:
    key = ec.generate_private_key(ec.SECP256R1())
    issuer = authority.certificate
    builder = (
        _builder(_name("Forewarn"), issuer.subject, key, x509.random_serial_number(), now, SERVER_FOR)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.key.public_key()), critical=False)
    )
    return _Pair(certificate=builder.sign(authority.key, hashes.SHA256()), key=key)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePrivateKey,
    serial: int,
    now: datetime,
    valid_for: timedelta,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(now - BACKDATED)
        .not_valid_after(now + valid_for)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        pass
    try:
        return x509.DNSName(host)
    except ValueError:
        raise Invalid(f"{host[:100]!r} is not a host name that a certificate can hold.") from None


def _still_good(server: x509.Certificate, authority: x509.Certificate, names: Collection[str], now: datetime) -> bool:
    try:
        server.verify_directly_issued_by(authority)
    except Exception:  # whatever is wrong with it, a new one is right
        return False
    held = server.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return set(held) == {_general(name) for name in names} and not _expires_soon(server, now)


def _expires_soon(certificate: x509.Certificate, now: datetime) -> bool:
    """Or is not valid yet: then the clock was wrong when it was made."""
    return certificate.not_valid_after_utc - now < RENEW_WITHIN or certificate.not_valid_before_utc > now


def _read(certificate: Path, key: Path) -> _Pair | None:
    """None if there are none, or they are damaged, or the one does not belong to the other."""
    try:
        held = x509.load_pem_x509_certificate(certificate.read_bytes())
        private = serialization.load_pem_private_key(key.read_bytes(), None)
    except (FileNotFoundError, ValueError):
        return None
    if not isinstance(private, ec.EllipticCurvePrivateKey) or held.public_key() != private.public_key():
        return None
    return _Pair(certificate=held, key=private)


def _write(pair: _Pair, certificate: Path, key: Path) -> None:
    """A crash between the two leaves a pair that does not match, which is made anew."""
    encoding = serialization.Encoding.PEM
    write_private(
        key,
        pair.key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()),
    )
    write_private(certificate, pair.certificate.public_bytes(encoding))
