"""The HAProxy step against a real HAProxy with real web servers behind it."""

import contextlib
import os
import socket
import urllib.error
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from forewarn.agent.errors import BadConfig, StepFailed, Stopped, TimeIsUp
from forewarn.agent.options import read_options
from forewarn.agent.steps.haproxy import Server, State
from forewarn.agent.turns import Fact
from tests.agent.balancing import HAProxy, Web, address, haproxy, needs_haproxy, webs
from tests.agent.turn import ATurn
from tests.waiting import until

pytestmark = needs_haproxy


@pytest.fixture
def servers() -> Iterator[dict[str, Web]]:
    with webs("web_0", "web_1") as both:
        yield both


@pytest.fixture
def balancer(servers: dict[str, Web]) -> Iterator[HAProxy]:
    with haproxy(*servers.values()) as one:
        yield one


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as threads:
        yield threads


def step(*balancers: HAProxy, **options: Any) -> Server:
    return Server(**{"backend": "app", "sockets": tuple(one.admin for one in balancers), **options})


@pytest.fixture
def held(servers: dict[str, Web], balancer: HAProxy, pool: ThreadPoolExecutor) -> "Iterator[Future[str]]":
    """A request that web_0 has, and does not answer until it is released."""
    if balancer.get() == "web_0":  # they take turns
        balancer.get()
    answer = pool.submit(balancer.get, "/held")
    until(lambda: balancer.stat("web_0", "scur") == "1", "the request is held")
    yield answer
    servers["web_0"].release()
    assert answer.result() == "web_0"


def who_answers(balancer: HAProxy, requests: int = 6) -> set[str]:
    return {balancer.get() for _ in range(requests)}


def test_prepare_takes_the_machine_out_and_ends_when_what_is_under_way_has_been_answered(
    servers: dict[str, Web], balancer: HAProxy, pool: ThreadPoolExecutor, held: "Future[str]", tmp_path: Path
) -> None:
    turn = ATurn(spool=tmp_path)
    prepared = pool.submit(step(balancer).prepare, turn)
    until(lambda: turn.said == ["app: 1 session left"], "it says so")
    assert who_answers(balancer) == {"web_1"}
    assert not prepared.done()
    servers["web_0"].release()
    prepared.result()
    assert held.result() == "web_0"


