"""Where a metadata service is: `http://HOST[:PORT]`, or `unix:/PATH` for the socket that is one machine."""

import socket
from dataclasses import dataclass
from urllib.parse import urlsplit

from forewarn.client.errors import NoEndpoint


@dataclass(frozen=True, kw_only=True, slots=True)
class Endpoint:
    host: str
    port: int = 80
    path: str = ""
    """Of a unix socket."""

    def dial(self, timeout: float) -> socket.socket:
        if not self.path:
            connection = socket.create_connection((self.host, self.port), timeout)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            connection.settimeout(timeout)
            connection.connect(self.path)
        except OSError:
            connection.close()
            raise
        return connection


def read_endpoint(text: str) -> Endpoint:
    """A path behind the host is left out: the address of the document is taken for that of the service."""
    kind, _, rest = text.strip().partition(":")
    if kind == "unix" and rest.startswith("/") and "\0" not in rest:
        return Endpoint(host="localhost", path=rest)
    try:
        parts = urlsplit(text.strip())
        host, port = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError:
        host, port = None, None
    if kind.lower() != "http" or host is None:
        raise NoEndpoint(f"{text!r} is no metadata endpoint: give http://HOST, http://HOST:PORT or unix:/PATH.")
    return Endpoint(host=host, port=80 if port is None else port)
