"""Who is ready is told and found out through whatever the machines share, and said again until it is heard."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from forewarn.agent import herald
from forewarn.agent.herald import Herald
from forewarn.agent.peers import Peers, UrlPeers, peers_of
from forewarn.client import Event, ScheduledEvents
from tests.agent.azure_host import azure_host
from tests.agent.building import a_record, an_event

LOG = logging.getLogger("tests.agent.peers")
PAIR = an_event(resources=("Web_0", "web_1"))


@contextmanager
def on_azure(setting: Path) -> Iterator[Peers]:
    with azure_host() as host, ScheduledEvents(host.url, name="vm") as client:
        yield peers_of(str(setting), client, LOG)


def test_a_shared_directory_tells_who_is_ready(tmp_path: Path) -> None:
    with on_azure(tmp_path / "shared") as one, on_azure(tmp_path / "shared") as other:
        assert one.ready(PAIR) == frozenset()
        assert one.tell(PAIR, "web_0")
        assert other.ready(PAIR) == {"web_0"}
        assert other.tell(PAIR, "WEB_1")
        assert one.ready(PAIR) == {"web_0", "web_1"}


def test_a_directory_that_cannot_be_used_is_said_and_makes_nobody_ready(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    with on_azure(tmp_path / "file") as peers:
        assert not peers.tell(PAIR, "web_0")
        assert peers.ready(PAIR) == frozenset()
    assert "Not a directory" in caplog.text


def test_each_machine_is_asked_at_its_own_address() -> None:
    class Peer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/web_1/ready/E1" else 409)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Peer) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
        peers = UrlPeers(f"http://127.0.0.1:{server.server_port}/{{name}}/ready/{{event}}")
        assert peers.ready(PAIR) == {"web_1"}
        peers.tell(PAIR, "Web_0")
        assert peers.ready(PAIR) == {"web_0", "web_1"}
        server.shutdown()


class Deaf:
    """It hears the third time."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def tell(self, event: Event, me: str) -> bool:
        self.said.append(me)
        return len(self.said) > 2

    def ready(self, event: Event) -> frozenset[str]:
        return frozenset()


def at_once(work: Callable[[], None]) -> None:
    work()


def test_that_this_machine_is_ready_is_said_until_it_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(herald, "AGAIN", 0.0)
    peers = Deaf()
    speaker = Herald(peers, at_once, at_once)
    speaker.look(a_record())
    assert peers.said == []
    speaker.say("E1")
    for _ in range(9):
        speaker.look(a_record())
    assert peers.said == ["vm"] * 3
    assert not speaker.is_busy


def test_it_is_not_said_again_at_once_nor_of_what_has_started() -> None:
    peers = Deaf()
    speaker = Herald(peers, at_once, at_once)
    speaker.say("E1")
    speaker.look(a_record())
    speaker.look(a_record())
    assert (peers.said, speaker.is_busy) == (["vm"], True)
    speaker.say("E1")
    speaker.look(a_record(started=True))
    assert (peers.said, speaker.is_busy) == (["vm"], False)