def test_restore_puts_it_back(balancer: HAProxy, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    step(balancer).prepare(turn)
    step(balancer).restore(turn)
    assert who_answers(balancer) == {"web_0", "web_1"}


@pytest.mark.parametrize("state", State)
def test_it_gets_no_traffic_before_it_has_been_seen_healthy(
    servers: dict[str, Web], balancer: HAProxy, pool: ThreadPoolExecutor, tmp_path: Path, state: State
) -> None:
    turn = ATurn(spool=tmp_path)
    step(balancer, state=state).prepare(turn)
    servers["web_0"].kill()
    restored = pool.submit(step(balancer, state=state).restore, turn)
    until(lambda: balancer.status("web_0") == "DOWN", "web_0 is DOWN")
    assert who_answers(balancer, 40) == {"web_1"}
    assert not restored.done()
    servers["web_0"].start()
    restored.result()
    assert who_answers(balancer) == {"web_0", "web_1"}


def test_without_a_recheck_it_gets_traffic_at_once(servers: dict[str, Web], balancer: HAProxy, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    step(balancer, state=State.MAINT).prepare(turn)
    servers["web_0"].kill()
    step(balancer, state=State.MAINT, recheck=False).restore(turn)
    with pytest.raises(urllib.error.HTTPError, match="503"):
        who_answers(balancer)


def test_a_server_without_checks_is_put_back_too(servers: dict[str, Web], tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    with haproxy(*servers.values(), options="no-check") as balancer:
        step(balancer).prepare(turn)
        step(balancer).restore(turn)
        assert who_answers(balancer) == {"web_0", "web_1"}


@pytest.mark.parametrize(
    ("before", "state", "between"),
    [
        pytest.param("drain", State.DRAIN, "DRAIN", id="drained, and we drain"),
        pytest.param("maint", State.DRAIN, "MAINT", id="in maint, and we drain"),
        pytest.param("maint", State.MAINT, "MAINT", id="in maint, and we set to maint"),
        pytest.param("drain", State.MAINT, "MAINT", id="drained, and we set to maint"),
    ],
)
def test_what_somebody_else_had_decided_stays(
    balancer: HAProxy, tmp_path: Path, before: str, state: State, between: str
) -> None:
    balancer.ask(f"set server app/web_0 state {before}")
    turn = ATurn(spool=tmp_path)
    step(balancer, state=state).prepare(turn)
    assert balancer.status("web_0") == between
    step(balancer, state=state).restore(turn)
    assert balancer.status("web_0") == before.upper()


def test_a_server_set_to_maint_while_we_had_it_drained_stays_in_maint(balancer: HAProxy, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    step(balancer).prepare(turn)
    balancer.ask("set server app/web_0 state maint")
    step(balancer).restore(turn)
    assert balancer.status("web_0") == "MAINT"
    assert turn.said[-1].endswith("was set to maint meanwhile, and stays so")


def test_maint_also_turns_away_who_is_bound_by_a_cookie(servers: dict[str, Web], tmp_path: Path) -> None:
    bound = {"Cookie": "S=web_0"}
    with haproxy(*servers.values(), more="cookie S insert", options="cookie {name}") as balancer:
        turn = ATurn(spool=tmp_path)
        step(balancer).prepare(turn)
        assert balancer.get(headers=bound) == "web_0"
        step(balancer, state=State.MAINT).prepare(ATurn(spool=tmp_path))
        assert balancer.get(headers=bound) == "web_1"


def test_all_balancers_are_drained_before_the_wait_begins(
    servers: dict[str, Web], balancer: HAProxy, pool: ThreadPoolExecutor, held: "Future[str]", tmp_path: Path
) -> None:
    with haproxy(*servers.values()) as other:
        turn = ATurn(spool=tmp_path)
        prepared = pool.submit(step(balancer, other).prepare, turn)
        until(lambda: other.status("web_0") == "DRAIN", "web_0 is DRAIN")
        assert not held.done()
        servers["web_0"].release()
        prepared.result()
        step(balancer, other).restore(turn)
        assert who_answers(balancer) == who_answers(other) == {"web_0", "web_1"}


def test_a_balancer_that_is_gone_does_not_keep_the_others_from_being_restored(
    servers: dict[str, Web], balancer: HAProxy, tmp_path: Path
) -> None:
    turn = ATurn(spool=tmp_path)
    with haproxy(*servers.values()) as other:
        both = step(other, balancer)
        both.prepare(turn)
    with pytest.raises(StepFailed, match="No such file or directory"):
        both.restore(ATurn(spool=tmp_path, kept=turn.kept, limit=2.0))
    until(lambda: balancer.status("web_0") == "UP", "web_0 is UP")


class Crash(BaseException):
    """As if the agent had been killed there."""


class CrashingTurn(ATurn):
    def keep(self, **facts: Fact) -> None:
        super().keep(**facts)
        raise Crash


def test_a_crash_before_the_effect_leaves_nothing_to_undo_or_is_caught_up_with(
    balancer: HAProxy, tmp_path: Path
) -> None:
    crashed = CrashingTurn(spool=tmp_path)
    with pytest.raises(Crash):
        step(balancer).prepare(crashed)
    step(balancer).restore(ATurn(spool=tmp_path, kept=crashed.kept))
    assert balancer.status("web_0") == "UP"
    step(balancer).prepare(ATurn(spool=tmp_path, kept=crashed.kept, attempt=2))
    assert balancer.status("web_0") == "DRAIN"


@pytest.mark.parametrize("state", State)
def test_both_may_run_again_and_come_to_the_same_end(balancer: HAProxy, tmp_path: Path, state: State) -> None:
    turn = ATurn(spool=tmp_path)
    for _ in range(2):
        step(balancer, state=state).prepare(turn)
        assert balancer.status("web_0") == state.value.upper()
    for _ in range(2):
        step(balancer, state=state).restore(turn)
        assert balancer.status("web_0") == "UP"


@pytest.mark.parametrize("done", [(), ("state drain",), ("state drain", "health down")], ids=["none", "one", "two"])
def test_a_restore_that_was_cut_short_goes_on(balancer: HAProxy, tmp_path: Path, done: tuple[str, ...]) -> None:
    turn = ATurn(spool=tmp_path)
    step(balancer, state=State.MAINT).prepare(turn)
    for command in done:
        balancer.ask(f"set server app/web_0 {command}")
    step(balancer, state=State.MAINT).restore(turn)
    assert who_answers(balancer) == {"web_0", "web_1"}


def test_a_haproxy_restarted_during_the_wait_is_told_again(
    balancer: HAProxy, pool: ThreadPoolExecutor, tmp_path: Path
) -> None:
    turn = ATurn(spool=tmp_path)
    prepared = pool.submit(step(balancer, settle=timedelta(seconds=1)).prepare, turn)
    until(lambda: balancer.status("web_0") == "DRAIN", "web_0 is DRAIN")
    balancer.stop()
    balancer.start()
    prepared.result()
    assert balancer.status("web_0") == "DRAIN"


@pytest.mark.usefixtures("held")
def test_it_can_be_called_off(balancer: HAProxy, pool: ThreadPoolExecutor, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    prepared = pool.submit(step(balancer).prepare, turn)
    until(lambda: turn.said == ["app: 1 session left"], "it says so")
    turn.stop()
    with pytest.raises(Stopped):
        prepared.result()
    step(balancer).restore(ATurn(spool=tmp_path, kept=turn.kept))
    assert balancer.status("web_0") == "UP"


@pytest.mark.usefixtures("held")
def test_sessions_that_do_not_end_use_up_the_limit(balancer: HAProxy, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path, limit=0.5)
    with pytest.raises(TimeIsUp):
        step(balancer).prepare(turn)
    assert turn.said == ["app: 1 session left"]


def test_without_the_wait_it_ends_at_once(balancer: HAProxy, held: "Future[str]", tmp_path: Path) -> None:
    step(balancer, wait_for_sessions=False).prepare(ATurn(spool=tmp_path))
    assert not held.done()
    assert balancer.status("web_0") == "DRAIN"


def test_the_runtime_api_over_tcp(balancer: HAProxy, tmp_path: Path) -> None:
    turn = ATurn(spool=tmp_path)
    over_tcp = step(sockets=(balancer.runtime,))
    over_tcp.prepare(turn)
    assert balancer.status("web_0") == "DRAIN"
    over_tcp.restore(turn)
    assert balancer.status("web_0") == "UP"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        pytest.param({"sockets": ("/nowhere/admin.sock",)}, "No such file.* is HAProxy running, with", id="no-socket"),
        pytest.param({"sockets": ("{nobody}",)}, "Connection refused; is HAProxy running", id="nobody-there"),
        pytest.param({"sockets": ("{folder}/operator.sock",)}, "write `level admin` behind", id="level-operator"),
        pytest.param({"sockets": ("{front}",)}, "is this HAProxy's runtime API", id="not-the-api"),
        pytest.param({"backend": "shop"}, "HAProxy has no backend shop; the option 'backend'", id="no-backend"),
        pytest.param({"server": "db"}, r"has no server db \(it has web_0, web_1\)", id="no-server"),
        pytest.param({"server": "{me};shutdown"}, "is no name that HAProxy could have", id="no-name"),
    ],
)
def test_what_is_wrong_is_said_in_words_to_act_on(
    balancer: HAProxy, tmp_path: Path, options: dict[str, object], words: str
) -> None:
    turn = ATurn(spool=tmp_path, limit=1.0)
    if isinstance(sockets := options.get("sockets"), tuple):
        places = {"nobody": address(), "folder": str(balancer.folder), "front": balancer.front}
        options = {"sockets": tuple(one.format(**places) for one in sockets)}
    with pytest.raises(StepFailed, match=words):
        step(balancer, **options).prepare(turn)
    assert balancer.status("web_0") == "UP"


@contextlib.contextmanager
def somebody_else() -> Iterator[None]:
    """Root may open everything."""
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(me)


def test_a_socket_that_this_user_may_not_open(tmp_path: Path) -> None:
    path = tmp_path / "admin.sock"
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(path))
        path.chmod(0)
        with somebody_else(), pytest.raises(StepFailed, match=r"this user may not open it; HAProxy's `stats socket"):
            step(sockets=(str(path),)).prepare(ATurn(spool=tmp_path))


@pytest.mark.parametrize(
    ("table", "words"),
    [
        pytest.param({}, "'backend' is missing", id="no-backend"),
        pytest.param({"backend": "a b"}, "'backend' is no name", id="a-space"),
        pytest.param({"backend": "app", "sockets": []}, "'sockets' is empty", id="no-sockets"),
        pytest.param({"backend": "app", "sockets": ["/a", "/a"]}, "names one twice", id="twice"),
        pytest.param({"backend": "app", "sockets": ["admin.sock"]}, "absolute paths or HOST:PORT", id="relative"),
        pytest.param({"backend": "app", "sockets": ["lb:99999"]}, "absolute paths or HOST:PORT", id="no-such-port"),
        pytest.param({"backend": "app", "state": "ready"}, "none of drain, maint", id="state"),
        pytest.param({"backend": "app", "socket": "/a"}, "did you mean 'sockets'", id="singular"),
    ],
)
def test_wrong_options_are_refused(table: dict[str, object], words: str) -> None:
    with pytest.raises(BadConfig, match=words):
        read_options(Server, table, "steps.pool")


def test_what_it_tells_that_it_will_do() -> None:
    prepare, restore = Server(backend="app").told()
    assert prepare == (
        "set app/{me} in HAProxy at /run/haproxy/admin.sock to drain, and wait until its sessions have ended"
    )
    assert restore == "set app/{me} in HAProxy at /run/haproxy/admin.sock back to what it was, and wait until it is up"
