"""What is recorded, of a real server, and what is not."""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forewarn.agent.recording import FILE, FILES, Recorder
from forewarn.client import HttpTransport, Request, Unreachable
from tests.client.rogue import Visit, answer, rogue

LOG = logging.getLogger("tests.agent.recording")
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
DOCUMENT, INSTANCE = "/metadata/scheduledevents?api-version=2020-07-01", "/metadata/instance?api-version=2021-02-01"
SECRETS = {
    "compute": {
        "name": "web_3",
        "tags": "password:hush",
        "tagsList": [{"name": "password", "value": "hush"}],
        "userData": "aHVzaA==",
        "customData": "hush",
        "publicKeys": [{"keyData": "ssh-rsa hush", "path": "/home/hush/.ssh/authorized_keys"}],
        "osProfile": {"adminUsername": "hush", "computerName": "web000003"},
        "storageProfile": {"osDisk": {"name": "disk", "encryptionSettings": {"secretUrl": "hush"}}},
    },
    "network": {"interface": []},
}


def replies(*bodies: bytes, status: str = "200 OK") -> Any:
    """One after the other on one connection, each with another date."""

    def manner(visit: Visit) -> None:
        for number, body in enumerate(bodies):
            if not visit.hear():
                return
            date = f"Date: Thu, 01 Jan 2026 12:00:{number:02} GMT"
            visit.say(answer(body, date, status="304 Not Modified" if body == b"" else status))

    return manner


@contextmanager
def recorder(folder: Path, largest: int = 1 << 20) -> Iterator[Recorder]:
    moments = iter(NOON + timedelta(seconds=n) for n in range(100_000))
    made = Recorder(HttpTransport(), folder, lambda: next(moments), LOG, largest)
    try:
        yield made
    finally:
        made.close()


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_an_answer_is_written_when_it_changes_and_counted_while_it_does_not(tmp_path: Path) -> None:
    one, two = b'{"DocumentIncarnation":1,"Events":[]}', b'{"DocumentIncarnation":2,"Events":[]}'
    with rogue(replies(one, one, b"", two)) as server, recorder(tmp_path) as made:
        for _ in range(4):
            made.send(Request(endpoint=server.endpoint, target=DOCUMENT))
    first, second, end = lines(tmp_path / FILE)
    assert (first["body"], first["status"], first["kind"]) == (one.decode(), 200, "document")
    assert first["fields"] == {"date": "Thu, 01 Jan 2026 12:00:00 GMT"}
    assert (second["body"], second["before"]["times"]) == (two.decode(), 3)
    assert (end["kind"], end["end"], end["before"]["times"]) == ("document", True, 1)
    assert first["at"] < second["before"]["until"] < second["at"]


def test_no_secret_of_the_instance_gets_in_and_the_line_tells_what_is_missing(tmp_path: Path) -> None:
    with rogue(replies(json.dumps(SECRETS).encode())) as server, recorder(tmp_path) as made:
        body = made.send(Request(endpoint=server.endpoint, target=INSTANCE)).body
    assert b"hush" in body
    text = (tmp_path / FILE).read_text()
    assert "hush" not in text
    assert "aHVzaA" not in text
    line = lines(tmp_path / FILE)[0]
    assert json.loads(line["body"])["compute"]["name"] == "web_3"
    assert json.loads(line["body"])["compute"]["osProfile"] == {"computerName": "web000003"}
    assert "compute.publicKeys" in line["removed"]
    assert "compute.storageProfile.osDisk.encryptionSettings" in line["removed"]


def test_an_instance_that_is_not_json_is_left_out_whole(tmp_path: Path) -> None:
    with rogue(replies(b"<html>hush</html>")) as server, recorder(tmp_path) as made:
        made.send(Request(endpoint=server.endpoint, target=INSTANCE))
    assert "hush" not in (tmp_path / FILE).read_text()


def test_tokens_are_never_written(tmp_path: Path) -> None:
    with rogue(replies(b'{"access_token":"hush"}')) as server, recorder(tmp_path) as made:
        made.send(Request(endpoint=server.endpoint, target="/metadata/identity/oauth2/token?resource=x"))
    assert not (tmp_path / FILE).exists()


def test_an_approval_is_written_with_what_was_asked(tmp_path: Path) -> None:
    with rogue(replies(b"{}")) as server, recorder(tmp_path) as made:
        made.send(Request(endpoint=server.endpoint, target=DOCUMENT, method="POST", body=b'{"StartRequests":[]}'))
    line = lines(tmp_path / FILE)[0]
    assert (line["kind"], line["asked"]) == ("approval", '{"StartRequests":[]}')


def test_silence_is_written_too(tmp_path: Path) -> None:
    with recorder(tmp_path) as made:
        for _ in range(2):
            with pytest.raises(Unreachable):
                made.send(Request(endpoint="http://127.0.0.1:9", target=DOCUMENT))
    silence, end = lines(tmp_path / FILE)
    assert "cannot be reached" in silence["error"]
    assert end["before"]["times"] == 2


def test_files_are_bounded_and_each_begins_with_what_was_seen_last(tmp_path: Path) -> None:
    bodies = [b'{"DocumentIncarnation":%d,"Events":[]}' % number for number in range(60)]
    with rogue(replies(*bodies)) as server, recorder(tmp_path, largest=1000) as made:
        for _ in bodies:
            made.send(Request(endpoint=server.endpoint, target=DOCUMENT))
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["seen.1.jsonl", "seen.2.jsonl", "seen.3.jsonl", FILE]
    assert len(files) == FILES
    assert all((tmp_path / name).stat().st_size < 1500 for name in files)
    newest, older = lines(tmp_path / FILE), lines(tmp_path / "seen.1.jsonl")
    assert newest[0]["again"] is True
    assert newest[0]["body"] == older[-1]["body"]


def test_a_place_that_cannot_be_written_is_told_once_and_harms_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    bodies = [b'{"DocumentIncarnation":%d,"Events":[]}' % number for number in range(3)]
    with rogue(replies(*bodies)) as server, recorder(tmp_path / "file") as made:
        for body in bodies:
            assert made.send(Request(endpoint=server.endpoint, target=DOCUMENT)).body == body
    assert caplog.text.count("cannot be recorded") == 1
