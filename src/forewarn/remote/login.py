"""Finds the login for the Forewarn that a command asks: it lies in the data directory of that Forewarn."""

import os
from collections.abc import Set
from pathlib import Path
from urllib.parse import urlsplit

from forewarn.access.files import read_local
from forewarn.domain.errors import Invalid
from forewarn.remote.client import DEFAULT_SERVER, Client, Login
from forewarn.remote.instances import instance_at
from forewarn.remote.listeners import listening_users
from forewarn.wire.authorities import is_loopback

VARIABLE = "FOREWARN_DATA"
SERVER_VARIABLE = "FOREWARN_SERVER"
TOKEN_VARIABLE = "FOREWARN_TOKEN"  # noqa: S105 (a name)
DATA = "forewarn-data"
EVERYWHERE = "0.0.0.0", "::"  # noqa: S104  (asked for, they are this host)


def client_of(server: str | None = None, data: Path | None = None, token: str | None = None) -> Client:
    """By what is given, what the environment says, or the defaults.

    The environment's token is for the environment's server, and counts before any login that was not named.
    """
    usual = os.environ.get(SERVER_VARIABLE) or DEFAULT_SERVER
    url = server or usual
    noted = os.environ.get(TOKEN_VARIABLE) if data is None and url == usual else None
    return Client(url, lambda: find_login(url, data), token=token or noted)


def find_login(server: str, data: Path | None = None) -> Login | None:
    """By --data, FOREWARN_DATA, the note of whoever has that port, or ./forewarn-data, in this order.

    None also for a server beyond loopback: the secret is not for the open network, nor for another user of this host.
    """
    parts = urlsplit(server)
    if not is_loopback(parts.hostname or "") and parts.hostname not in EVERYWHERE:
        return None
    login = _find(parts.port or 80, data)
    if login is not None:
        check_listeners(listening_users(parts.port or 80), {0, os.getuid(), login.data.stat().st_uid}, server)
    return login


def check_listeners(users: Set[int], trusted: Set[int], server: str) -> None:
    strangers = users - trusted
    if strangers:
        raise Invalid(
            f"A program of another user (id {min(strangers)}) listens at {server}: the login is not sent to it. "
            "Start Forewarn on another port, and name that with --server."
        )


def _find(port: int, data: Path | None) -> Login | None:
    named = named_data(data)
    if named is None:
        running = instance_at(port)
        guesses = [*([Path(running.data)] if running else []), Path(DATA)]
        return next((login for login in map(_login, guesses) if login is not None), None)
    login = _login(named)
    if login is None:
        raise Invalid(f"{named} holds no login: no Forewarn has run with that data directory.")
    return login


def named_data(data: Path | None) -> Path | None:
    given = os.environ.get(VARIABLE)
    return data or (Path(given) if given else None)


def _login(data: Path) -> Login | None:
    local = read_local(data)
    return Login(local=local, data=data) if local is not None else None
