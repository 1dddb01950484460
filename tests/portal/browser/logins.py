"""Links into the portal for others than whoever started Forewarn."""

import json
import urllib.request
from dataclasses import replace
from typing import Any

from forewarn.access.files import read_local, token_in, token_request
from tests.e2e.running import Up


def link_for(forewarn: Up, name: str, role: str) -> str:
    """Somebody new with that role."""
    made = json.loads(forewarn.cli("client", "add", name, "--json").stdout)
    assert forewarn.cli("role", "assign", name, role).returncode == 0
    local = read_local(forewarn.data)
    assert local is not None
    asked = token_request(replace(local, client_id=name, client_secret=made["secret"]))
    token = token_in(_sent(forewarn.control + asked.path, asked.headers, asked.body))
    link = _sent(f"{forewarn.control}/forewarn/v1/portal/links", {"Authorization": f"Bearer {token}"}, b"")
    told: dict[str, Any] = json.loads(link)
    return str(told["url"])


def _sent(url: str, headers: dict[str, str], body: bytes) -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=10) as answer:
        return bytes(answer.read())
