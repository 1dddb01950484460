"""The Kubernetes API as a test speaks it: plain HTTPS and JSON, every status told and none raised."""

import json
import ssl
import urllib.error
import urllib.request
from dataclasses import dataclass
from email.message import Message
from pathlib import Path
from typing import Any

MERGE_PATCH = "application/merge-patch+json"


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    status: int
    headers: Message
    content: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.content)

    def expect(self, *statuses: int) -> Any:
        assert self.status in statuses, f"{self.status} instead of {statuses}: {self.content.decode()}"
        return self.json


@dataclass(frozen=True, kw_only=True, slots=True)
class Api:
    """One who asks: the same server with another token is another Api."""

    url: str
    ca_file: Path
    token: str

    def call(self, method: str, path: str, body: Any = None, kind: str = "application/json") -> Answer:
        """Bytes go as they are (a manifest as people write it: `kind="application/yaml"`), anything else as JSON."""
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": kind}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        trust = urllib.request.HTTPSHandler(context=ssl.create_default_context(cafile=str(self.ca_file)))
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), trust)
        try:
            with opener.open(request, timeout=30) as answer:
                return Answer(status=answer.status, headers=answer.headers, content=answer.read())
        except urllib.error.HTTPError as refusal:
            with refusal:
                return Answer(status=refusal.code, headers=refusal.headers, content=refusal.read())

    def get(self, path: str) -> Any:
        return self.call("GET", path).expect(200)

    def create(self, path: str, body: Any) -> Any:
        return self.call("POST", path, body).expect(201)

    def merge(self, path: str, patch: dict[str, Any]) -> Any:
        return self.call("PATCH", path, patch, MERGE_PATCH).expect(200)
