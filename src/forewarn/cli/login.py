"""Finds the login for the Forewarn that a command asks: it lies in the data directory of that Forewarn."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from forewarn.access.files import Local, read_local
from forewarn.cli.instances import instance_at
from forewarn.domain.errors import Invalid

VARIABLE = "FOREWARN_DATA"
DATA = "forewarn-data"


@dataclass(frozen=True, kw_only=True, slots=True)
class Login:
    local: Local
    data: Path


def find_login(server: str, data: Path | None = None) -> Login | None:
    """By --data, FOREWARN_DATA, the note of whoever has that port, or ./forewarn-data, in this order.

    The last two are guesses, and the secret is not sent over the network on a guess.
    """
    named = named_data(data)
    if named is not None:
        local = read_local(named)
        if local is None:
            raise Invalid(f"{named} holds no login: no Forewarn has run with that data directory.")
        return Login(local=local, data=named)
    return _guessed(server) if is_loopback(server) else None


def named_data(data: Path | None) -> Path | None:
    given = os.environ.get(VARIABLE)
    return data or (Path(given) if given else None)


def _guessed(server: str) -> Login | None:
    running = instance_at(urlsplit(server).port or 80)
    for guess in [*([Path(running.data)] if running else []), Path(DATA)]:
        local = read_local(guess)
        if local is not None:
            return Login(local=local, data=guess)
    return None


def is_loopback(server: str) -> bool:
    host = urlsplit(server).hostname or ""
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
    return address.is_loopback or address.is_unspecified
