"""The agent's composition root: the one place that names concrete classes, reads the wall clock and hears signals."""

import logging
import random
import signal
import time
from collections.abc import Callable

from forewarn.agent.config import Config, StepSpec
from forewarn.agent.directory import StateDirectory
from forewarn.agent.dry import DryStep
from forewarn.agent.errors import BadConfig
from forewarn.agent.journal import Journal
from forewarn.agent.loop import Agent
from forewarn.agent.notices import Notices
from forewarn.agent.peers import peers_of
from forewarn.agent.recording import Recorder
from forewarn.agent.serving import serving
from forewarn.agent.steps import build
from forewarn.agent.supervising import Supervisor
from forewarn.agent.turns import Step
from forewarn.agent.watching import Watcher
from forewarn.client import HttpTransport, ScheduledEvents


def run(config: Config, read: Callable[[], Config], log: logging.Logger) -> None:
    """Until SIGTERM or SIGINT; SIGHUP has `read` give the configuration anew."""
    settings = config.settings
    with StateDirectory(settings.state / "dry-run" if settings.dry_run else settings.state) as state:
        journal = Journal(state / "journal.db")
        client = _client(config)
        notices = Notices(journal, wall=time.time, log=log, rng=random.Random())
        agent = Agent(
            config=config,
            journal=journal,
            client=client,
            peers=peers_of(settings.peers, client, log),
            notices=notices,
            spool=state / "spool",
            build=_builder(config),
            log=log,
        )
        watcher = Watcher(
            client,
            see=agent.see,
            know=agent.know,
            tick=lambda: agent.post(lambda: None),
            is_busy=lambda: agent.is_busy,
            log=log,
        )
        _hear_signals(agent, read, log)
        with serving(agent, watcher, state, settings.listen, log), Supervisor(agent, watcher):
            notices.start()
            watcher.start()
            try:
                agent.run()
            finally:
                watcher.stop()
                notices.stop()
                client.close()
                journal.close()


def _client(config: Config) -> ScheduledEvents:
    settings = config.settings
    transport = HttpTransport() if settings.record is None else Recorder(HttpTransport(), settings.record)
    return ScheduledEvents(settings.endpoint or None, name=settings.name or None, transport=transport)


def _builder(config: Config) -> Callable[[StepSpec], Step]:
    return (lambda spec: DryStep(build(spec))) if config.settings.dry_run else build


def _hear_signals(agent: Agent, read: Callable[[], Config], log: logging.Logger) -> None:
    def hang_up(*_: object) -> None:
        try:
            agent.reload(read())
        except BadConfig as error:
            log.error("the configuration stays as it was: %s", error)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: agent.stop())
    signal.signal(signal.SIGHUP, hang_up)
