"""One mail over SMTP: with TLS unless told otherwise, its time bounded."""

import smtplib
import socket
from email.message import EmailMessage
from email.utils import format_datetime

from forewarn.agent.sending import Message, NotTaken, TryLater, Undelivered, Wire
from forewarn.agent.sending.tls import trusting
from forewarn.agent.sending.troubles import unreached
from forewarn.agent.steps.notify import Notify, read_secret
from forewarn.agent.templates import put
from forewarn.agent.wording import short

SUBJECT = 200
"""Characters of a subject at most."""


def post(step: Notify, message: Message, wire: Wire) -> str:
    try:
        password = read_secret(step.password_file) if step.password_file else ""
    except OSError as error:
        raise TryLater(f"{error.filename}: {error.strerror}") from None
    except ValueError as error:
        raise TryLater(str(error)) from None
    try:
        refused = _handed_over(step, written(step, message), password, wire)
    except (OSError, smtplib.SMTPException) as error:
        raise _judged(step.smtp, error, wire.limit) from None
    return f"{step.smtp} took it" + (f", but not for {', '.join(sorted(refused))}" if refused else "")


def written(step: Notify, message: Message) -> EmailMessage:
    mail = EmailMessage()
    mail["From"] = step.sender
    mail["To"] = ", ".join(step.recipients)
    mail["Subject"] = short(put(step.subject, {**message.facts, "text": message.text}), SUBJECT)
    mail["Date"] = format_datetime(message.at)
    mail["Message-ID"] = f"<{message.id}@forewarn.invalid>"
    mail["Auto-Submitted"] = "auto-generated"  # no holiday notes in answer
    facts = "\n".join(f"{name}: {short(value)}" for name, value in message.facts.items() if value and name != "text")
    mail.set_content(f"{message.text}\n\n{facts}\n")
    return mail


class _Server(smtplib.SMTP):
    """Its socket can be cut from the first moment on; the greeting is read before the constructor is done."""

    def __init__(self, wire: Wire, host: str, port: int) -> None:
        self._wire = wire
        # Its own default asks the DNS for this machine's full name, which can take long.
        super().__init__(host, port, local_hostname=socket.gethostname(), timeout=wire.limit)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        connection = socket.create_connection((host, port), timeout)
        self._wire.holds(connection)
        return connection


def _handed_over(step: Notify, mail: EmailMessage, password: str, wire: Wire) -> set[str]:
    """The recipients that were refused, if others were not."""
    server = _Server(wire, *step.mail_server())
    try:
        if step.starttls:
            server.starttls(context=trusting(step))
            assert server.sock is not None
            wire.holds(server.sock)
        if step.user:
            server.login(step.user, password)
        refused = server.send_message(mail, step.sender, step.recipients)
        server.putcmd("quit")  # without waiting: it has the mail
        return set(refused)
    finally:
        server.close()


def _judged(where: str, error: Exception, limit: float) -> Undelivered:
    match error:
        case smtplib.SMTPRecipientsRefused():
            codes = [code for code, _ in error.recipients.values()]
            return _by_code(where, min(codes), "refuses every recipient")
        case smtplib.SMTPAuthenticationError():
            return _by_code(where, error.smtp_code, "refuses user and password")
        case smtplib.SMTPResponseException():
            return _by_code(where, error.smtp_code, "refuses the mail")
        case smtplib.SMTPNotSupportedError():
            return TryLater(f"{where} does not offer what is needed (STARTTLS, a login, or UTF-8 in addresses)")
        case smtplib.SMTPServerDisconnected():
            return TryLater(f"{where} broke the connection off, or did not answer within {limit:g} s")
        case _:
            return unreached(where, error, limit)


def _by_code(where: str, code: int, what: str) -> Undelivered:
    words = f"{where} {what} ({code})"
    return NotTaken(words) if 500 <= code < 600 else TryLater(words)
