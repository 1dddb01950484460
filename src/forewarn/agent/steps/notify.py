"""Telling people and programs outside: this says whom and when. The agent tells them at those moments, from its outbox,
so the step has nothing to prepare or to restore, and never holds a chain up."""

import re
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from datetime import timedelta
from enum import Enum
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from forewarn.agent.bodies import JSON, check_template
from forewarn.agent.moments import Moment
from forewarn.agent.turns import Turn

MOST = 65536
"""Bytes of a file that holds a secret."""


class To(Enum):
    """The forms that are spoken."""

    WEBHOOK = "webhook"  # any HTTP receiver, with a body of your own
    SLACK = "slack"  # an incoming webhook of Slack
    TEAMS = "teams"  # a webhook of Microsoft Teams' Workflows
    EMAIL = "email"  # over SMTP
    CLOUDEVENTS = "cloudevents"  # CloudEvents 1.0 over HTTP


class Mode(Enum):
    STRUCTURED = "structured"  # all of it is one JSON document
    BINARY = "binary"  # the attributes are headers, the data is the body


@dataclass(frozen=True, kw_only=True, slots=True)
class Notify:
    to: To
    """`webhook`, `slack`, `teams`, `email` or `cloudevents`."""
    at: tuple[Moment, ...] = tuple(Moment)
    """When: any of `seen`, `ready`, `started`, `over`, `failed`."""
    timeout: timedelta = timedelta(seconds=10)
    """How long one try may take in all, from 100ms to 1m."""
    ca_file: Path | None = None
    """Certificates to trust instead of the system's, in PEM."""
    url: str = ""
    """Where to post to, if there is no secret in it. It is copied into the journal."""
    url_file: Path | None = None
    """A file that holds the address and nothing else. Slack's and Teams' addresses are secrets: they want this one."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """More headers, if there is no secret in them."""
    headers_file: Path | None = None
    """A file of lines `Name: value`, for headers that are secret."""
    template: str = ""
    """The webhook's body, with names such as `{type}` to be replaced; all facts as JSON, if it does not say."""
    mode: Mode = Mode.STRUCTURED
    """CloudEvents: `structured` or `binary`."""
    smtp: str = ""
    """The mail server, as `host:port`."""
    starttls: bool = True
    """Refuse to go on without TLS; `false` only for a mail server on this machine or network."""
    user: str = ""
    """For a mail server that wants a login."""
    password_file: Path | None = None
    """A file that holds that user's password and nothing else."""
    sender: str = ""
    """The address the mail is from."""
    recipients: tuple[str, ...] = ()
    """The addresses it is for."""
    subject: str = "{me}: {type} {moment}"
    """The mail's subject; names as in `template`."""

    def __post_init__(self) -> None:
        if not self.at:
            raise ValueError("'at' is empty: nothing would ever be told")
        if not timedelta(milliseconds=100) <= self.timeout <= timedelta(minutes=1):
            raise ValueError("'timeout' is from 100ms to 1m")
        _check_owners(self)
        if self.to is To.EMAIL:
            _check_mail(self)
        else:
            _check_web(self)

    def prepare(self, turn: Turn) -> None:
        pass

    def restore(self, turn: Turn) -> None:
        pass

    def told(self) -> tuple[str, str]:
        moments = ", ".join(moment.value for moment in self.at)
        whom = f"{', '.join(self.recipients)} by " if self.to is To.EMAIL else ""
        return f"tell {whom}{self.where()} ({self.to.value}) at {moments}", ""

    def where(self) -> str:
        """For logs and people: the host, since the rest of an address may be secret."""
        if self.to is To.EMAIL:
            return self.smtp
        try:
            return self.address().netloc
        except (OSError, ValueError):
            return f"the address in {self.url_file}"

    def address(self) -> SplitResult:
        """Raises OSError, and ValueError with words that do not show the address."""
        return read_address(self.url or read_secret(self.url_file), "'url'" if self.url else str(self.url_file))

    def all_headers(self) -> dict[str, str]:
        """Raises OSError, and ValueError with words that do not show a value."""
        secret = read_secret(self.headers_file) if self.headers_file else ""
        pairs = [line.partition(":")[::2] for line in secret.splitlines() if line.strip()]
        headers = {name.strip(): value.strip() for name, value in pairs}
        _check_headers(headers, str(self.headers_file))
        return {**self.headers, **headers}

    def mail_server(self) -> tuple[str, int]:
        host, _, port = self.smtp.rpartition(":")
        if not host or not port.isdigit() or not 0 < int(port) < 65536:
            raise ValueError("'smtp' is wanted as host:port, such as mail.example.org:587")
        return host.strip("[]"), int(port)


