"""A machine leaves its pool before it is approved, and is back in it afterwards."""

import socket
from pathlib import Path

from tests.agent.balancing import haproxy, needs_haproxy, webs
from tests.agent.e2e.fleet import Rig
from tests.agent.howto.pages import begins, blocks, here, is_over, restart
from tests.agent.process import an_agent
from tests.waiting import until

HAPROXY, PROBE = blocks("leave-a-load-balancer-pool", "toml")


@needs_haproxy
def test_haproxy_sends_nothing_more_and_then_again(fleet: Rig, tmp_path: Path) -> None:
    with webs("vm", "other") as servers, haproxy(*servers.values()) as balancer:
        config = here(HAPROXY, {"/run/haproxy/admin.sock": balancer.admin})
        with an_agent(tmp_path, config, endpoint=fleet.endpoint("vm")) as agent:
            until(lambda: balancer.status("vm") == "UP", "it is in the pool")
            event = restart(fleet, agent, "vm")
            begins(fleet, event)
            assert balancer.status("vm") == "DRAIN"
            assert {balancer.get() for _ in range(4)} == {servers["other"].name}
            fleet.advance("1m")
            is_over(agent, event)
            until(lambda: balancer.status("vm") == "UP", "it is in the pool again")


def test_a_probe_hears_of_it_and_the_last_connection_is_waited_for(fleet: Rig, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as service:
        config = here(PROBE, {'"15s"': '"100ms"', "8080": str(service.getsockname()[1])})
        with an_agent(tmp_path, config, endpoint=fleet.endpoint("vm")) as agent:
            until(lambda: agent.get("/drained")[0] == 200, "it is in the pool")
            client = socket.create_connection(service.getsockname())
            connection, _ = service.accept()
            event = restart(fleet, agent, "vm")
            until(lambda: agent.sees("preparing"), "it is seen")
            assert agent.get("/drained")[0] == 503
            until(lambda: "answered: preparing" in agent.said(), "it waits for the connection")
            assert fleet.phase(event) == "Scheduled"

            connection.close()
            client.close()
            begins(fleet, event)
            assert agent.get("/drained")[0] == 503
            fleet.advance("1m")
            is_over(agent, event)
            assert agent.get("/drained") == (200, "in service\n")
