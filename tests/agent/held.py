"""An agent within this process, with no metadata service to ask, under the eyes of a supervisor."""

import logging
import random
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from forewarn.agent.config import Config
from forewarn.agent.journal import Journal
from forewarn.agent.loop import Agent
from forewarn.agent.notices import Notices
from forewarn.agent.peers import NoPeers
from forewarn.agent.steps import build
from forewarn.agent.supervising import Supervisor
from forewarn.agent.watching import Watcher
from forewarn.client import ScheduledEvents
from tests.agent.process import NOWHERE

LOG = logging.getLogger("tests.agent.held")


@contextmanager
def held_agent(folder: Path, environment: Mapping[str, str]) -> Iterator[Agent]:
    journal = Journal(folder / "journal.db")
    client = ScheduledEvents(NOWHERE, name="x")
    agent = Agent(
        config=Config(),
        journal=journal,
        client=client,
        peers=NoPeers(),
        notices=Notices(journal, wall=lambda: 0.0, log=LOG, rng=random.Random(0)),
        spool=folder / "spool",
        build=build,
        log=LOG,
    )
    watcher = Watcher(
        client, see=agent.see, know=agent.know, tick=lambda: None, is_busy=lambda: agent.is_busy, poll=1.0, log=LOG
    )
    loop = threading.Thread(target=agent.run)
    with Supervisor(agent, watcher, environment):
        watcher.start()
        loop.start()
        try:
            yield agent
        finally:
            agent.stop()
            loop.join(10)
            watcher.stop()
    client.close()
    journal.close()
