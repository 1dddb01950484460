"""What others may ask the agent: load balancers, peers and monitoring over TCP, people over a unix socket.

The TCP side tells, and changes nothing. The socket takes answers too, and only the agent's own user gets to it.
"""

import json
import logging
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from forewarn.agent import metrics, sockets
from forewarn.agent.config import Approval
from forewarn.agent.counting import Tally
from forewarn.agent.errors import AgentError
from forewarn.agent.loop import TELLS, Agent
from forewarn.agent.pulse import Pulse
from forewarn.agent.records import Record, Stage
from forewarn.agent.status import status_of
from forewarn.agent.watching import Watcher
from forewarn.agent.web import Asked, Reply, in_json, serving_on

LATELY = 60.0
"""Seconds, and `poll`, within which the metadata service must have been heard; who is idle waits 20 s at a time."""
TURN = 2.0
"""Seconds within which the loop must turn."""


@contextmanager
def serving(
    agent: Agent, watcher: Watcher, state: Path, listen: str, log: logging.Logger, tally: Tally
) -> Iterator[str]:
    """Gives the address it listens on; "" for none."""
    with ExitStack() as stack:
        address = ""
        front = Front(agent, watcher, tally, Pulse(agent.post))
        if listen:
            listener = _listener(listen)
            address = _address(listener)
            stack.enter_context(serving_on(listener, front.answer, log))
            log.info("serving /healthz, /drained, /ready and /metrics at http://%s", address)
        desk = Desk(agent, watcher, tally, address)
        stack.enter_context(serving_on(sockets.bind(state), desk.answer, log))
        yield address


@dataclass(frozen=True, slots=True)
class Front:
    """For machines."""

    agent: Agent
    watcher: Watcher
    tally: Tally
    pulse: Pulse

    def answer(self, asked: Asked) -> Reply:
        if asked.method != "GET":
            return Reply(status=405, text="GET it\n")
        match asked.path.split("/")[1:]:
            case ["healthz"]:
                return self.healthz()
            case ["drained"]:
                return self.drained()
            case ["ready", event] if event:
                return self.ready(event)
            case ["metrics"]:
                found = metrics.metrics(self.agent, self.watcher, self.tally)
                return Reply(text=metrics.render(found), kind=metrics.CONTENT_TYPE)
            case _:
                return Reply(status=404, text="there are /healthz, /drained, /ready/EVENT and /metrics\n")

    def healthz(self) -> Reply:
        why = self._illness()
        return Reply(status=503, text=f"{why}\n") if why else Reply(text="well\n")

    def drained(self) -> Reply:
        """In a dry run nothing is taken from under a load balancer either."""
        busy = [] if self.agent.config.settings.dry_run else self.agent.journal.records()
        told = ", ".join(f"{record.event.kind} {record.event.id}: {record.stage.value}" for record in busy)
        return Reply(status=503, text=f"{told}\n") if busy else Reply(text="in service\n")

    def ready(self, event: str) -> Reply:
        record = self.agent.journal.record(event.upper())
        if record is None:
            return Reply(status=404, text="this machine knows of no such event\n")
        why = self._unreadiness(record)
        return Reply(status=409, text=f"{why}\n") if why else Reply(text="ready\n")

    def _illness(self) -> str:
        if not self.watcher.is_alive:
            return "nobody watches the metadata service any longer: restart the agent"
        if not self.pulse.beats(TURN):
            return "the agent does nothing any longer: restart it"
        silence = self.tally.silence
        if silence is None:
            return f"the metadata service was not heard yet{self._trouble()}"
        if silence > LATELY + self.agent.config.settings.poll.total_seconds() or self.watcher.trouble:
            return f"the metadata service was last heard {silence:.0f} s ago{self._trouble()}"
        return ""

    def _trouble(self) -> str:
        return f": {self.watcher.trouble}" if self.watcher.trouble else ""

    def _unreadiness(self, record: Record) -> str:
        if self.agent.config.settings.dry_run:
            return "this is a dry run: nothing is prepared"
        if record.approval not in TELLS:
            return f"approval is {record.approval.value}: this machine does not speak for itself"
        return "" if record.stage is Stage.READY else record.stage.value


@dataclass(frozen=True, slots=True)
class Desk:
    """For people: `forewarn agent status` and `forewarn agent approve`."""

    agent: Agent
    watcher: Watcher
    tally: Tally
    listen: str

    def answer(self, asked: Asked) -> Reply:
        match asked.method, asked.path:
            case "GET", "/status":
                return in_json(status_of(self.agent, self.watcher, self.tally, self.listen))
            case "POST", "/answer":
                return self.decide(asked.body)
            case _:
                return in_json({"error": "there are GET /status and POST /answer"}, 404)

    def decide(self, body: bytes) -> Reply:
        try:
            told = json.loads(body)
            event, yes = told["event"], told["yes"]
        except (ValueError, TypeError, KeyError):
            event, yes = None, None
        if not isinstance(event, str) or not isinstance(yes, bool):
            return in_json({"error": 'the body is {"event": ID, "yes": true or false}'}, 400)
        return self._decide(event, yes)

    def _decide(self, event: str, yes: bool) -> Reply:
        """What is answered with 200 is in the journal."""
        record = self.agent.journal.record(event.upper())
        if record is None or not record.is_live:
            return in_json({"error": f"there is no event {event} under way"}, 404)
        if why := unaskable(record):
            return in_json({"error": why}, 409)
        self.agent.answer(record.key, yes)
        heard = threading.Event()
        self.agent.post(heard.set)
        if not heard.wait(TURN):
            return in_json({"error": "the agent does nothing any longer: restart it, then answer again"}, 503)
        return in_json(_answered(self.agent.journal.known(record.key)))


def unaskable(record: Record) -> str:
    """Why no person is asked about an event; "" if one is."""
    if record.approval is not Approval.ASK:
        return f"nobody is asked about {record.event.id}: its approval is {record.approval.value}"
    if record.started:
        return f"{record.event.id} has started"
    if record.approved:
        return f"{record.event.id} is approved already"
    return "" if record.stage is not Stage.RESTORING else f"{record.event.id} is over"


def _answered(record: Record) -> dict[str, Any]:
    return {"event": record.event.id, "yes": record.asked, "stage": record.stage.value}


def _listener(listen: str) -> socket.socket:
    host, _, port = listen.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise AgentError(f"agent.listen: {listen!r} is no address and port, such as 127.0.0.1:9255.")
    try:
        return socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise AgentError(
            f"It cannot listen on {listen}: {error.strerror or error}. [agent] listen chooses another address."
        ) from None


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
