"""The agent's composition root: the one place that names concrete classes, reads the wall clock and hears signals."""

import logging
import random
import signal
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from forewarn.agent.config import Config, Settings, StepSpec
from forewarn.agent.counting import CountedStep, CountedTransport, Tally
from forewarn.agent.directory import StateDirectory, state_of
from forewarn.agent.dry import DryNotices, DryStep
from forewarn.agent.errors import AgentError
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
from forewarn.client import HttpTransport, ScheduledEvents, Transport

AT_START = ("endpoint", "name", "state", "listen", "poll", "peers", "log", "dry_run", "record")
"""Settings that count until the agent is started anew."""


def run(config: Config, read: Callable[[], Config], log: logging.Logger) -> None:
    """Until SIGTERM or SIGINT; SIGHUP has `read` give the configuration anew."""
    settings = config.settings
    tally = Tally()
    with StateDirectory(state_of(settings)) as state:
        journal = Journal(state / "journal.db")
        client = _client(settings, tally, log)
        notices = (DryNotices if settings.dry_run else Notices)(journal, wall=time.time, log=log, rng=random.Random())
        agent = Agent(
            config=config,
            journal=journal,
            client=client,
            peers=peers_of(settings.peers, client, log),
            notices=notices,
            spool=state / "spool",
            build=_builder(settings, tally),
            log=log,
        )
        watcher = Watcher(
            client,
            see=agent.see,
            know=agent.know,
            tick=lambda: agent.post(lambda: None),
            is_busy=lambda: agent.is_busy,
            poll=settings.poll.total_seconds(),
            log=log,
        )
        with (
            serving(agent, watcher, state, settings.listen, log, tally),
            Supervisor(agent, watcher) as supervisor,
        ):
            _hear_signals(agent, supervisor, read, log)
            notices.start()
            watcher.start()
            try:
                agent.run()
            finally:
                watcher.stop()
                notices.stop()
        client.close()
        journal.close()


def _client(settings: Settings, tally: Tally, log: logging.Logger) -> ScheduledEvents:
    transport: Transport = CountedTransport(HttpTransport(), tally)
    if settings.record is not None:
        transport = Recorder(transport, settings.record, lambda: datetime.now(UTC), log)
    return ScheduledEvents(
        settings.endpoint or None,
        name=settings.name or None,
        transport=transport,
        interval=settings.poll.total_seconds(),
    )


def _builder(settings: Settings, tally: Tally) -> Callable[[StepSpec], Step]:
    if settings.dry_run:
        return lambda spec: DryStep(build(spec))
    return lambda spec: CountedStep(spec.name, build(spec), tally)


def _hear_signals(agent: Agent, supervisor: Supervisor, read: Callable[[], Config], log: logging.Logger) -> None:
    """A handler only leaves word for the loop: it may run in the midst of anything."""

    def read_again() -> None:
        supervisor.reloading()
        try:
            agent.reload(reloadable(read(), agent.config, log))
        except AgentError as error:
            log.error("the configuration stays as it was: %s", error)
        agent.post(supervisor.reloaded)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: agent.stop())
    signal.signal(signal.SIGHUP, lambda *_: agent.post(read_again))


def reloadable(new: Config, old: Config, log: logging.Logger) -> Config:
    """The new configuration, with what cannot change under a running agent as it was."""
    was = {name: getattr(old.settings, name) for name in AT_START}
    for name, value in was.items():
        if getattr(new.settings, name) != value:
            log.warning("agent.%s has changed: that counts once the agent is started anew", name)
    return replace(new, settings=replace(new.settings, **was))
