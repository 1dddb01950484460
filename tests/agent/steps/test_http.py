"""The http step, against real servers."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from forewarn.access.certificates import ServerTls
from forewarn.agent.errors import BadConfig, StepFailed, Stopped, TimeIsUp
from forewarn.agent.options import read_options
from forewarn.agent.steps.http import Call
from forewarn.wiring import wall
from tests.agent.turn import REBOOT, ATurn

Reply = tuple[int, dict[str, str], bytes]
FINE: Reply = (200, {}, b"")


@dataclass(kw_only=True)
class Server:
    url: str
    replies: list[Reply] = field(default_factory=list)
    """In order; when they are used up, all is fine."""
    asked: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)
    """Method, path, headers, body."""


@contextmanager
def serving(tls: ServerTls | None = None) -> Iterator[Server]:
    server = Server(url="")

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            server.asked.append((self.command, self.path, dict(self.headers), body))
            status, headers, text = server.replies.pop(0) if server.replies else FINE
            self.send_response(status)
            for name, value in {"Content-Length": str(len(text)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_PUT = do_POST = do_DELETE = handle_any

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as real:
        real.handle_error = lambda *_: None  # type: ignore[method-assign]
        if tls is not None:
            real.socket = tls.context.wrap_socket(real.socket, server_side=True)
        server.url = f"{'https' if tls else 'http'}://127.0.0.1:{real.server_port}"
        thread = threading.Thread(target=real.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        real.shutdown()
        thread.join()


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def turn(tmp_path: Path) -> ATurn:
    return ATurn(spool=tmp_path)


def test_it_calls_to_prepare_and_to_restore_each_in_its_own_way(server: Server, turn: ATurn) -> None:
    step = Call(
        url=f"{server.url}/pool/{{me}}",
        body='{"event": "{event}", "state": "{direction}"}',
        restore_method="DELETE",
        headers={"X-Event": "{type}"},
    )
    step.prepare(turn)
    step.restore(turn)
    (method, path, headers, body), (restore_method, restore_path, restore_headers, restore_body) = server.asked
    assert (method, path) == ("POST", "/pool/web_0")
    assert (headers["Content-Type"], headers["X-Event"]) == ("application/json", "Reboot")
    assert json.loads(body) == {"event": REBOOT.id, "state": "prepare"}
    assert (restore_method, restore_path, restore_body) == ("DELETE", "/pool/web_0", b"")
    assert "Content-Type" not in restore_headers


def test_to_restore_it_can_call_elsewhere(server: Server, turn: ATurn) -> None:
    Call(url="http://127.0.0.1:9/", restore_url=f"{server.url}?me={{me}}", restore_body="{}").restore(turn)
    assert [(method, path, body) for method, path, _, body in server.asked] == [("POST", "/?me=web_0", b"{}")]


def test_without_a_word_about_it_nothing_is_called_to_restore(server: Server, turn: ATurn) -> None:
    Call(url=server.url).restore(turn)
    assert server.asked == []


@pytest.mark.parametrize(
    ("content_type", "template", "body"),
    [
        pytest.param("application/json", '{"a": "{description}"}', b'{"a": "\\"&\\r\\n\\u00e4/"}', id="json"),
        pytest.param("application/x-www-form-urlencoded", "a={description}", b"a=%22%26%0D%0A%C3%A4%2F", id="form"),
        pytest.param("text/plain", "{description}", '"&\r\nä/'.encode(), id="text"),
    ],
)
def test_facts_are_escaped_for_where_they_stand(
    server: Server, turn: ATurn, content_type: str, template: str, body: bytes
) -> None:
    turn.event = replace(REBOOT, description='"&\r\nä/')
    headers = {"content-type": content_type, "X-Why": "{description}"}
    Call(url=f"{server.url}/{{description}}", headers=headers, body=template).prepare(turn)
    [(_, path, got, got_body)] = server.asked
    assert path == "/%22%26%0D%0A%C3%A4%2F"
    assert got["X-Why"] == '"&???/'
    assert got_body == body


def test_secret_headers_come_from_files_and_from_the_environment(
    server: Server, turn: ATurn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "token").write_text("Bearer hush\n")
    monkeypatch.setenv("POOL_KEY", "quiet")
    server.replies = [(400, {}, b"bad: Bearer hush, quiet")]
    step = Call(
        url=f"{server.url}/hidden?key=hidden",
        header_files={"Authorization": tmp_path / "token"},
        header_variables={"X-Key": "POOL_KEY"},
    )
    with pytest.raises(StepFailed) as failure:
        step.prepare(turn)
    assert (server.asked[0][2]["Authorization"], server.asked[0][2]["X-Key"]) == ("Bearer hush", "quiet")
    assert str(failure.value) == f"POST to {server.url} was answered with 400 bad: …, …"
    assert step.told() == (f"POST to {server.url}", "")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(None, "the value of Authorization cannot be read from .*: No such file", id="no-file"),
        pytest.param("", "the value of Authorization is empty", id="empty"),
        pytest.param("hush\r\nX-Other: 1", "signs that no header may have", id="line-break"),
    ],
)
def test_a_secret_that_cannot_be_used_is_not_told(
    turn: ATurn, tmp_path: Path, content: str | None, reason: str
) -> None:
    if content is not None:
        (tmp_path / "token").write_text(content)
    with pytest.raises(StepFailed, match=reason) as failure:
        Call(url="http://127.0.0.1:9", header_files={"Authorization": tmp_path / "token"}).prepare(turn)
    assert "hush" not in str(failure.value)


def test_a_variable_that_is_not_there_is_named(turn: ATurn) -> None:
    with pytest.raises(StepFailed, match="the agent has no variable NO_SUCH_KEY"):
        Call(url="http://127.0.0.1:9", header_variables={"Authorization": "NO_SUCH_KEY"}).prepare(turn)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_cannot_now_is_asked_again(server: Server, turn: ATurn, status: int) -> None:
    server.replies = [(status, {}, b"busy")]
    Call(url=server.url).prepare(turn)
    assert len(server.asked) == 2
    assert turn.said == [f"POST to {server.url} was answered with {status} busy; trying again"]
    assert turn.left() < 9.6


def test_the_server_may_say_when_to_ask_again(server: Server, turn: ATurn) -> None:
    server.replies = [(429, {"Retry-After": "1"}, b"")]
    Call(url=server.url).prepare(turn)
    assert turn.left() < 9.05


@pytest.mark.parametrize("status", [400, 401, 404, 409])
def test_a_server_that_refuses_is_not_asked_again(server: Server, turn: ATurn, status: int) -> None:
    server.replies = [(status, {}, b"no")]
    with pytest.raises(StepFailed, match=f"was answered with {status} no"):
        Call(url=server.url).prepare(turn)
    assert len(server.asked) == 1


def test_what_means_success_can_be_said(server: Server, turn: ATurn) -> None:
    server.replies = [(409, {}, b""), (200, {}, b"")]
    step = Call(url=server.url, statuses=(204, 409))
    step.prepare(turn)
    with pytest.raises(StepFailed, match="was answered with 200"):
        step.prepare(turn)


def test_a_redirect_is_not_followed(server: Server, turn: ATurn) -> None:
    server.replies = [(307, {"Location": f"{server.url}/other"}, b"")]
    with pytest.raises(StepFailed, match="redirects are not followed: 'url' must be the final address"):
        Call(url=server.url).prepare(turn)
    assert len(server.asked) == 1


def test_an_answer_without_end_is_not_read_to_it(server: Server, turn: ATurn) -> None:
    server.replies = [(400, {}, b"x" * 10_000_000)]
    with pytest.raises(StepFailed) as failure:
        Call(url=server.url).prepare(turn)
    assert len(str(failure.value)) < 300


def test_where_nobody_listens_yet_it_tries_again_until_somebody_does(turn: ATurn) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        step = Call(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(TimeIsUp, match=r"not done within 0\.2 s: POST to http://127.*Connection refused"):
            step.prepare(ATurn(spool=turn.spool, limit=0.2))
        listener.listen()
        answering = threading.Thread(target=lambda: _answer(listener, b"HTTP/1.1 200 OK\r\n\r\n"))
        answering.start()
        step.prepare(turn)
        answering.join()


def _answer(listener: socket.socket, words: bytes) -> None:
    connection, _ = listener.accept()
    with connection:
        connection.recv(65536)
        connection.sendall(words)


@pytest.mark.parametrize("ends", [pytest.param(ATurn.stop, id="called-off"), pytest.param(None, id="at-the-limit")])
def test_a_server_that_drips_cannot_hold_it(ends: Callable[[ATurn], None] | None, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path, limit=10 if ends else 0.3)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            with listener.accept()[0] as connection:
                if ends:
                    ends(turn)
                while not over.wait(0.02):
                    try:
                        connection.sendall(b"H")
                    except OSError:  # it has hung up, as it should
                        return

        dripping = threading.Thread(target=drip)
        dripping.start()
        with pytest.raises(Stopped if ends else TimeIsUp):
            Call(url=f"http://127.0.0.1:{listener.getsockname()[1]}").prepare(turn)
        dripping.join(timeout=5)
        assert not dripping.is_alive()
        over.set()


def test_a_certificate_is_checked(tmp_path: Path, turn: ATurn) -> None:
    with serving(ServerTls(tmp_path, [], wall())) as server:
        with pytest.raises(StepFailed, match="its certificate is not trusted: "):
            Call(url=server.url).prepare(turn)
        assert server.asked == []
        Call(url=server.url, ca_file=tmp_path / "ca.pem").prepare(turn)
        assert len(server.asked) == 1


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_cannot_be_read_are_named(tmp_path: Path, turn: ATurn, content: str | None) -> None:
    if content:
        (tmp_path / "ca.pem").write_text(content)
    with pytest.raises(StepFailed, match=r"the certificates in .*ca\.pem cannot be read"):
        Call(url="https://127.0.0.1:9", ca_file=tmp_path / "ca.pem").prepare(turn)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({}, "'url' is missing", id="no-url"),
        pytest.param({"url": "ftp://x"}, "begins with http:// or https:// and a host", id="other-scheme"),
        pytest.param({"url": "http:///x"}, "begins with http:// or https:// and a host", id="no-host"),
        pytest.param({"url": "http://x:y/"}, "Port could not be cast", id="bad-port"),
        pytest.param({"url": "https://me:hush@x/"}, "use 'header_files' for Authorization", id="password"),
        pytest.param({"url": "http://x", "restore_url": "x"}, "begins with http://", id="bad-restore-url"),
        pytest.param({"url": "http://x", "method": "GET /"}, "'GET /' is no method", id="bad-method"),
        pytest.param({"url": "http://x", "headers": {"A b": "c"}}, "'A b' is no method or header", id="bad-header"),
        pytest.param({"url": "http://x", "headers": {"A": "b\nC: d"}}, "signs that no header may", id="bad-value"),
        pytest.param(
            {"url": "http://x", "headers": {"A": "b"}, "header_files": {"a": "/b"}}, "given twice", id="header-twice"
        ),
    ],
)
def test_what_cannot_be_called_is_refused(options: dict[str, object], reason: str) -> None:
    with pytest.raises(BadConfig, match=reason) as refusal:
        read_options(Call, options, "steps.x")
    assert "hush" not in str(refusal.value)


def test_it_tells_whom_it_calls() -> None:
    step = Call(url="https://lb.example/hidden", restore_method="DELETE")
    assert step.told() == ("POST to https://lb.example", "DELETE to https://lb.example")
