"""A real PostgreSQL is handed over before its machine goes down, and handed back, with nothing lost."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.agent.e2e.fleet import Rig
from tests.agent.howto.pages import begins, blocks, here, is_over, restart, script
from tests.agent.howto.postgres import AS_POSTGRES, PATH, Server, a_pair, needs_postgres
from tests.agent.process import Agent, an_agent
from tests.waiting import until

PAGE = "fail-over"
pytestmark = needs_postgres


@contextmanager
def agent_of(fleet: Rig, folder: Path, name: str, mine: Server, peer: Server) -> Iterator[Agent]:
    hand_over = script(mine.data.parent / "hand-over", blocks(PAGE, "sh")[0])
    instead = {
        "/usr/local/bin/hand-over": str(hand_over),
        "host=db-1 dbname=postgres": peer.where,
        '"dbname=postgres"': f'"{mine.where}"',
        "/var/lib/postgresql/data": str(mine.data),
        "/usr/lib/postgresql/15/bin:/usr/sbin:/usr/bin:/sbin:/bin": PATH,
        "runuser -u postgres -- ": "".join(f"{word} " for word in AS_POSTGRES),
    }
    with an_agent(folder / name, here(blocks(PAGE, "toml")[0], instead), endpoint=fleet.endpoint(name)) as agent:
        yield agent


def write(server: Server, note: str) -> None:
    server.ask(f"insert into notes values ('{note}')")


def notes(server: Server) -> list[str]:
    return server.ask("select string_agg(note, ' ' order by note) from notes").split()


def follows(primary: Server) -> None:
    query = "select count(*) from pg_stat_replication where state = 'streaming'"
    until(lambda: primary.ask(query) == "1", "the other one follows")


def test_the_primary_is_handed_over_and_back_and_a_standby_just_goes(fleet: Rig, tmp_path: Path) -> None:
    with (
        a_pair() as (first, second),
        agent_of(fleet, tmp_path, "db-0", first, second) as db_0,
        agent_of(fleet, tmp_path, "db-1", second, first) as db_1,
    ):
        first.ask("create table notes (note text)")
        follows(first)
        write(first, "1")
        go_through(fleet, db_0, "db-0", primary=second)
        assert (second.is_primary(), first.is_primary()) == (True, False)
        follows(second)

        write(second, "2")
        go_through(fleet, db_1, "db-1", primary=first)
        assert (second.is_primary(), first.is_primary()) == (False, True)
        assert notes(first) == ["1", "2"]
        follows(first)

        write(first, "3")
        go_through(fleet, db_1, "db-1", primary=first)
        until(lambda: notes(second) == ["1", "2", "3"], "it still follows")


def go_through(fleet: Rig, agent: Agent, machine: str, *, primary: Server) -> None:
    """A restart, at whose beginning `primary` is the one."""
    event = restart(fleet, agent, machine)
    begins(fleet, event)
    assert primary.is_primary()
    fleet.advance("1m")
    is_over(agent, event)


def test_without_a_standby_that_follows_nothing_is_handed_over_nor_approved(fleet: Rig, tmp_path: Path) -> None:
    with a_pair() as (first, second), agent_of(fleet, tmp_path, "db-0", first, second) as agent:
        follows(first)
        second.ask("alter system set primary_conninfo = ''")
        second.ask("select pg_reload_conf()")
        until(lambda: first.ask("select count(*) from pg_stat_replication") == "0", "it follows no more")
        event = restart(fleet, agent, "db-0")
        until(lambda: agent.sees("blocked"), "the step has failed")
        assert "no standby follows: handing over would lose data" in agent.said()
        assert (fleet.phase(event), first.is_primary()) == ("Scheduled", True)
