"""Calls an HTTP service before an event, and once more after it.

It is called at least once: it tries again when nobody answers or the service says that it cannot now, and after a crash
of the agent. Redirects are not followed, so that no header is carried to where nobody has allowed it. Certificates are
always checked. Nothing that could be a secret is told, and of an address that is all but its host.
"""

import os
import re
import ssl
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from urllib.parse import urlsplit

from forewarn.agent.errors import StepFailed, TimeIsUp
from forewarn.agent.steps.http_exchange import Request, exchange
from forewarn.agent.steps.http_texts import Texts
from forewarn.agent.turns import Turn

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 10.0
NOT_NOW = (429, *range(500, 600))
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t -~\x80-\xff]*")


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    url: str
    """Where to, with http:// or https://. `{event}` and the like are filled in, here and in bodies and headers."""
    method: str = "POST"
    """How it is called to prepare."""
    body: str = ""
    """What is sent to prepare; "" for nothing."""
    restore_url: str = ""
    """Where to, to restore; as `url`, if it does not say."""
    restore_method: str = ""
    """How it is called to restore; as `method`, if it does not say."""
    restore_body: str = ""
    """What is sent to restore; "" for nothing."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Header fields. Content-Type is application/json, if there is a body and they do not say."""
    header_files: Mapping[str, Path] = field(default_factory=dict)
    """Header fields with secret values: for each, the file that holds the whole value."""
    header_variables: Mapping[str, str] = field(default_factory=dict)
    """Header fields with secret values: for each, the agent's environment variable that holds the whole value."""
    statuses: tuple[int, ...] = ()
    """The answers that mean success; any from 200 to 299, if it does not say."""
    ca_file: Path | None = None
    """The certificates (PEM) that the server's own is checked against; the system's, if it does not say."""

    def __post_init__(self) -> None:
        for url in filter(None, (self.url, self.restore_url)):
            _check_url(url)
        for token in filter(None, (self.method, self.restore_method, *self._header_names())):
            if not _TOKEN.fullmatch(token):
                raise ValueError(f"{token!r} is no method or header field of HTTP")
        names = [name.lower() for name in self._header_names()]
        if len(set(names)) < len(names):
            raise ValueError("a header field is given twice")
        for name, value in self.headers.items():
            if not _VALUE.fullmatch(value):
                raise ValueError(f"the value of {name} has signs that no header may have, such as a line break")

    def prepare(self, turn: Turn) -> None:
        self._call(self.method, self.url, self.body, Texts(event=turn.event, me=turn.me, direction="prepare"), turn)

    def restore(self, turn: Turn) -> None:
        if self._is_undone:
            texts = Texts(event=turn.event, me=turn.me, direction="restore")
            self._call(self.restore_method or self.method, self.restore_url or self.url, self.restore_body, texts, turn)

    def told(self) -> tuple[str, str]:
        restore = f"{self.restore_method or self.method} to {_host_of(self.restore_url or self.url)}"
        return f"{self.method} to {_host_of(self.url)}", restore if self._is_undone else ""

    @property
    def _is_undone(self) -> bool:
        return bool(self.restore_url or self.restore_method or self.restore_body)

    def _header_names(self) -> Iterable[str]:
        return (*self.headers, *self.header_files, *self.header_variables)

    def _call(self, method: str, url: str, body: str, texts: Texts, turn: Turn) -> None:
        secrets = {**_from_files(self.header_files), **_from_environment(self.header_variables)}
        request = self._request(method, texts.url(url), body, texts, secrets)
        pause, reason = FIRST_PAUSE, "nobody has answered"
        try:
            while trouble := self._trouble(request, secrets, turn):
                reason = trouble.reason
                turn.say(f"{reason}; trying again")
                turn.pause(max(pause, trouble.after))
                pause = min(pause * 2, LONGEST_PAUSE)
        except TimeIsUp as error:
            raise TimeIsUp(f"{error}: {reason}") from None

    def _request(self, method: str, url: str, body: str, texts: Texts, secrets: Mapping[str, str]) -> Request:
        headers = {"User-Agent": "forewarn-agent", **{name: texts.header(self.headers[name]) for name in self.headers}}
        content_type = next((headers[name] for name in headers if name.lower() == "content-type"), "")
        if body and not content_type:
            headers["Content-Type"] = content_type = "application/json"
        return Request(
            method=method,
            url=url,
            headers={**headers, **secrets},
            body=texts.body(body, content_type) if body else None,
            tls=_trust(self.ca_file) if urlsplit(url).scheme == "https" else None,
        )

    def _trouble(self, request: Request, secrets: Mapping[str, str], turn: Turn) -> "_NotNow | None":
        """None for success. Raises StepFailed if there is no use in trying again."""
        where = f"{request.method} to {_host_of(request.url)}"
        try:
            answer = exchange(request, turn)
        except ssl.SSLCertVerificationError as error:
            raise StepFailed(f"{where}: its certificate is not trusted: {error.verify_message}") from None
        except (OSError, HTTPException) as error:
            return _NotNow(reason=f"{where}: {_in_short(str(error)) or type(error).__name__}")
        except ValueError:  # such as a host name that cannot be one
            raise StepFailed(f"{where}: this is not a request that can be sent") from None
        if answer.status in self.statuses if self.statuses else 200 <= answer.status < 300:
            return None
        reason = (
            f"{where} was answered with {answer.status} {_in_short(_without(secrets.values(), answer.text))}".rstrip()
        )
        if answer.status in NOT_NOW:
            return _NotNow(reason=reason, after=answer.retry_after)
        if 300 <= answer.status < 400:
            reason = f"{reason}; redirects are not followed: 'url' must be the final address"
        raise StepFailed(reason)


@dataclass(frozen=True, kw_only=True, slots=True)
class _NotNow:
    reason: str
    after: float = 0.0
    """How many seconds the server would like to have before it is asked again."""


def _check_url(url: str) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.port == 0:
        raise ValueError("an address begins with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("an address with a password in it would be told to all: use 'header_files' for Authorization")


def _host_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _from_files(files: Mapping[str, Path]) -> dict[str, str]:
    values = {}
    for name, path in files.items():
        try:
            values[name] = _checked(name, path.read_text(encoding="latin-1").strip())
        except OSError as error:
            raise StepFailed(f"the value of {name} cannot be read from {path}: {error.strerror}") from None
    return values


def _from_environment(variables: Mapping[str, str]) -> dict[str, str]:
    for name, variable in variables.items():
        if variable not in os.environ:
            raise StepFailed(f"the value of {name} is not there: the agent has no variable {variable}")
    return {name: _checked(name, os.environ[variable].strip()) for name, variable in variables.items()}


def _checked(name: str, value: str) -> str:
    if not value or not _VALUE.fullmatch(value):
        raise StepFailed(f"the value of {name} is empty, or has signs that no header may have, such as a line break")
    return value


def _trust(ca_file: Path | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=ca_file)
    except OSError as error:  # also what OpenSSL cannot read
        raise StepFailed(f"the certificates in {ca_file} cannot be read: {error.strerror or error}") from None


def _without(secrets: Iterable[str], text: str) -> str:
    for secret in secrets:
        text = text.replace(secret, "…")
    return text


def _in_short(text: str) -> str:
    return " ".join(text.split())[:200]
