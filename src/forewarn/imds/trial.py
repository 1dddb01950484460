"""A metadata service whose clients are on trial: somebody looks on, and things go wrong as a playbook says.

Only a server that was made for it has any of this. The others neither know nor pay for it.
"""

import socket
import struct
from typing import cast

from forewarn.imds.cases import Case, Meddler
from forewarn.imds.connection import Connection
from forewarn.imds.doors import Door
from forewarn.imds.http import Head
from forewarn.imds.listeners import Listener
from forewarn.imds.phases import BUSY, HUNG, IDLE, LEAVING, PARKED
from forewarn.imds.replies import Ending, Reply, reply_to
from forewarn.imds.server import Server
from forewarn.imds.service import Decision, Read
from forewarn.imds.slots import rendering


class TrialConnection(Connection):
    """As long as somebody meddles, each request is a case."""

    __slots__ = ("_case", "_number")
    _server: "TrialServer"

    def __init__(self, server: "TrialServer", listener: Listener) -> None:
        super().__init__(server, listener)
        self._case: Case | None = None  # the request being answered
        self._number = server.next_number()

    def data_received(self, data: bytes) -> None:
        if self._phase is not HUNG:
            super().data_received(data)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        if self._case is not None:
            self._case.drop()

    def release(self) -> None:
        """Whoever waits has to come again: somebody wants to meet every request from now on, or no longer."""
        if self._phase is PARKED:
            if self._case is not None:
                self._case.waits_until = 0.0
            self._end_wait()

    def _serve(self, head: Head, body: bytes) -> Decision | None:
        """What somebody meets is never remembered, since the next one may go otherwise: so it is not told here."""
        meddler = self._server.meddler
        guest = None if meddler is None else self._server.service.caller(head, cast(Door, self._door))
        if meddler is None or guest is None:
            return super()._serve(head, body)
        self._case = meddler.meets(guest, head, body, self._number)
        self._proceed(head, body, self._case)
        return None

    def _proceed(self, head: Head, body: bytes, case: Case) -> None:
        if case.delay:
            self._enter(BUSY)
            case.later = self._server.loop.call_later(case.delay, self._after_delay, head, body, case)
        elif case.reset:
            self._reset()
        elif case.hang:
            self._enter(HUNG)
        elif case.answer is not None:
            ending = Ending.of(head.modern, head.keep_alive)
            self._write(reply_to(case.answer, ending, bodiless=head.method == b"HEAD"))
        else:
            super()._serve(head, body)

    def _after_delay(self, head: Head, body: bytes, case: Case) -> None:
        if self._phase is BUSY and self._case is case:
            case.delay = 0.0
            self._phase = IDLE
            self._proceed(head, body, case)
            self._go_on()

    def _reset(self) -> None:
        """The client is told nothing but that the connection is gone."""
        self._enter(LEAVING)
        raw = self._transport.get_extra_info("socket")
        if raw is not None and raw.family != socket.AF_UNIX:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    # Documents, as the case shows them.

    def _read(self, plan: Read) -> None:
        case, slot = self._case, plan.guest.slot
        if case is None or not case.views or not slot.ready:
            super()._read(plan)
            return
        self._server.saw(slot)
        self._tell(plan, case)

    def _tell(self, plan: Read, case: Case) -> None:
        """Another document than the right one. Who waits for it to change is looked after at every beat."""
        slot = plan.guest.slot
        assert slot.document is not None, "it is ready"
        document = case.shows(slot.document)
        if not case.is_current(document, plan.tags):
            case.keep(document)
            self._write(rendering(document, plan.form).document)
        elif case.may_wait(plan.wait, self._server.monotonic()):
            self._park(plan, 0.0)
        else:
            self._write(rendering(document, plan.form).unchanged)

    def _renew(self, plan: Read) -> None:
        if self._case is not None and self._case.views:
            self._tell(plan, self._case)
        else:
            super()._renew(plan)

    def _end_wait(self) -> None:
        if self._case is None or not self._case.views:
            super()._end_wait()
            return
        self._tell(self._unpark(), self._case)
        self._go_on()

    # Bytes, as the case lets them go.

    def _write(self, reply: Reply) -> None:
        case, self._case = self._case, None
        if case is None:
            super()._write(reply)
            return
        self._transport.write(case.sends(self._server.stamp.complete(reply)))
        if reply.close or case.truncated:
            self._close()
        else:
            self._phase = IDLE
            self.deadline = self._server.idle_until

    def _send_last(self, reply: Reply) -> None:
        case, self._case = self._case, None
        data = self._server.stamp.complete(reply)
        self._transport.write(data if case is None else case.sends(data))


class TrialServer(Server):
    """Made like any other; its connections are on trial."""

    meddler: Meddler | None = None
    _numbers = 0

    def meddle(self, meddler: Meddler | None) -> None:
        """Every request is shown to the meddler, so none is recognised by its bytes alone, and none stays parked."""
        self.meddler = meddler
        self.doors.forget_requests()
        for connection in list(self._connections):
            cast(TrialConnection, connection).release()

    def next_number(self) -> int:
        self._numbers += 1
        return self._numbers

    def connect(self, listener: Listener) -> Connection:
        return TrialConnection(self, listener)
