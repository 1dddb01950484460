"""One mail, over a real conversation."""

import threading
from pathlib import Path
from typing import Any

import pytest

from forewarn.access.certificates import ServerTls
from forewarn.agent.sending import NotTaken, TryLater, Undelivered, Wire, deliver
from forewarn.agent.steps.notify import Notify, To
from forewarn.wiring.minting import wall
from tests.agent.mailbox import a_mailbox
from tests.agent.receivers import PATIENCE, dripping, silent
from tests.agent.sending.messages import a_message


def a_step(port: int, **options: Any) -> Notify:
    plain = {"starttls": False, "sender": "vm@example.org", "recipients": ("ops@example.org", "b@example.org")}
    return Notify(**{"to": To.EMAIL, "smtp": f"localhost:{port}", **plain, **options})


def test_a_mail_says_what_happens_to_whom() -> None:
    with a_mailbox() as box:
        took = deliver(a_step(box.port), a_message(note="mind the gap"), Wire(PATIENCE))
        mail = box.next()
    assert took == f"localhost:{box.port} took it"
    assert (mail.sender, mail.recipients) == ("vm@example.org", ("ops@example.org", "b@example.org"))
    headers = {name: str(mail.message[name]) for name in ("From", "To", "Subject", "Date", "Message-ID")}
    assert headers == {
        "From": "vm@example.org",
        "To": "ops@example.org, b@example.org",
        "Subject": "vm é: Reboot seen",
        "Date": "Thu, 01 Jan 2026 12:00:00 +0000",
        "Message-ID": "<id-1@forewarn.invalid>",
    }
    text = mail.message.get_content().replace("\r\n", "\n")
    assert text.startswith("vm é: Reboot\n\n")
    assert "note: mind the gap" in text


def test_no_fact_can_add_a_header_to_a_mail() -> None:
    with a_mailbox() as box:
        step = a_step(box.port, subject="{description}")
        deliver(step, a_message(description="a\r\nBcc: evil@example.org\r\n\r\nb\n.\nQUIT"), Wire(PATIENCE))
        mail = box.next()
    assert mail.message["Bcc"] is None
    assert mail.message["Subject"] == "a Bcc: evil@example.org b . QUIT"


def test_a_password_is_sent_over_tls_alone(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("s3cret\n")
    tls = ServerTls(tmp_path / "tls", [], wall())
    login = {"starttls": True, "user": "vm", "password_file": tmp_path / "password"}
    with a_mailbox(tls.context) as box:
        with pytest.raises(TryLater, match="certificate is not trusted"):
            deliver(a_step(box.port, **login), a_message(), Wire(PATIENCE))
        deliver(a_step(box.port, ca_file=tmp_path / "tls" / "ca.pem", **login), a_message(), Wire(PATIENCE))
        mail = box.next()
    assert (mail.encrypted, mail.login) == (True, "vm:s3cret")


def test_without_starttls_on_offer_nothing_is_sent() -> None:
    with a_mailbox() as box, pytest.raises(TryLater, match="does not offer"):
        deliver(a_step(box.port, starttls=True), a_message(), Wire(PATIENCE))
    assert box.inbox.empty()


@pytest.mark.parametrize(
    ("refusals", "fate", "words"),
    [
        pytest.param({"MAIL": "550 s3cret"}, NotTaken, r"refuses the mail \(550\)", id="the-sender"),
        pytest.param({"DATA": "451 s3cret"}, TryLater, r"refuses the mail \(451\)", id="for-now"),
        pytest.param({"RCPT": "550 s3cret"}, NotTaken, r"every recipient \(550\)", id="every-recipient"),
        pytest.param(
            {"RCPT TO:<ops": "450 s3cret", "RCPT TO:<b": "550 s3cret"}, TryLater, r"\(450\)", id="one-of-them-for-now"
        ),
    ],
)
def test_a_refusal_is_for_good_or_for_now(refusals: dict[str, str], fate: type[Undelivered], words: str) -> None:
    with a_mailbox() as box:
        box.refusals = refusals
        with pytest.raises(fate, match=words) as raised:
            deliver(a_step(box.port), a_message(), Wire(PATIENCE))
    assert "s3cret" not in str(raised.value)


def test_a_wrong_password_is_refused_for_good(tmp_path: Path) -> None:
    (tmp_path / "password").write_text("s3cret")
    tls = ServerTls(tmp_path / "tls", [], wall())
    login = {"starttls": True, "user": "vm", "password_file": tmp_path / "password"}
    with a_mailbox(tls.context) as box:
        box.refusals = {"AUTH": "535 s3cret"}
        with pytest.raises(NotTaken, match=r"refuses user and password \(535\)$"):
            deliver(a_step(box.port, ca_file=tmp_path / "tls" / "ca.pem", **login), a_message(), Wire(PATIENCE))


def test_a_missing_password_can_be_mended(tmp_path: Path) -> None:
    login = {"starttls": True, "user": "vm", "password_file": tmp_path / "password"}
    with pytest.raises(TryLater, match="password: No such file"):
        deliver(a_step(1, **login), a_message(), Wire(PATIENCE))


def test_who_takes_it_for_some_is_said_to_refuse_the_others() -> None:
    with a_mailbox() as box:
        box.refusals = {"RCPT TO:<b@": "550 no"}
        assert deliver(a_step(box.port), a_message(), Wire(PATIENCE)).endswith("took it, but not for b@example.org")
        assert box.next().recipients == ("ops@example.org",)


def test_a_mail_server_that_says_nothing_is_given_up() -> None:
    with silent() as port, pytest.raises(TryLater, match=r"did not answer within 0\.1 s"):
        deliver(a_step(port), a_message(), Wire(0.1))


def test_a_greeting_that_never_ends_can_be_cut_off() -> None:
    with dripping() as (port, hung_up):
        wire = Wire(PATIENCE)
        threading.Timer(0.05, wire.cut).start()
        with pytest.raises(TryLater):
            deliver(a_step(port), a_message(), wire)
        assert hung_up.wait(PATIENCE)


def test_nobody_there_is_tried_again() -> None:
    with pytest.raises(TryLater, match="Connection refused"):
        deliver(a_step(1), a_message(), Wire(PATIENCE))
