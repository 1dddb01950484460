"""The exit status is the answer, and an error says what to do."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.cli.shell import Said, Shell, start
from tests.control.rig import Rig


def test_what_is_refused_ends_with_1_and_the_reason(forewarn: Shell) -> None:
    said = forewarn("schedule", "Reboot", "nobody")
    assert (said.status, said.out) == (1, "")
    assert said.err == "forewarn: There is no machine nobody. `forewarn fleet` lists those there are.\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        pytest.param([], "required: VERB", id="no-verb"),
        pytest.param(["explode"], "invalid choice: 'explode'", id="no-such-verb"),
        pytest.param(["events", "--wat"], "unrecognized arguments: --wat", id="no-abbreviations"),
        pytest.param(["schedule", "Quake", "db-0"], "none of Freeze, Reboot, Redeploy, Preempt, Terminate", id="type"),
        pytest.param(["schedule", "Reboot"], "required: MACHINE", id="no-machine"),
        pytest.param(["schedule", "Reboot", "a", "--notice", "soon"], "'soon' is not a duration", id="notice"),
        pytest.param(["clock", "advance"], "required: DURATION", id="no-duration"),
        pytest.param(["clock", "rate", "fast"], "'fast' is not a rate such as 60x", id="rate"),
        pytest.param(["clock", "rate", "nan"], "'nan' is not a rate", id="no-number"),
        pytest.param(["fleet", "--limit", "-1"], "'-1' is not a number", id="limit"),
        pytest.param(["history", "-n", "-1"], "'-1' is not a number", id="last"),
        pytest.param(["campaign"], "required: ACTION", id="no-action"),
        pytest.param(["up", "--control", "8255"], "'8255' is not an address and a port", id="address"),
        pytest.param(["up", "--metadata", "127.0.0.1:99999"], "not an address and a port", id="port"),
        pytest.param(["up", "--clock", "sundial"], "'sundial' is not a rate", id="clock"),
        pytest.param(["up", "--rate-limit", "nan"], "not a number of requests a second", id="rate-limit"),
        pytest.param(["up", "--first-answer-delay", "3m"], "more than two minutes", id="delay"),
        pytest.param(["up", "--fleet", "x", "--empty"], "not allowed with argument", id="fleet-and-empty"),
    ],
)
def test_a_wrong_call_ends_with_2_and_what_is_wrong(words: list[str], told: str) -> None:
    forewarn = Shell("http://127.0.0.1:1")
    said = forewarn(*words) if words[:1] != ["up"] else run_alone(words)
    assert (said.status, told in said.err) == (2, True), said.err


def run_alone(words: list[str]) -> Said:
    process = start(*words)
    out, err = process.communicate(timeout=30)
    return Said(process.returncode, out, err)


@pytest.mark.parametrize("server", ["https://127.0.0.1:1", "127.0.0.1:8255", "http://127.0.0.1:1/x"])
def test_a_server_that_is_no_address_is_a_wrong_call(server: str) -> None:
    said = Shell(server)("events")
    assert (said.status, "is not an address such as http://127.0.0.1:8255" in said.err) == (2, True)


def test_nobody_there_ends_with_3_and_what_to_do() -> None:
    said = Shell("http://127.0.0.1:1")("events")
    assert (said.status, said.out) == (3, "")
    assert said.err.startswith("forewarn: Forewarn does not answer at http://127.0.0.1:1 (")
    assert "Start it with `forewarn up`" in said.err


@contextmanager
def answering(answer: bytes) -> Iterator[str]:
    """Somebody else's server, which says the same to everybody."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            peer, _ = listening.accept()
            with peer:
                peer.recv(10_000)
                peer.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        thread.join()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<ht>", id="a-page"),
        pytest.param(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}", id="other-json"),
        pytest.param(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n[]", id="a-list"),
        pytest.param(b"SSH-2.0-OpenSSH\r\n", id="no-http"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_somebody_else_there_ends_with_3_too(answer: bytes) -> None:
    with answering(answer) as server:
        said = Shell(server)("events")
    assert said.status == 3
    assert "--server" in said.err


def test_the_process_ends_with_the_same_status(rig: Rig) -> None:
    expected = {
        ("events", "--server", rig.url): 0,
        ("approve", "FFFF", "--server", rig.url): 1,
        ("approve",): 2,
        ("events", "--server", "http://127.0.0.1:1"): 3,
        ("--version",): 0,
    }
    processes = {words: start(*words) for words in expected}
    for words, process in processes.items():
        out, _ = process.communicate(timeout=30)
        assert process.returncode == expected[words]
        if words == ("--version",):
            assert out.startswith("forewarn 0.")


def test_a_reader_that_has_seen_enough_is_no_failure(rig: Rig) -> None:
    process = start("fleet", "--limit", "0", "--server", rig.url)
    assert process.stdout is not None
    process.stdout.close()
    assert process.wait(timeout=30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == ""
    process.stderr.close()


def test_the_server_is_known_from_the_environment(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOREWARN_SERVER", rig.url)
    process = start("clock", "--json")
    out, _ = process.communicate(timeout=30)
    assert (process.returncode, '"rate": 0.0' in out) == (0, True)
