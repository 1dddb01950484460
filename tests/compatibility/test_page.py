from pathlib import Path

import pytest

from tests.compatibility.client import Client, Place
from tests.compatibility.clients import CLIENTS, TERMINATION
from tests.compatibility.installing import PACKAGES
from tests.compatibility.page import page

REPORT = {
    "counts": {"passed": 1, "failed": 1, "does not apply": 1, "not tried": 0},
    "checks": [
        {"id": "own-machine", "title": "acts for itself", "verdict": "failed", "reason": "POST | of web_1\nmore"},
        {"id": "metadata-header", "title": "keeps Metadata: true", "verdict": "passed", "reason": ""},
        {"id": "pending-deletes", "title": "approves them all", "verdict": "does not apply", "reason": "an observer"},
    ],
}


def test_the_page_tells_every_client_and_what_doctor_said_of_it() -> None:
    text = page([(client, REPORT if client is TERMINATION else None) for client in CLIENTS], "2026-11-15")
    assert all(f"\n## {client.name}\n" in text for client in CLIENTS)
    assert "| 1 of 2 |" in text, "what does not apply is neither passed nor failed"
    assert "| `own-machine` | … acts for itself | POST \\| of web_1 |" in text
    assert "Passed: `metadata-header`.\n\nDoes not apply: `pending-deletes`." in text
    assert text.count("| not run |") == len(CLIENTS) - 1


@pytest.mark.parametrize("client", [pytest.param(client, id=client.name.replace(" ", "-")) for client in CLIENTS])
def test_a_client_is_started_from_what_installing_fetches(client: Client, tmp_path: Path) -> None:
    assert set(client.packages) <= set(PACKAGES)
    command = " ".join(client.command(Place(directory=tmp_path)))
    assert all(str(package.place) in command for package in client.packages)


def test_no_two_clients_have_one_name() -> None:
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
