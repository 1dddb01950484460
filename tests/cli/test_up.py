"""`forewarn up` as a user meets it: a process, its output, and what it leaves behind."""

import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

import forewarn.cli
from forewarn.cli.parser import build_parser
from forewarn.cli.pasting import Stage, called_as, lines_to_paste
from forewarn.cli.up import options_of
from tests.cli.shell import ENVIRONMENT, Shell, start, words

SAMPLE = Path(forewarn.cli.__file__).with_name("sample-fleet.toml").read_text()


@contextmanager
def up(cwd: Path, *words: str) -> Iterator["subprocess.Popen[str]"]:
    """Started on free ports; stopped as Ctrl-C does."""
    process = start(
        "up", "--metadata", "127.0.0.1:0", "--control", "127.0.0.1:0", "--arm", "127.0.0.1:0", *words, cwd=cwd
    )
    try:
        yield process
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 0
    finally:
        process.kill()
        process.communicate()


def ready(process: "subprocess.Popen[str]") -> tuple[Shell, list[str]]:
    """What it says in JSON once it answers."""
    assert process.stdout is not None
    told = json.loads(process.stdout.readline())
    return Shell(told["control"]), [machine["machine"] for machine in told["machines"]]


@pytest.mark.skipif(shutil.which("curl") is None and not os.environ.get("CI"), reason="curl is not installed")
def test_the_two_lines_show_an_event_appear_and_vanish(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text(SAMPLE.replace('reboot = "5s"', 'reboot = "2s"'))
    with up(tmp_path, "--fleet", "fleet.toml") as process:
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "\n"))
        assert re.search(r"^Forewarn 0\.[0-9.]+ is up\. State is kept in forewarn-data; the clock is real\.\n", said)
        assert re.search(r"\nAzure's own clients ask https://localhost:[0-9]+ after: eval \"\$\(.* env\)\"\n", said)
        assert re.search(
            r"\nThe portal, by a link that works once: http://127.0.0.1:[0-9]+/portal/login\?word=\S+\n$", said
        )
        table = "".join(iter(process.stdout.readline, "\n"))
        assert re.search(r"^MACHINE +SCOPE +METADATA URL\nsolo +solo +http://127\.0\.0\.1:[0-9]+\nspot", table)
        assert table.count("\n") == 13
        first, second = (line.strip() for line in _indented(process, 2))
        appeared = _pasted(first, tmp_path)
        assert "Scheduled" in appeared
        assert '"EventStatus":"Scheduled","EventType":"Reboot"' in appeared
        vanished = _pasted(second, tmp_path)
        assert re.search(r"Started    Reboot .*\n.*Completed  Reboot .*\nNo events left\.\n$", vanished)


def _indented(process: "subprocess.Popen[str]", count: int) -> Iterator[str]:
    assert process.stdout is not None
    while count:
        line = process.stdout.readline()
        assert line, "it ended"
        if line.startswith("  "):
            count -= 1
            yield line


def _pasted(line: str, cwd: Path) -> str:
    done = subprocess.run(["sh", "-c", line], cwd=cwd, env=ENVIRONMENT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_what_was_scheduled_survives_a_restart_and_so_does_the_fleet(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[machine.only]\n")
    with up(tmp_path, "--fleet", "fleet.toml", "--json") as process:
        forewarn, machines = ready(process)
        assert machines == ["only"]
        scheduled = forewarn.ok("schedule", "Reboot", "only", "--json").json
    with up(tmp_path, "--json") as process:
        forewarn, machines = ready(process)
        assert machines == ["only"]
        assert forewarn.ok("events", "--json").json == scheduled


def test_time_stands_still_on_a_manual_clock(tmp_path: Path) -> None:
    with up(tmp_path, "--clock", "manual", "--json") as process:
        forewarn, machines = ready(process)
        assert len(machines) == 12
        before = forewarn.ok("clock", "--json").json
        assert forewarn.ok("clock", "--json").json == before
        forewarn.ok("schedule", "Reboot", "db-0")
        forewarn.ok("clock", "advance", "16m")
        assert forewarn.ok("events").out == "No events.\n"


def test_a_first_answer_waits_on_the_fleet_s_clock(tmp_path: Path) -> None:
    with up(tmp_path, "--clock", "manual", "--first-answer-delay", "90s", "--json") as process:
        forewarn, _ = ready(process)
        machine = forewarn.ok("fleet", "--scope", "solo", "--json").json[0]
        address = machine["metadata_url"].removeprefix("http://")
        connection = http.client.HTTPConnection(address, timeout=30)
        connection.request("GET", "/metadata/scheduledevents?api-version=2020-07-01", headers={"Metadata": "true"})
        deadline = time.monotonic() + 30
        while forewarn.ok("history", "--scope", "solo", "--json").json == []:
            assert time.monotonic() < deadline, "it was never enrolled"
        forewarn.ok("clock", "advance", "89s")
        assert not select.select([connection.sock], [], [], 0)[0]
        forewarn.ok("clock", "advance", "1s")
        assert connection.getresponse().status == 200
        connection.close()


def test_an_empty_fleet_says_what_to_do(tmp_path: Path) -> None:
    with up(tmp_path, "--empty", "--data", "elsewhere") as process:
        assert process.stdout is not None
        assert "State is kept in elsewhere" in process.stdout.readline()
        assert "Azure's own clients" in process.stdout.readline()
        assert "The portal" in process.stdout.readline()
        assert process.stdout.readline() == "\n"
        assert process.stdout.readline() == "The fleet is empty: declare one in a file, and start with --fleet FILE.\n"


def refused(cwd: Path, *words: str) -> str:
    process = start(
        "up", "--metadata", "127.0.0.1:0", "--control", "127.0.0.1:0", "--arm", "127.0.0.1:0", *words, cwd=cwd
    )
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out) == (1, ""), err
    assert "Traceback" not in err
    return err


def test_a_wrong_fleet_file_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[scale_set.web]\ninstances = 3\nterminate_notification = '20m'\n")
    told = 'forewarn: fleet.toml:3: web: terminate_notification must be 5m to 15m, not "20m"\n'
    assert refused(tmp_path, "--fleet", "fleet.toml") == told


def test_a_fleet_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path, "--fleet", "none.toml") == "forewarn: none.toml: No such file or directory.\n"


