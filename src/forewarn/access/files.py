"""What lies in DATA/access, and how somebody who may read it logs in.

This module is also for the command line, so it needs nothing that is slow to import.
"""

from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

import msgspec

from forewarn.disk import write_private
from forewarn.domain.errors import Invalid

RESOURCE = "https://management.core.windows.net/"
"""The name under which tokens for the control plane are asked for, in every Azure cloud."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Local:
    """The login of whoever may read the data directory, and the ids of the one tenant and the one subscription."""

    tenant: str
    subscription: str
    client_id: str
    client_secret: str = field(repr=False)


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenRequest:
    """A POST that is answered with a token. Over plain http it is for loopback only: it holds the secret."""

    path: str
    headers: dict[str, str]
    body: bytes = field(repr=False)


class _Granted(msgspec.Struct):
    access_token: str


def access_directory(data: Path) -> Path:
    return data / "access"


def ca_file(data: Path) -> Path:
    """The certificate to trust."""
    return access_directory(data) / "ca.pem"


def read_local(data: Path) -> Local | None:
    """None if no Forewarn has run with this data directory."""
    path = access_directory(data) / "local.json"
    try:
        return msgspec.json.decode(path.read_bytes(), type=Local)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError) as error:
        raise Invalid(f"{path} cannot be read ({error}): without it there is no local login.") from None


def write_local(data: Path, local: Local) -> None:
    make_private(access_directory(data))
    write_private(access_directory(data) / "local.json", msgspec.json.format(msgspec.json.encode(local)) + b"\n")


def token_request(local: Local) -> TokenRequest:
    form = {
        "grant_type": "client_credentials",
        "client_id": local.client_id,
        "client_secret": local.client_secret,
        "scope": f"{RESOURCE}/.default",
    }
    return TokenRequest(
        path=f"/{local.tenant}/oauth2/v2.0/token",
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        body=urlencode(form).encode(),
    )


def token_in(answer: bytes) -> str:
    """The token in what was answered to such a request. ValueError if there is none."""
    try:
        return msgspec.json.decode(answer, type=_Granted).access_token
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise ValueError("there is no token in the answer") from None


def make_private(directory: Path) -> None:
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    directory.chmod(0o700)
