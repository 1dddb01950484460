from pathlib import Path

import pytest

from tests.compatibility.client import Client, Place
from tests.compatibility.clients import CLIENTS, TERMINATION
from tests.compatibility.installing import PACKAGES
from tests.compatibility.page import page

REPORT = {
    "checks": [
        {
            "title": "acts only for its own machine",
            "outcome": "failed",
            "evidence": ["POST | of web_1's event", "12:00:01"],
        },
        {"title": "keeps Metadata: true", "outcome": "passed", "evidence": ""},
        {"title": "approves all pending deletes", "outcome": "skipped", "evidence": "no scale set"},
    ]
}


def test_the_page_tells_every_client_and_what_doctor_said_of_it() -> None:
    text = page([(client, REPORT if client is TERMINATION else None) for client in CLIENTS])
    assert all(f"\n## {client.name}\n" in text for client in CLIENTS)
    assert "| 1 of 2 |" in text, "a skipped check is neither passed nor failed"
    assert "| acts only for its own machine | failed | POST \\| of web_1's event; 12:00:01 |" in text
    assert text.count("| not run |") == len(CLIENTS) - 1


@pytest.mark.parametrize("client", [pytest.param(client, id=client.name.replace(" ", "-")) for client in CLIENTS])
def test_a_client_is_started_from_what_installing_fetches(client: Client, tmp_path: Path) -> None:
    assert set(client.packages) <= set(PACKAGES)
    command = " ".join(client.command(Place(directory=tmp_path)))
    assert all(str(package.place) in command for package in client.packages)


def test_no_two_clients_have_one_name() -> None:
    assert len({client.name for client in CLIENTS}) == len(CLIENTS)