def read_secret(path: Path | None) -> str:
    assert path is not None
    with path.open("rb") as file:
        try:
            return file.read(MOST).decode().strip()
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not UTF-8") from None


def read_address(text: str, whence: str) -> SplitResult:
    wrong = ValueError(f"{whence} holds no http:// or https:// address")
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # whose words show a part of it
        raise wrong from None
    if not known or " " in text or not (text.isascii() and text.isprintable()):
        raise wrong
    if "@" in parts.netloc:
        raise ValueError(f"{whence} holds a user name: put an Authorization header into 'headers_file' instead")
    return parts


WEB = frozenset(To) - {To.EMAIL}
OWNERS: dict[str, frozenset[To]] = {
    **dict.fromkeys(("url", "url_file", "headers", "headers_file"), WEB),
    **dict.fromkeys(
        ("smtp", "starttls", "user", "password_file", "sender", "recipients", "subject"), frozenset({To.EMAIL})
    ),
    "template": frozenset({To.WEBHOOK}),
    "mode": frozenset({To.CLOUDEVENTS}),
}
"""Which forms an option is for; the others refuse it."""
OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "idempotency-key"})
SECRET = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key", "aeg-sas-key", "aeg-sas-token"})
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_MAILBOX = re.compile(r"[^\s@<>,;:\"\\]+@[^\s@<>,;:\"\\]+")


def _check_owners(step: Notify) -> None:
    for option in fields(Notify):
        owners = OWNERS.get(option.name, frozenset(To))
        unset = option.default if option.default is not MISSING else {}
        if step.to not in owners and getattr(step, option.name) != unset:
            raise ValueError(f"{option.name!r} is for {', '.join(sorted(to.value for to in owners))}")


def _check_web(step: Notify) -> None:
    if bool(step.url) == (step.url_file is not None):
        raise ValueError("either 'url' or 'url_file' is wanted")
    if step.url and step.to in (To.SLACK, To.TEAMS):
        raise ValueError("such an address is a secret: put it into a file that only the agent can read, as 'url_file'")
    if step.url:
        read_address(step.url, "'url'")
    _check_headers(step.headers, "'headers'")
    for name in step.headers:
        if name.lower() in SECRET:
            raise ValueError(f"{name} is a secret: put it into a file that only the agent can read, as 'headers_file'")
    if not step.template and content_type(step.headers) != JSON:
        raise ValueError("a Content-Type of your own needs a 'template' to go with it")
    if step.template:
        check_template(step.template, content_type(step.headers))


def _check_headers(headers: Mapping[str, str], whence: str) -> None:
    for name, value in headers.items():
        if not _NAME.fullmatch(name) or not (value.isascii() and value.isprintable()):
            raise ValueError(f"{whence} holds what is no header")
        if name.lower() in OURS or name.lower().startswith("ce-"):
            raise ValueError(f"{whence}: {name} is set by the agent itself")


def _check_mail(step: Notify) -> None:
    step.mail_server()
    for address in (step.sender, *step.recipients):
        if not _MAILBOX.fullmatch(address):
            raise ValueError(
                f"{address!r} is no mail address; 'sender' and 'recipients' are wanted as name@example.org"
            )
    if not step.recipients:
        raise ValueError("'recipients' are wanted")
    if bool(step.user) != (step.password_file is not None):
        raise ValueError("'user' and 'password_file' go together")
    if step.user and not step.starttls:
        raise ValueError("'starttls' is needed with 'user': a password is not sent in the clear")


def content_type(headers: Mapping[str, str]) -> str:
    return next((value for name, value in headers.items() if name.lower() == "content-type"), JSON)