@pytest.mark.parametrize("option", ["--control", "--arm"])
def test_a_port_in_use_is_told_with_what_to_do(tmp_path: Path, option: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        told = refused(tmp_path, option, f"127.0.0.1:{port}")
    assert f"127.0.0.1:{port}" in told
    assert f"Give another {option}." in told


def test_two_of_them_do_not_share_a_data_directory(tmp_path: Path) -> None:
    with up(tmp_path, "--json") as process:
        ready(process)
        assert "forewarn-data" in refused(tmp_path)


def test_a_control_plane_beyond_loopback_needs_a_word(tmp_path: Path) -> None:
    assert "--any-address" in refused(tmp_path, "--control", "0.0.0.0:0")


def test_an_address_where_nobody_could_be_known_is_refused(tmp_path: Path) -> None:
    assert "--identity source" in refused(tmp_path, "--metadata", f"{_other_address()}:0")


def _other_address() -> str:
    """An address of this host beside loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this host has only loopback")
        return str(probe.getsockname()[0])


def test_a_wildcard_address_needs_a_word(tmp_path: Path) -> None:
    assert "--any-address" in refused(tmp_path, "--metadata", "0.0.0.0:0")


def test_a_port_in_use_is_told_as_it_was_given(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = f"127.0.0.1:{taken.getsockname()[1]}"
        assert f"{place}: it is in use" in refused(tmp_path, "--metadata", place)


def test_of_many_machines_the_first_ones_are_shown_without_gaps(tmp_path: Path) -> None:
    (tmp_path / "fleet.toml").write_text("[machine.zero]\n[scale_set.web]\ninstances = 30\n")
    with up(tmp_path, "--fleet", "fleet.toml", "--json") as process:
        _, machines = ready(process)
        assert machines == ["zero", *(f"web_{number}" for number in range(19))]


def test_every_option_reaches_the_wiring() -> None:
    told = words(
        """up --metadata [::1]:80 --control 127.0.0.2:81 --arm 127.0.0.3:82 --data d --clock 60x
        --identity machine=solo --sockets s --any-address --first-answer-delay 90s --rate-limit 5
        --host-name Imds.Example --empty --faults"""
    )
    options = options_of(build_parser().parse_args(told))
    assert (options.metadata, options.control, options.data) == (("::1", 80), ("127.0.0.2", 81), Path("d"))
    assert options.arm == ("127.0.0.3", 82)
    assert (options.clock, options.identity, options.sockets) == ("60x", "machine=solo", Path("s"))
    assert (options.any_address, options.first_answer_delay) == (True, timedelta(seconds=90))
    assert (options.limits.rate, options.rules.host_names) == (5.0, frozenset({"imds.example"}))
    assert (options.sample, options.fleet, options.faults) == ("", None, True)


STAGE = Stage(machine="solo", metadata="http://127.0.0.1:8254", control="http://127.0.0.1:8255", standing=False)


def test_the_lines_name_the_server_only_where_it_is_not_the_usual_one() -> None:
    assert "--server" not in "".join(lines_to_paste(STAGE, "forewarn"))
    elsewhere = Stage(machine="solo", metadata="http://127.0.0.1:1", control="http://127.0.0.1:2", standing=False)
    assert all("--server http://127.0.0.1:2" in line for line in lines_to_paste(elsewhere, "forewarn"))


def test_on_a_standing_clock_the_second_line_moves_it() -> None:
    standing = Stage(machine="solo", metadata="http://127.0.0.1:1", control="http://127.0.0.1:8255", standing=True)
    assert "clock advance 1m" in lines_to_paste(standing, "forewarn")[1]


@pytest.mark.parametrize(
    ("program", "environment", "expected"),
    [
        pytest.param("/home/me/.venv/bin/forewarn", "/home/me/.venv", ".venv/bin/forewarn", id="environment-below"),
        pytest.param(".venv/bin/forewarn", "/home/me/.venv", ".venv/bin/forewarn", id="called-by-a-relative-path"),
        pytest.param("/opt/env/bin/forewarn", "/opt/env", "/opt/env/bin/forewarn", id="environment-elsewhere"),
        pytest.param("/opt/my env/bin/forewarn", "/opt/my env", "'/opt/my env/bin/forewarn'", id="blank-in-the-path"),
        pytest.param("/usr/local/bin/forewarn", "/opt/env", "forewarn", id="a-link-on-the-path"),
        pytest.param("/usr/bin/forewarn", None, "forewarn", id="no-environment"),
        pytest.param("/opt/env/forewarn/cli/__main__.py", "/opt/env", None, id="as-a-module"),
    ],
)
def test_the_command_is_called_so_that_any_shell_finds_it(
    program: str, environment: str | None, expected: str | None
) -> None:
    where = None if environment is None else Path(environment)
    assert called_as(Path(program), where, Path("/home/me")) == expected
