"""`forewarn faults`, `forewarn requests` and `forewarn fleet declare`, against a real control plane."""

import json
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from forewarn.control.faults import NewFault
from forewarn.domain.faults import FaultKind
from forewarn.imds.cases import Case
from forewarn.imds.http import Head
from tests.cli.shell import Shell, start, words
from tests.cli.test_watching import line
from tests.control.rig import FLEET, Rig

OK = b"HTTP/1.1 200 OK\r\n\r\n"
POLL = b"/metadata/scheduledevents?api-version=2020-07-01"
APPROVAL = b'{"StartRequests":[{"EventId":"4CAEA225-A741-474D-A72E-428C86FCD853"}]}'


def come(
    rig: Rig,
    method: bytes = b"GET",
    target: bytes = POLL,
    body: bytes = b"",
    *,
    answered: bytes | None = b'{"DocumentIncarnation":1,"Events":[]}',
    **fields: str,
) -> Case:
    """A request of db-0 reaches the metadata service, and is answered unless that is None."""

    async def meet() -> Case:
        guest = rig.fleet.known_as("db", "db-0")
        assert guest is not None
        told = {name.replace("_", "-").encode(): value.encode() for name, value in fields.items()}
        case = rig.book.meets(guest, Head(method, target, told, b"", True, True, 0, 0), body, 1)
        if answered is not None:
            case.sends(OK + answered)
        return case

    return rig.run(meet())


def test_a_fault_is_added_listed_and_cleared(rig: Rig, forewarn: Shell) -> None:
    assert forewarn.ok("faults").out == "No faults.\n"
    (row,) = forewarn.ok(*words("faults add status db-0 --status 503 --requests 2 --asked poll")).rows
    assert row[1:] == ["status", "db-0", "503,", "each", "poll,", "2", "of", "each", "machine", "0"]
    come(rig)
    assert forewarn.ok("faults").rows[0][-1] == "1"
    assert forewarn.ok("faults", "--json").json[0]["met"] == 1
    assert forewarn.ok("faults", "clear", row[0]).out == "No faults.\n"


def test_every_option_of_a_fault_is_told(forewarn: Shell) -> None:
    line = "faults add skewed-date --scope db --by=-5m --skip 3 --probability 0.25 --seed 7 --lasts 10m"
    assert "by -5m, after 3, 25% with seed 7, until 12:10:00Z" in forewarn.ok(*words(line)).out
    assert "all of db" in forewarn.ok("faults").out
    forewarn.ok("clock", "advance", "10m")
    assert "25% with seed 7, over" in forewarn.ok("faults").out
    assert "a/b" in forewarn.ok(*words("faults add content-type db-1 --value a/b")).out
    assert forewarn.ok("faults", "clear").out == "No faults.\n"


def test_the_same_command_with_the_same_key_is_one_fault(forewarn: Shell) -> None:
    for _ in range(2):
        forewarn.ok(*words("faults add hang db-0 --idempotency-key k"))
    assert len(forewarn.ok("faults", "--json").json) == 1


@pytest.mark.parametrize(
    ("line", "status", "told"),
    [
        pytest.param("faults add flood db-0", 2, "invalid choice", id="no-such-kind"),
        pytest.param("faults add hang", 2, "Say for whom", id="for-nobody"),
        pytest.param("faults add hang db-0 --scope db", 2, "Say for whom", id="for-both"),
        pytest.param("faults add delay db-0", 2, "--by 30s", id="by-how-much"),
        pytest.param("faults add delay db-0 --by soon", 2, "soon", id="no-duration"),
        pytest.param("faults add delay db-0 --by 11m", 1, "ten minutes", id="too-long"),
        pytest.param("faults add hang nobody", 1, "`forewarn fleet` lists", id="no-such-machine"),
        pytest.param("faults clear 12345", 1, "`forewarn faults` lists", id="no-such-fault"),
        pytest.param("requests", 1, "`forewarn requests keep`", id="not-kept"),
        pytest.param("fleet declare nowhere.toml", 2, "nowhere.toml: No such file", id="no-such-file"),
    ],
)
def test_what_is_wrong_is_told(forewarn: Shell, line: str, status: int, told: str) -> None:
    said = forewarn(*words(line))
    assert (said.status, told in said.err) == (status, True), said


