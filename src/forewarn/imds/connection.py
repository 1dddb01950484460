"""One client's connection: bytes in, decisions asked for, bytes out, in the order the requests came.

A request that was accepted before is recognised by its very bytes (the memo) and goes straight to its document. The
memo holds decisions of the strict path, never answers, so it cannot be stale.
"""

import asyncio
import logging
from collections.abc import Coroutine
from math import inf
from typing import TYPE_CHECKING, Any, cast

from forewarn.imds.body import Body, body_of
from forewarn.imds.doors import Door
from forewarn.imds.http import Head, Refusal
from forewarn.imds.listeners import Listener
from forewarn.imds.phases import BODY, BUSY, DEFERRED, HEAD, IDLE, LEAVING, PARKED, Phase
from forewarn.imds.replies import CONTINUE, REFUSALS, Ending, Reply, reply_to
from forewarn.imds.service import Approve, Decision, Issue, Read, Stand
from forewarn.wire import answers
from forewarn.wire.answers import Answer

if TYPE_CHECKING:
    from forewarn.imds.server import Server

_log = logging.getLogger(__name__)


class Connection(asyncio.Protocol):
    __slots__ = (
        "_body",
        "_door",
        "_ended",
        "_head",
        "_kept",
        "_listener",
        "_memo",
        "_phase",
        "_plan",
        "_server",
        "_transport",
        "deadline",
        "stalled",
    )
    _transport: asyncio.Transport

    def __init__(self, server: "Server", listener: Listener) -> None:
        self._server = server
        self._listener = listener
        self._door: Door | None = None
        self._memo: dict[bytes, Read] = {}
        self._phase = IDLE
        self._kept = b""  # has come, but was not looked at yet
        self._head: Head | None = None  # of the request whose body is coming
        self._body: Body | None = None
        self._plan: Read | None = None  # what is parked
        self._ended = False  # the client has said all it will say
        self.deadline = inf  # how long the phase may last
        self.stalled = inf  # by when the client must have taken what was written

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)
        self._door = self._server.enter(self, self._listener, transport)
        if self._door is None:
            self._transport.abort()
            return
        # Nothing is buffered here: bytes go out at once, and what the kernel does not take stops the reading.
        self._transport.set_write_buffer_limits(high=0)
        self._memo = self._door.memo
        self._enter(IDLE, self._server.limits.head_time)

    def data_received(self, data: bytes) -> None:
        plan = self._memo.get(data)
        if self._phase is IDLE:
            self._advance(data) if plan is None else self._read(plan)
        elif self._phase is HEAD or self._phase is BODY:
            data, self._kept = self._kept + data, b""
            self._advance(data)
        elif self._phase is not LEAVING:
            self._keep(data)

    def eof_received(self) -> bool:
        """True keeps the connection open until what was asked is answered."""
        self._ended = True
        if self._phase in (BUSY, DEFERRED):
            return True
        if self._phase is PARKED:
            self._unpark()
        self._enter(LEAVING, self._server.limits.drain_time)
        return False

    def pause_writing(self) -> None:
        self.stalled = self._server.monotonic() + self._server.limits.drain_time
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        self.stalled = inf
        if self._phase is not LEAVING:
            self._transport.resume_reading()
            self._go_on()

    def connection_lost(self, error: Exception | None) -> None:
        if self._phase is PARKED:
            self._unpark()
        self._phase = LEAVING
        if self._door is not None:
            self._server.leave(self, self._door)

    # What the server tells.

    def expire(self, now: float) -> None:
        """Time is up for the phase, or for the client to take its answers."""
        if self.stalled <= now or self._phase is LEAVING:
            self._transport.abort()
        elif self._phase is PARKED:
            self._end_wait()
        elif self._phase is IDLE:
            self._close()
        else:
            self._refuse(answers.REQUEST_TIMEOUT)

    def wake(self, ticket: object) -> None:
        if self._plan is not ticket or self._phase is not PARKED:
            return
        plan = self._unpark()
        if plan.guest.is_here:
            self._renew(plan)
        else:
            self._write(reply_to(answers.UNKNOWN_CALLER, plan.form.ending))
        self._go_on()

    def abort(self) -> None:
        self._transport.abort()

    def close(self) -> None:
        """The server ends. What the backend works on is still answered."""
        self._ended = True
        if self._phase not in (BUSY, LEAVING):
            self._close()

    # Bytes to requests.

    def _keep(self, data: bytes) -> None:
        self._kept += data
        if len(self._kept) > self._server.limits.head + self._server.limits.body:
            self._transport.pause_reading()

    def _advance(self, data: bytes) -> None:
        """Answer the requests in `data`, as far as they are complete and it is their turn."""
        start, end, served = self._take_request(data, 0), len(data), 1
        while start < end and self._phase is IDLE and self.stalled is inf and served < self._server.limits.burst:
            start = self._take_request(data, start)
            served += 1
        if start < end:
            self._kept = data[start:]
            if self._phase is IDLE:
                self._enter(DEFERRED)
                self._server.loop.call_soon(self._go_on)

    def _take_request(self, data: bytes, start: int) -> int:
        """Returns where the next one starts."""
        if self._body is not None:
            return self._take_body(data, start)
        head = self._server.reader.read(data, start)
        if not isinstance(head, Head):
            return self._no_head(head, data, start)
        if head.length:
            self._head, self._body = head, body_of(head, self._server.limits)
            self._enter(BODY, self._server.limits.body_time)
            if head.modern and b"expect" in head.fields:
                self._transport.write(CONTINUE)
            return self._take_body(data, head.end)
        decision = self._serve(head, b"")
        if isinstance(decision, Read) and start == 0 and head.end == len(data) and self._door is not None:
            self._server.doors.remember(self._door, data, decision)
        return head.end

    def _no_head(self, refusal: Refusal | None, data: bytes, start: int) -> int:
        if refusal is not None:
            self._refuse(REFUSALS[refusal])
            return len(data)
        if self._phase is not HEAD:
            self._enter(HEAD, self._server.limits.head_time)
        return start

    def _take_body(self, data: bytes, start: int) -> int:
        head, body = self._head, self._body
        assert head is not None, "a body comes after its head"
        assert body is not None
        rest = body.feed(data[start:])
        if isinstance(rest, bytes):
            self._head = self._body = None
            self._enter(IDLE, inf)
            self._serve(head, bytes(body.content))
            return len(data) - len(rest)
        if rest is not None:
            self._refuse(REFUSALS[rest])
        return len(data)

    def _go_on(self) -> None:
        """Look at what came while there was no time for it."""
        if self.stalled is not inf or self._phase is LEAVING:
            return
        if self._phase is DEFERRED:
            self._phase = IDLE
        if self._phase is IDLE and self._kept:
            data, self._kept = self._kept, b""
            self._transport.resume_reading()
            self._advance(data)
        if self._ended and self._phase in (IDLE, HEAD, BODY):
            self._close()

    # Requests to answers.

    def _serve(self, head: Head, body: bytes) -> Decision | None:
        """What was decided, and done. None: that will be later, or not at all."""
        assert self._door is not None, "a connection without a door is closed at once"
        try:
            decision = self._server.service.decide(head, body, self._door)
        except Exception:
            _log.exception("a request from %s could not be decided", self._door.peer)
            decision = answers.INTERNAL_ERROR
        if isinstance(decision, Read):
            self._read(decision)
        elif isinstance(decision, Approve):
            self._server.saw(decision.guest.slot)
            self._work(self._answer(self._server.errands.approve(decision), Ending.of(head.modern, head.keep_alive)))
        elif isinstance(decision, Issue):
            self._work(self._answer(self._server.errands.issue(decision), Ending.of(head.modern, head.keep_alive)))
        elif isinstance(decision, Stand):
            self._work(self._answer(self._server.errands.stand(decision), Ending.of(head.modern, head.keep_alive)))
        elif decision.close:
            self._refuse(decision)
        else:
            ending = Ending.of(head.modern, head.keep_alive)
            self._write(reply_to(decision, ending, bodiless=head.method == b"HEAD"))
        return decision

    def _read(self, plan: Read) -> None:
        slot = plan.guest.slot
        if not slot.ready:
            self._work(self._enrol_and_read(plan))
            return
        if slot.seen is not self._server.now:
            self._server.saw(slot)
        rendered = slot.reply(plan.form)
        if plan.tags is None or not slot.is_current(plan.tags):
            self._write(rendered.document)
        elif plan.wait:
            self._park(plan, plan.wait)
        else:
            self._write(rendered.unchanged)

    async def _enrol_and_read(self, plan: Read) -> None:
        refusal = await self._server.errands.enrol(plan.guest)
        if self._phase is not BUSY:
            return
        if refusal is not None:
            self._write(reply_to(refusal, plan.form.ending))
        else:
            self._phase = IDLE
            self._read(plan)
        self._go_on()

    async def _answer(self, errand: Coroutine[Any, Any, Answer], ending: Ending) -> None:
        answer = await errand
        if self._phase is BUSY:
            self._write(reply_to(answer, ending))
            self._go_on()

    def _work(self, work: Coroutine[Any, Any, None]) -> None:
        self._enter(BUSY)
        self._server.errands.run(work)

    def _park(self, plan: Read, seconds: float) -> None:
        if self._server.parked >= self._server.limits.waits:
            self._write(reply_to(answers.TOO_MANY_REQUESTS, plan.form.ending))
            return
        self._server.parked += 1
        self._plan = plan
        self._enter(PARKED, seconds)
        plan.guest.slot.waiters[self] = plan

    def _unpark(self) -> Read:
        plan, self._plan = self._plan, None
        assert plan is not None, "only a parked request is unparked"
        plan.guest.slot.waiters.pop(self, None)
        self._phase = IDLE
        self._server.parked -= 1
        return plan

    def _renew(self, plan: Read) -> None:
        """What it waited for has come."""
        self._write(plan.guest.slot.reply(plan.form).document)

    def _end_wait(self) -> None:
        """Nothing has come."""
        plan = self._unpark()
        self._write(plan.guest.slot.reply(plan.form).unchanged)
        self._go_on()

    # Answers to bytes.

    def _write(self, reply: Reply) -> None:
        self._transport.write(self._server.stamp.complete(reply))
        if reply.close:
            self._close()
        else:
            self._phase = IDLE
            self.deadline = self._server.idle_until

    def _refuse(self, answer: Answer) -> None:
        """The last answer. The client may still be sending, and a closed socket would cut off what it reads."""
        self._send_last(reply_to(answer, Ending.CLOSE))
        self._enter(LEAVING, self._server.limits.linger_time)
        if self._transport.can_write_eof():
            self._transport.write_eof()

    def _send_last(self, reply: Reply) -> None:
        self._transport.write(self._server.stamp.complete(reply))

    def _close(self) -> None:
        self._enter(LEAVING, self._server.limits.drain_time)
        self._transport.close()

    def _enter(self, phase: Phase, seconds: float = inf) -> None:
        self._phase = phase
        self.deadline = self._server.monotonic() + seconds
