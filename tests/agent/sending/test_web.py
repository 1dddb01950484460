"""One POST, and what its answer means."""

import json
import threading
from pathlib import Path
from typing import Any

import pytest

from forewarn.access.certificates import ServerTls
from forewarn.agent.sending import NotTaken, TryLater, Undelivered, Wire, deliver
from forewarn.agent.steps.notify import Notify, To
from forewarn.wiring.minting import wall
from tests.agent.receivers import PATIENCE, dripping, receiving, silent
from tests.agent.sending.messages import a_message


def a_step(url: str, **options: Any) -> Notify:
    return Notify(**{"to": To.WEBHOOK, "url": url, **options})


def test_what_is_posted_carries_its_id_and_the_headers_it_was_given(tmp_path: Path) -> None:
    (tmp_path / "headers").write_text("Authorization: Bearer s3cret\nX-Two:  2 \n\n")
    (tmp_path / "url").write_text("")
    with receiving() as receiver:
        (tmp_path / "url").write_text(receiver.url + "\n")
        step = Notify(
            to=To.WEBHOOK,
            url_file=tmp_path / "url",
            headers={"X-One": "1", "content-type": "text/plain"},
            headers_file=tmp_path / "headers",
            template="{moment} of {event}",
        )
        took = deliver(step, a_message(), Wire(PATIENCE))
        got = receiver.next()
    assert took == f"localhost:{receiver.port} took it"
    assert (got.path, got.body) == ("/hook/s3cret?sig=s3cret", b"seen of E1")
    wanted = {"idempotency-key": "id-1", "x-one": "1", "x-two": "2", "authorization": "Bearer s3cret"}
    assert wanted.items() <= got.headers.items()
    assert got.headers["content-type"] == "text/plain"


@pytest.mark.parametrize(
    ("status", "fate"),
    [
        (200, None),
        (202, None),
        (204, None),
        (302, TryLater),
        (400, NotTaken),
        (401, NotTaken),
        (404, NotTaken),
        (408, TryLater),
        (410, NotTaken),
        (429, TryLater),
        (500, TryLater),
        (503, TryLater),
        (799, TryLater),
    ],
)
def test_a_status_decides_whether_it_is_tried_again(status: int, fate: type[Undelivered] | None) -> None:
    with receiving() as receiver:
        receiver.answers = [(status, {"Location": receiver.url, "Retry-After": "120"})]
        if fate is None:
            deliver(a_step(receiver.url), a_message(), Wire(PATIENCE))
            return
        with pytest.raises(fate, match=rf"^localhost:\d+ answered {status}") as raised:
            deliver(a_step(receiver.url), a_message(), Wire(PATIENCE))
        assert receiver.inbox.qsize() == 1
    assert "s3cret" not in str(raised.value)
    assert not isinstance(raised.value, TryLater) or raised.value.after == 120


def test_a_receiver_is_only_trusted_by_its_certificate(tmp_path: Path) -> None:
    tls = ServerTls(tmp_path / "tls", [], wall())
    with receiving(tls.context) as receiver:
        with pytest.raises(TryLater, match="certificate is not trusted"):
            deliver(a_step(receiver.url), a_message(), Wire(PATIENCE))
        trusting = a_step(receiver.url, ca_file=tmp_path / "tls" / "ca.pem")
        deliver(trusting, a_message(), Wire(PATIENCE))
        assert json.loads(receiver.next().body)["event"] == "E1"


def test_the_name_in_the_certificate_must_be_the_receivers(tmp_path: Path) -> None:
    tls = ServerTls(tmp_path / "tls", [], wall())
    with receiving(tls.context) as receiver:
        step = a_step(f"https://127.1:{receiver.port}/", ca_file=tmp_path / "tls" / "ca.pem")
        with pytest.raises(TryLater, match="certificate is not trusted"):
            deliver(step, a_message(), Wire(PATIENCE))


def test_who_says_nothing_is_given_up() -> None:
    with silent() as port, pytest.raises(TryLater, match=r"no answer within 0\.1 s"):
        deliver(a_step(f"http://127.0.0.1:{port}/"), a_message(), Wire(0.1))


def test_who_never_ends_can_be_cut_off() -> None:
    with dripping() as (port, hung_up):
        wire = Wire(PATIENCE)
        threading.Timer(0.05, wire.cut).start()
        with pytest.raises(TryLater):
            deliver(a_step(f"http://127.0.0.1:{port}/"), a_message(), wire)
        assert hung_up.wait(PATIENCE)


def test_who_never_ends_can_be_cut_off_under_tls_too(tmp_path: Path) -> None:
    tls = ServerTls(tmp_path / "tls", [], wall())
    with dripping(tls.context) as (port, hung_up):
        wire = Wire(PATIENCE)
        threading.Timer(0.2, wire.cut).start()
        step = a_step(f"https://localhost:{port}/", ca_file=tmp_path / "tls" / "ca.pem")
        with pytest.raises(TryLater):
            deliver(step, a_message(), wire)
        assert hung_up.wait(PATIENCE)


def test_what_is_cut_before_it_is_connected_comes_to_nothing() -> None:
    with receiving() as receiver:
        wire = Wire(PATIENCE)
        wire.cut()
        with pytest.raises(TryLater):
            deliver(a_step(receiver.url), a_message(), wire)
        assert receiver.inbox.empty()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(None, "url: No such file", id="missing"),
        pytest.param("ftp://s3cret/", "url holds no http", id="another-protocol"),
        pytest.param("http://host:s3cret/", "url holds no http", id="no-port"),
        pytest.param("http://host/s3 cret", "url holds no http", id="with-a-space"),
        pytest.param("http://me:s3cret@host/", "holds a user name", id="with-a-password"),
        pytest.param(b"http://h/\xff", "url is not UTF-8", id="not-utf-8"),
        pytest.param("http://localhost:1/s3cret", "localhost:1: Connection refused", id="nobody-there"),
    ],
)
def test_a_wrong_address_is_told_without_showing_it(tmp_path: Path, content: str | bytes | None, words: str) -> None:
    if content is not None:
        (tmp_path / "url").write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(TryLater, match=words) as raised:
        deliver(Notify(to=To.SLACK, url_file=tmp_path / "url"), a_message(), Wire(PATIENCE))
    assert "s3" not in str(raised.value).replace(str(tmp_path), "")


def test_headers_that_are_none_are_told_without_showing_them(tmp_path: Path) -> None:
    (tmp_path / "headers").write_text("Authorization s3cret")
    with pytest.raises(TryLater, match="headers holds what is no header") as raised:
        deliver(a_step("http://localhost:1/", headers_file=tmp_path / "headers"), a_message(), Wire(PATIENCE))
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("content", "words"),
    [pytest.param(None, "ca: No such file", id="missing"), pytest.param("junk", "ca holds no certificate", id="junk")],
)
def test_a_wrong_ca_file_is_named(tmp_path: Path, content: str | None, words: str) -> None:
    if content is not None:
        (tmp_path / "ca").write_text(content)
    with pytest.raises(TryLater, match=words):
        deliver(a_step("https://localhost:1/", ca_file=tmp_path / "ca"), a_message(), Wire(PATIENCE))
