"""The Kubernetes API as HTTPS and JSON: what may pass is asked again within the limit, what is refused is explained.

The server's certificate is always verified. The token is read anew for each request, as whoever issues it renews it in
its file.
"""

import json
import os
import ssl
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from http.client import HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from forewarn.agent.errors import StepFailed, TimeIsUp
from forewarn.agent.turns import Turn

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
"""Where every pod finds its service account."""
MERGE_PATCH = "application/merge-patch+json"
MANAGER = "forewarn-agent"
"""The name under which the server remembers which fields are ours."""

ANSWER_WITHIN = 5.0
LARGEST = 16 << 20
PASSING = frozenset({429, 500, 502, 503, 504})
"""Statuses of a server that is overloaded, restarting or changing its leader."""
PAUSES = (0.2, 5.0)
"""Seconds before the second attempt, which double up to the most."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    status: int
    body: Mapping[str, Any]
    retry_after: float | None = None
    """Seconds, if the server says when to come back."""

    @property
    def message(self) -> str:
        return str(self.body.get("message") or "no reason given").rstrip(".")

    @property
    def causes(self) -> Mapping[str, str]:
        """What exactly is wrong, by the reason's name."""
        causes = (self.body.get("details") or {}).get("causes") or ()
        return {str(cause.get("reason")): str(cause.get("message", "")).rstrip(".") for cause in causes}

    @property
    def is_refusal(self) -> bool:
        """A namespace that is being deleted takes nothing new, and says 403; that is not about who asks."""
        return self.status == 401 or (self.status == 403 and "NamespaceTerminating" not in self.causes)

    def expect(self, *statuses: int) -> Mapping[str, Any]:
        if self.status not in statuses:
            raise StepFailed(f"The Kubernetes API server answered {self.status}: {self.message}.")
        return self.body


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    server: str
    context: ssl.SSLContext
    token_file: Path | None

    def call(
        self, turn: Turn, method: str, path: str, body: object = None, *, right: str, mine: Collection[int] = ()
    ) -> Reply:
        """Any answer but a refusal; a passing trouble only if the caller deals with it (`mine`).

        `right` is what the agent must be allowed to do, as a role says it: `get nodes`.
        """
        pause, most = PAUSES
        while True:
            turn.pause(0)
            try:
                reply = self._ask(turn, method, path, body)
            except (OSError, HTTPException) as error:
                why, wait = f"{self.server} cannot be reached: {str(error) or type(error).__name__}", pause
            else:
                if reply.is_refusal:
                    raise StepFailed(self._explained(reply, right))
                if reply.status not in PASSING or reply.status in mine:
                    return reply
                why, wait = f"{self.server} answers {reply.status}: {reply.message}", reply.retry_after or pause
            patiently(turn, wait, why)
            pause = min(2 * pause, most)

    def _ask(self, turn: Turn, method: str, path: str, body: object) -> Reply:
        """A connection for each request: there are few of them, and none can have gone stale."""
        parts = urlsplit(self.server)
        headers = {"Accept": "application/json", "User-Agent": MANAGER, **self._identity()}
        if body is not None:
            headers["Content-Type"] = MERGE_PATCH if method == "PATCH" else "application/json"
        data = None if body is None else json.dumps(body).encode()
        timeout = max(min(ANSWER_WITHIN, turn.left()), 0.01)
        connection = HTTPSConnection(str(parts.hostname), parts.port, timeout=timeout, context=self.context)
        try:
            connection.request(method, parts.path.rstrip("/") + path, data, headers)
            answer = connection.getresponse()
            content = answer.read(LARGEST + 1)
            return Reply(
                status=answer.status,
                body=_read(answer.status, answer.reason, content),
                retry_after=_seconds(answer.headers.get("Retry-After")),
            )
        except ssl.SSLCertVerificationError as error:
            text = f"The certificate of {self.server} is not to be trusted ({error.verify_message}): check 'ca_file'."
            raise StepFailed(text) from None
        finally:
            connection.close()

    def _identity(self) -> dict[str, str]:
        if self.token_file is None:
            return {}
        try:
            token = self.token_file.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a token"
            raise StepFailed(f"The token in {self.token_file} cannot be read: {reason}.") from None
        if not token or not token.isprintable() or " " in token:
            raise StepFailed(f"{self.token_file} does not hold one token and nothing else.")
        return {"Authorization": f"Bearer {token}"}

    def _explained(self, reply: Reply, right: str) -> str:
        if reply.status == 401:
            who = f"the token in {self.token_file}" if self.token_file else "the client certificate"
            return f"{self.server} does not accept {who}: it is wrong, or has expired ({reply.message})."
        return (
            f"{self.server} does not let the agent {right}: {reply.message}. "
            "The ClusterRole forewarn-agent, as shipped, has every right that is needed."
        )


def patiently(turn: Turn, seconds: float, why: str) -> None:
    """A pause; if the limit comes first, the reason for waiting is told with it."""
    try:
        turn.pause(seconds)
    except TimeIsUp as error:
        raise TimeIsUp(f"{error}: {why}") from None


def connect(
    *, server: str, ca_file: Path | None, token_file: Path | None, client_cert: Path | None, client_key: Path | None
) -> Api:
    """Without a server: the cluster whose pod this is, as its service account."""
    if not server:
        server = _cluster_of_this_pod()
        ca_file, token_file = ca_file or ACCOUNT / "ca.crt", token_file or ACCOUNT / "token"
    return Api(server=server.rstrip("/"), context=_trust(ca_file, client_cert, client_key), token_file=token_file)


def _cluster_of_this_pod() -> str:
    host, port = os.environ.get("KUBERNETES_SERVICE_HOST"), os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    if not host:
        raise StepFailed("The agent does not run in a pod, so it must be told where the API server is: set 'server'.")
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"


def _trust(ca_file: Path | None, client_cert: Path | None, client_key: Path | None) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=ca_file)
    except OSError as error:
        raise StepFailed(f"The authority in {ca_file} cannot be read: {error.strerror or error}.") from None
    # On by default from Python 3.13: it refuses the authorities of many clusters, which have no key identifier.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    if client_cert is not None:
        try:
            context.load_cert_chain(
                client_cert, client_key, password=""
            )  # a key with a password is refused, not asked for
        except OSError as error:
            text = f"The client certificate {client_cert} cannot be used: {error.strerror or error}."
            raise StepFailed(text) from None
    return context


def _read(status: int, reason: str, content: bytes) -> Mapping[str, Any]:
    if len(content) > LARGEST:
        raise StepFailed(f"The Kubernetes API server answered with more than {LARGEST >> 20} MiB.")
    try:
        body = json.loads(content)
    except ValueError:
        body = None
    if isinstance(body, dict):
        return body
    if status < 300:
        raise StepFailed("What answers at 'server' is no Kubernetes API: it does not speak JSON.")
    return {"message": reason}


def _seconds(text: str | None) -> float | None:
    return min(float(text), 60.0) if text is not None and text.isdecimal() else None
