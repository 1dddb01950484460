"""A metadata service as an Azure host has it: polled on condition, it parks nothing and knows no readiness.

What it says is set from outside, also what no host should say.
"""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

DOCUMENT, INSTANCE = "/metadata/scheduledevents", "/metadata/instance"


@dataclass(kw_only=True)
class Host:
    name: str = "vm"
    url: str = ""
    incarnation: int = 1
    events: list[dict[str, Any]] = field(default_factory=list)
    refusal: int = 0
    """A status with which everything is answered; 0 for none."""
    refused: int = 0
    refuses_approvals: int = 0
    """A status, too."""
    polls: int = 0
    approved: list[str] = field(default_factory=list)

    def tell(self, *events: dict[str, Any], incarnation: int | None = None) -> None:
        self.events = list(events)
        self.incarnation = self.incarnation + 1 if incarnation is None else incarnation

    def document(self) -> bytes:
        return json.dumps({"DocumentIncarnation": self.incarnation, "Events": self.events}).encode()


def reboot(id: str = "E1", *, started: bool = False, machines: tuple[str, ...] = ("vm",)) -> dict[str, Any]:
    start = datetime.now(UTC) + timedelta(minutes=15)  # noqa: TID251  a host has a clock
    return {
        "EventId": id,
        "EventStatus": "Started" if started else "Scheduled",
        "EventType": "Reboot",
        "ResourceType": "VirtualMachine",
        "Resources": list(machines),
        "NotBefore": "" if started else format_datetime(start, usegmt=True),
    }


@contextmanager
def azure_host(name: str = "vm") -> Iterator[Host]:
    host = Host(name=name)

    class Handler(_Handler):
        def __init__(self, *words: Any) -> None:
            self.host = host
            super().__init__(*words)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    host.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield host
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    host: Host

    def do_GET(self) -> None:
        match self.path.partition("?")[0]:
            case _ if self.host.refusal:
                self.host.refused += 1
                self._send(self.host.refusal)
            case path if path == DOCUMENT:
                self._document()
            case path if path == INSTANCE:
                self._send(200, json.dumps({"compute": {"name": self.host.name}}).encode())
            case _:
                self._send(404)

    def do_POST(self) -> None:
        """An approval, or whatever a step calls."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        refusal = self.host.refusal
        if self.path.startswith(DOCUMENT):
            refusal = refusal or self.host.refuses_approvals
            ids = [request["EventId"] for request in json.loads(body)["StartRequests"]]
            self.host.approved += [] if refusal else ids
        self._send(refusal or 200)

    def log_message(self, *_: object) -> None:
        pass

    def _document(self) -> None:
        self.host.polls += 1
        tag = f'"{self.host.incarnation}"'
        if self.headers.get("If-None-Match") == tag:
            self._send(304, tag=tag)
        else:
            self._send(200, self.host.document(), tag=tag)

    def _send(self, status: int, body: bytes = b"", tag: str = "") -> None:
        self.send_response(status)
        if tag:
            self.send_header("ETag", tag)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