def test_requests_are_kept_shown_and_forgotten(rig: Rig, forewarn: Shell) -> None:
    assert forewarn.ok("requests", "keep").out == "Requests are kept from now on.\n"
    assert forewarn.ok("requests").out == "No requests.\n"
    forewarn.ok(*words("faults add no-date db-0 --requests 1"))
    come(rig, user_agent="curl/8")
    come(rig, b"POST", body=APPROVAL, answered=b"")
    come(rig, b"POST", body=b"[]", answered=b"")
    come(rig, target=b"/metadata/instance?api-version=2021-02-01", answered=None)
    assert [" ".join(row) for row in forewarn.ok("requests").rows] == [
        "1 12:00:00Z db-0 poll 200, incarnation 1 no-date curl/8",
        "2 12:00:00Z db-0 approval of 4CAEA225 200",
        "3 12:00:00Z db-0 approval of something else 200",
        "4 12:00:00Z db-0 GET /metadata/instance none yet",
    ]
    assert [row[0] for row in forewarn.ok("requests", "-n", "2").rows] == ["3", "4"]
    assert [seen["number"] for seen in forewarn.ok(*words("requests --machine db/db-0 --json")).json] == [1, 2, 3, 4]
    assert forewarn.ok("requests", "--machine", "db-1").out == "No requests.\n"
    assert forewarn.ok("requests", "forget").out == "Requests are no longer kept.\n"
    assert forewarn("requests").status == 1


def test_requests_are_followed(rig: Rig) -> None:
    process = start("requests", "--follow", "--machine", "db-0", "--server", rig.url)
    try:
        rig.until(lambda: bool(rig.book._told) or process.poll() is not None)
        come(rig, user_agent="curl/8")
        assert line(process) == "1  12:00:00Z  db-0  poll  200, incarnation 1  curl/8"
        late = come(rig, answered=None)
        assert line(process) == "2  12:00:00Z  db-0  poll  none yet"
        rig.loop.call_soon_threadsafe(late.sends, OK + b'{"DocumentIncarnation":1,"Events":[]}')
        assert line(process) == "2  12:00:00Z  db-0  poll  200, incarnation 1"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
        assert rig.book.logs is False  # as it was before
    finally:
        process.kill()
        process.communicate()


def test_a_program_follows_requests_and_leaves_the_log_as_it_was(rig: Rig, forewarn: Shell) -> None:
    forewarn.ok("requests", "keep")
    come(rig)
    process = start("requests", "--follow", "--json", "--server", rig.url)
    try:
        rig.until(lambda: bool(rig.book._told) or process.poll() is not None)
        come(rig)
        told: Any = json.loads(line(process))
        assert (told["number"], told["status"]) == (2, 200)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
        assert len(forewarn.ok("requests").rows) == 2
    finally:
        process.kill()
        process.communicate()


PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "faults.md").read_text()


@pytest.mark.parametrize("kind", FaultKind, ids=lambda kind: kind.value)
def test_every_kind_is_in_the_reference_with_an_example(kind: FaultKind) -> None:
    assert f"\n| `{kind.value}` | " in PAGE
    assert f"\nforewarn faults add {kind.value} " in PAGE


def test_the_examples_of_the_reference_are_faults(forewarn: Shell) -> None:
    examples = re.findall(r"^forewarn (faults add .+)$", PAGE, re.MULTILINE)
    for example in examples:
        forewarn.ok(*words(example))
    assert len(forewarn.ok("faults", "--json").json) >= len(examples)


@pytest.mark.parametrize("name", NewFault.__struct_fields__[1:])
def test_everything_that_can_be_said_of_a_fault_is_in_the_reference(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_another_fleet_is_declared(forewarn: Shell, tmp_path: Path) -> None:
    file = tmp_path / "more.toml"
    file.write_text(FLEET + "[machine.extra]\n")
    assert forewarn.ok("fleet", "declare", str(file)).out == f"The fleet is what {file} declares.\n"
    assert forewarn.ok("fleet", "--scope", "extra").rows[0][0] == "extra"
    file.write_text("[machine.extra]\nspeed = 3\n")
    said = forewarn("fleet", "declare", str(file))
    assert (said.status, f"{file}" in said.err, "speed" in said.err) == (1, True, True)
    assert forewarn.ok("fleet", "--scope", "extra").rows[0][0] == "extra"
