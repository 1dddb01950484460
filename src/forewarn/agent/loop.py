"""The agent itself: one thread that hears what happened, asks the brain, and has it done.

Everything that takes time runs elsewhere (the watcher, the chains, the approvals) and comes back here as a call. So
what the agent knows is changed by one thread only, and a slow step never keeps it from hearing that it was cancelled.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from shutil import rmtree
from time import monotonic
from typing import Any

from forewarn.agent.brain import Action, Approve, Begin, Finish, Hold, LeaveAlone, Renew, Start, View, plan, time_left
from forewarn.agent.config import Approval, Config, StepSpec
from forewarn.agent.crew import Crew
from forewarn.agent.doubt import Doubt
from forewarn.agent.errors import JournalError
from forewarn.agent.herald import Herald
from forewarn.agent.journal import Journal, Notice
from forewarn.agent.notices import Moment, Notices
from forewarn.agent.peers import Peers
from forewarn.agent.records import Happened, Progress, Record, Stage, StepRecord, moved
from forewarn.agent.turns import Step
from forewarn.client import ClientError, Document, Event, Identity, ScheduledEvents, Verdict, judge

TICK = 1.0
"""Seconds between two looks at what waits, while anything does."""
AGAIN = 5.0
"""Seconds before an approval that failed is tried again."""
MOMENTS = {Stage.READY: Moment.READY, Stage.BLOCKED: Moment.FAILED, Stage.OVER: Moment.OVER}
"""What is told when a chain has ended at a stage."""
TROUBLES = frozenset({Progress.FAILED, Progress.SKIPPED, Progress.UNRESTORED})
TELLS = frozenset({Approval.OWN, Approval.LEADER, Approval.ALL_READY})
"""The policies under which a machine says that it is ready. The others leave that to a person, or to nobody."""


# TODO: it is longer than a file here should be; approving and asking the peers (from `_approve` to `_hear_peers`) can
# become a class of their own, as the chains (crew.py) and saying that this machine is ready (herald.py) are.
class Agent:
    def __init__(
        self,
        *,
        config: Config,
        journal: Journal,
        client: ScheduledEvents,
        peers: Peers,
        notices: Notices,
        spool: Path,
        build: Callable[[StepSpec], Step],
        log: logging.Logger,
    ) -> None:
        self.config = config
        self.journal = journal
        self.identity: Identity | None = None
        self.document: Document | None = None
        self.waits: dict[str, str] = {}
        """Why an event is not approved, by its key."""
        self._client = client
        self._peers = peers
        self._notices = notices
        self._spool = spool
        self._log = log
        self._inbox: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._crew = Crew(
            journal=journal,
            spool=spool,
            build=build,
            available=self._available,
            ended=lambda key, fact: self.post(lambda: self._chain_ended(key, fact)),
            failed=lambda trouble: self.post(lambda: self._give_up(trouble)),
            log=log,
        )
        self._speaking: dict[str, float] = {}  # by the event's key: until when not to approve again
        self._ready: dict[str, frozenset[str]] = {}
        self._asked: dict[str, float] = {}  # by the event's key: when its other machines were asked last
        self._mentioned: set[tuple[str, str]] = set()
        self._doubt = Doubt(monotonic)
        self._herald = Herald(peers, self._in_background, self.post)
        self._stopping = False

    # What others tell it, from any thread.

    def post(self, call: Callable[[], None]) -> None:
        self._inbox.put(call)

    def stop(self) -> None:
        self.post(self._stop)

    def reload(self, config: Config) -> None:
        """For events to come; those under way keep the steps they began with."""
        self.post(lambda: self._reload(config))

    def know(self, identity: Identity) -> None:
        self.post(lambda: setattr(self, "identity", identity))

    def see(self, document: Document) -> None:
        self.post(lambda: self._see(document))

    def answer(self, key: str, yes: bool) -> None:
        """What a person said when asked."""
        self.post(lambda: self._answer(key, yes))

    def now(self) -> datetime:
        """By the server's clock."""
        return self._client.clock.now()

    # The loop.

    def run(self) -> None:
        """Until it is stopped. What is unfinished then is in the journal."""
        for record in self.journal.records():
            self._log.info("%s: going on where it was left: %s", _name(record), record.stage.value)
            if record.stage is Stage.RESTORING:  # the others wait until the server says whether it still is to come
                self._crew.begin(record)
            if record.stage is Stage.READY:
                self._say_ready(record)
        while not self._stopping:
            self._hear()
            self._think()
        self._crew.suspend()

    def _hear(self) -> None:
        try:
            self._inbox.get(timeout=TICK if self.is_busy else None)()
        except Empty:
            return

    @property
    def is_busy(self) -> bool:
        return bool(self._crew.is_busy or self.waits or self._speaking or self._herald.is_busy or self._doubt.holds)

    def _think(self) -> None:
        if self.document is None or self.identity is None or self._stopping:
            return
        records = self.journal.records()
        known = {record.key for record in records}
        past = {e.key for e in self.document.events if e.key not in known and self.journal.record(e.key) is not None}
        view = View(
            config=self.config,
            document=self.document,
            records=records,
            past=frozenset(past),
            mine=self._mine,
            now=self._client.clock.now(),
            ready=self._ready,
            doubted=self._doubt.holds,
        )
        actions = plan(view)
        for action in actions:
            self._do(action)
        for record in self.journal.records() if actions else records:
            self._go_on(record)
            self._herald.look(record)

    def _see(self, document: Document) -> None:
        self.document = document
        self._doubt.see(document.incarnation)
        if self._doubt.holds:
            self._log.warning("the document went back to %d: perhaps an old copy", document.incarnation)

    def _do(self, action: Action) -> None:
        match action:
            case Begin():
                self._begin(action)
            case LeaveAlone():
                self._mention(action.event.key, f"{action.event.kind} {action.event.id}: left alone: {action.why}")
            case Renew(key=key, event=event):
                self.journal.change(key, lambda r: replace(r, event=event))
                self._log.info("%s: now not before %s", _name(self.journal.known(key)), event.not_before)
            case Start(key=key, event=event):
                self._start(key, event)
            case Finish(key=key):
                self._finish(key)
            case Approve(key=key, why=why):
                self._approve(key, why)
            case Hold(key=key, why=why):
                self._hold(key, why)

    # What the actions do.

    def _begin(self, begin: Begin) -> None:
        chain = self.config.chain(begin.rule)
        record = Record(
            event=begin.event,
            me=begin.me,
            rule=begin.rule.name,
            approval=self.config.approval(begin.rule),
            approve_after_failure=begin.rule.approve_after_failure,
            urgent=begin.urgent,
            started=begin.event.is_started,
            seen_at=self._client.clock.now(),
            steps=tuple(StepRecord(position=position, spec=spec) for position, spec in enumerate(chain)),
            tellers=self.config.tellers(begin.rule),
        )
        self.journal.begin(record, self._notices_about(record, Moment.SEEN))
        self._notices.wake()
        left = "unknown notice" if begin.left is None else f"{begin.left.total_seconds():.0f} s of notice"
        self._log.info("%s: seen, with %s; %s", _name(record), left, begin.rule.name)
        self._crew.begin(record)

    def _start(self, key: str, event: Event) -> None:
        record = self._move(key, Happened.STARTED, Moment.STARTED, event=event, started=True)
        if record.stage is Stage.READY:
            self._log.info("%s: started", _name(record))
        else:
            self._log.warning("%s: started, and this machine is not prepared", _name(record))
        self._crew.call_off(key)

    def _finish(self, key: str) -> None:
        record = self._move(key, Happened.GONE)
        self._log.info("%s: over; restoring", _name(record))
        self._forget(key)
        self._herald.forget(key)
        if self._crew.is_at(key):
            self._crew.call_off(key)  # restoring begins when it has stopped
        else:
            self._crew.begin(record)

    def _approve(self, key: str, why: str) -> None:
        if self._speaking.get(key, 0.0) > monotonic():
            return
        record = self.journal.known(key)
        if self.config.settings.dry_run:
            self._hold(key, f"dry run: would be approved, {why}")
            return
        self._speaking[key] = float("inf")
        self.waits[key] = "the server to take the approval"
        self._log.info("%s: approving: %s", _name(record), why)
        self._in_background(lambda: self._speak(record))

    def _speak(self, record: Record) -> None:
        try:
            self._client.approve(record.event)
        except ClientError as error:
            text = str(error)
            self.post(lambda: self._not_approved(record.key, text))
        else:
            self.post(lambda: self._approved(record.key))

    def _approved(self, key: str) -> None:
        record = self.journal.change(key, lambda r: replace(r, approved=True))
        self._log.info("%s: approved", _name(record))
        self._forget(key)

    def _not_approved(self, key: str, why: str) -> None:
        self._log.warning("%s: could not be approved: %s", _name(self.journal.known(key)), why)
        if key in self._speaking:  # it is not over meanwhile
            self._speaking[key] = monotonic() + AGAIN
            self.waits[key] = f"could not be approved: {why}"

    def _hold(self, key: str, why: str) -> None:
        record = self.journal.known(key)
        if self.waits.get(key) != why:
            self._log.info("%s: %s", _name(record), why)
        self.waits[key] = why
        paced = self._asked.get(key, 0.0) + TICK <= monotonic()
        if paced and record.approval is Approval.ALL_READY and record.stage is Stage.READY:
            self._asked[key] = monotonic()
            self._in_background(lambda: self._ask_peers(record))

    def _ask_peers(self, record: Record) -> None:
        ready = self._peers.ready(record.event)
        self.post(lambda: self._hear_peers(record.key, ready))

    def _hear_peers(self, key: str, ready: frozenset[str]) -> None:
        if key in self._asked:  # it is not over meanwhile
            self._ready[key] = ready

    # Chains.

    def _go_on(self, record: Record) -> None:
        """A chain that should run and does not is begun, be it for the first time or after a restart."""
        waits = record.stage is Stage.PREPARING and (record.urgent or not record.started)
        if (waits or record.stage is Stage.RESTORING) and not self._crew.is_at(record.key):
            self._crew.begin(record)

    def _chain_ended(self, key: str, fact: Happened | None) -> None:
        self._crew.dismiss(key)
        if fact is None:
            return
        before = self.journal.known(key)
        stage = moved(before.stage, fact)
        ready_at = self._client.clock.now() if stage is Stage.READY else before.ready_at
        record = self._move(key, fact, MOMENTS[stage] if stage is not before.stage else None, ready_at=ready_at)
        self._log.info("%s: %s", _name(record), stage.value)
        if stage is Stage.READY:
            self._say_ready(record)
        if stage is Stage.OVER:
            rmtree(self._spool / key, ignore_errors=True)

    def _give_up(self, trouble: JournalError) -> None:
        """Nothing may be done that the journal does not know of."""
        raise trouble

    def _say_ready(self, record: Record) -> None:
        if record.approval in TELLS and not self.config.settings.dry_run:
            self._herald.say(record.key)

    # Small things.

    def _move(self, key: str, fact: Happened, moment: Moment | None = None, **changes: Any) -> Record:
        """By the table, together with what there is to tell of it."""
        before = self.journal.known(key)
        record = replace(before, stage=moved(before.stage, fact), **changes)
        self.journal.change(key, lambda _: record, self._notices_about(record, moment) if moment else ())
        self._notices.wake()
        return record

    def _notices_about(self, record: Record, moment: Moment) -> list[Notice]:
        troubles = [f"{step.spec.name}: {step.note}" for step in record.steps if step.progress in TROUBLES]
        return self._notices.about(record, moment, self._client.clock.now(), "; ".join(troubles))

    def _mine(self, event: Event) -> str | None:
        """The name under which the event is about this machine."""
        if self.identity is None:
            return None
        verdicts = {name: judge(replace(event, resources=(name,)), self.identity) for name in event.resources}
        for name, judgement in verdicts.items():
            if judgement.verdict is Verdict.YES:
                return name
        return None if any(j.verdict is Verdict.UNSURE for j in verdicts.values()) or not verdicts else ""

    def _available(self, event: Event) -> timedelta | None:
        """Nobody knows how much is left of what has started: there the urgent limits are all that counts."""
        if event.is_started:
            return None
        left = time_left(event, self._client.clock.now())
        return None if left is None else left - self.config.settings.margin

    def _answer(self, key: str, yes: bool) -> None:
        record = self.journal.change(key, lambda r: replace(r, asked=yes))
        self._log.info("%s: a person says %s", _name(record), "yes" if yes else "no")

    def _reload(self, config: Config) -> None:
        self.config = config
        self._mentioned.clear()
        self._log.info("the configuration was read again")

    def _stop(self) -> None:
        self._stopping = True

    def _forget(self, key: str) -> None:
        self.waits.pop(key, None)
        self._speaking.pop(key, None)
        self._ready.pop(key, None)
        self._asked.pop(key, None)

    def _mention(self, key: str, text: str) -> None:
        if (key, text) not in self._mentioned:
            self._mentioned.add((key, text))
            self._log.info("%s", text)

    def _in_background(self, work: Callable[[], None]) -> None:
        threading.Thread(target=work, name="agent's errand", daemon=True).start()


def _name(record: Record) -> str:
    return f"{record.event.kind} {record.event.id}"
