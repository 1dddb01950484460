"""Clients that know one address only are reached, each as the machine that it is."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from forewarn.testing import CannotReach, Forewarn, Machine, Place
from forewarn.testing.reach import reach
from forewarn.testing.reach.namespaces import Network
from tests.private_network import run_apart

URL = "http://169.254.169.254/metadata/scheduledevents?api-version=2020-07-01"
CURL = ["curl", "--silent", "--show-error", "--max-time", "10", "--header", "Metadata: true", URL]
PYTHON = f"""
import urllib.request
ask = urllib.request.Request({URL!r}, headers={{"Metadata": "true"}})
print(urllib.request.urlopen(ask, timeout=10).read().decode())
"""
CLIENTS = [pytest.param(CURL, id="curl"), pytest.param([sys.executable, "-c", PYTHON], id="python")]


def run(place: Place, command: Sequence[str]) -> str:
    done = subprocess.run(
        place.command(command),
        env={**os.environ, **place.environment},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def named(document: str) -> list[str]:
    return [name for event in json.loads(document)["Events"] for name in event["Resources"]]


@pytest.fixture(scope="module")
def kit() -> Iterator[Forewarn]:
    with Forewarn.start() as started:
        yield started


@pytest.fixture(scope="module")
def pair(kit: Forewarn) -> list[Machine]:
    """Each is told of an event of its own."""
    pair = [kit.vm("left"), kit.vm("right")]
    for machine in pair:
        machine.schedule("Reboot")
    return pair


@pytest.fixture
def network(kit: Forewarn) -> Network:
    try:
        return kit.network
    except CannotReach as error:
        if os.environ.get("CI"):
            pytest.fail(f"CI must be able to make network namespaces: {error}")
        pytest.skip(str(error))


# In a network of its own


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.usefixtures("network")
def test_two_machines_at_once_each_see_their_own_events(pair: list[Machine], client: Sequence[str]) -> None:
    left, right = pair
    with left.reached("namespace") as here, right.reached("namespace") as there:
        assert [named(run(place, client)) for place in (here, there)] == [["left"], ["right"]]


@pytest.mark.usefixtures("network")
def test_the_host_has_the_name_of_the_machine(kit: Forewarn, pair: list[Machine]) -> None:
    machines = {"left": pair[0], "workers000000": kit.scale_set("workers", instances=1).instance(0)}
    for name, machine in machines.items():
        with machine.reached("namespace") as place:
            assert run(place, ["hostname"]) == f"{name}\n"


@pytest.mark.usefixtures("network")
def test_machines_reach_each_other(pair: list[Machine]) -> None:
    listen = (
        "import socket; s = socket.create_server(('', 7000)); print('up', flush=True); s.accept()[0].send(b'hello')"
    )
    ask = "import socket, sys; print(socket.create_connection((sys.argv[1], 7000), 10).recv(9).decode())"
    with pair[0].reached("namespace") as here, pair[1].reached("namespace") as there:
        address = json.loads(run(here, ["ip", "-json", "address", "show", "eth0"]))[0]["addr_info"][0]["local"]
        command = here.command([sys.executable, "-c", listen])
        with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            assert server.stdout.readline() == b"up\n"
            assert run(there, [sys.executable, "-c", ask, address]) == "hello\n"


@pytest.mark.usefixtures("network")
def test_it_meets_the_faults_of_its_machine(kit: Forewarn) -> None:
    vm = kit.vm("unlucky")
    with vm.reached("namespace") as place:
        vm.fault("status", status=503, requests=1)
        code = [*CURL, "--output", "/dev/null", "--write-out", "%{http_code}"]
        assert [run(place, code) for _ in range(2)] == ["503", "200"]


@pytest.mark.usefixtures("network")
def test_a_machine_that_is_gone_is_nobody(forewarn: Forewarn) -> None:
    vm = forewarn.scale_set("short-lived", instances=2, notice="5m").instance(0)
    with vm.reached("namespace") as place:
        vm.delete().approve()
        forewarn.advance("1h")
        assert run(place, [*CURL, "--output", "/dev/null", "--write-out", "%{http_code}"]) == "403"


@pytest.mark.usefixtures("network")
def test_and_so_is_a_client_that_outlives_its_place(pair: list[Machine]) -> None:
    script = 'echo there; read _; exec "$@"'
    with pair[0].reached("namespace") as place:
        command = place.command(["sh", "-c", script, "sh", *CURL, "--write-out", "%{http_code}"])
        late = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert late.stdout is not None
        assert late.stdout.readline() == b"there\n"
    said, _ = late.communicate(b"\n", timeout=30)
    assert said.endswith(b"403")


@pytest.mark.usefixtures("network")
def test_nobody_has_to_be_root(kit: Forewarn, pair: list[Machine]) -> None:
    left, right = pair
    with (
        closing(Network(kit.host, own_users=True)) as network,
        network.guest(left) as here,
        network.guest(right) as there,
    ):
        assert [named(run(place, CURL)) for place in (here, there)] == [["left"], ["right"]]
        assert "--user" in here.prefix


LEAKY = """
import os
from forewarn.testing import Forewarn
kit = Forewarn.start()
place = kit.vm().reached("namespace").__enter__()
print(place.prefix[place.prefix.index("--target") + 1], flush=True)
os.kill(os.getpid(), 9)
"""


@pytest.mark.usefixtures("network")
def test_nothing_is_left_of_a_test_that_was_killed() -> None:
    """What holds the namespaces ends, and with it the pipe to which it shares the other end."""
    killed = subprocess.run([sys.executable, "-c", LEAKY], capture_output=True, timeout=30, check=False)
    assert killed.returncode == -signal.SIGKILL
    holder = int(killed.stdout)
    ended = f"while kill -0 {holder} 2>/dev/null; do sleep 0.01; done"
    subprocess.run(["sh", "-c", ended], timeout=10, check=True)
    assert not Path(f"/proc/{holder}/ns").exists()


# By a proxy


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_that_honours_http_proxy_comes_as_its_machine(pair: list[Machine], client: Sequence[str]) -> None:
    left, right = pair
    with left.reached("proxy") as here, right.reached("proxy") as there:
        assert [named(run(place, client)) for place in (here, there)] == [["left"], ["right"]]


# By the address itself


def test_a_host_of_ones_own_takes_the_address() -> None:
    assert run_apart("", "tests.testing.taking_the_address").splitlines() == [
        "alone: ['alone']",
        "again: it is in use by another program",
        "after: 0 addresses",
    ]


# By its URL


def test_a_client_that_can_be_told_is_told(pair: list[Machine]) -> None:
    with pair[1].reached("url") as place:
        assert named(run(place, [*CURL[:-1], place.url + URL.removeprefix("http://169.254.169.254")])) == ["right"]


# Which way


def test_auto_is_the_namespace_where_that_works(kit: Forewarn, pair: list[Machine], network: Network) -> None:
    with reach(kit, pair[0]) as place:
        assert place.by == "namespace"


def test_and_the_proxy_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    with Forewarn.start() as fresh:
        vm = fresh.vm()
        monkeypatch.setenv("PATH", "/nowhere")
        with vm.reached() as place:
            assert place.by == "proxy"
        with pytest.raises(CannotReach, match="ip and unshare and nsenter not found"):
            vm.reached("namespace").__enter__()
        with pytest.raises(CannotReach, match="ip not found"):
            vm.reached("address").__enter__()


def test_what_the_system_forbids_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("ip", "nsenter", "unshare"):
        (tmp_path / name).write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    with Forewarn.start() as fresh:
        vm = fresh.vm()
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(CannotReach, match=r"NET_ADMIN: unshare: unshare failed: Operation not permitted"):
            vm.reached("namespace").__enter__()
        with pytest.raises(CannotReach, match=r"which needs root: unshare"):
            vm.reached("address").__enter__()


def test_a_forewarn_elsewhere_has_no_namespaces_here(kit: Forewarn, pair: list[Machine]) -> None:
    elsewhere = Forewarn(kit.client)
    with pytest.raises(CannotReach, match="not in this process"), reach(elsewhere, pair[0], "namespace"):
        pass
    with reach(elsewhere, pair[0]) as place:
        assert place.by == "proxy"


def test_another_way_is_refused_by_name(kit: Forewarn, pair: list[Machine]) -> None:
    with pytest.raises(ValueError, match="'magic' is no way to reach a client: it is auto, namespace, proxy"):
        reach(kit, pair[0], "magic")
