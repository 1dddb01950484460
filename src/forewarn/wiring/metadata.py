"""The metadata service, with an identity for every machine."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from forewarn import imds
from forewarn.access.service import Access
from forewarn.domain.access import principal_of
from forewarn.domain.errors import Unavailable
from forewarn.domain.machines import Machine
from forewarn.engine.engine import Engine
from forewarn.engine.naming import machines_called
from forewarn.engine.walking import every_machine
from forewarn.imds.listeners import Listener
from forewarn.imds.listening import identity_called, listen, socket_files, url_maker
from forewarn.wire.identity import Token
from forewarn.wiring.core import Core
from forewarn.wiring.minting import new_id

SAVE_MARKS_EVERY = 60.0
"""Seconds of real time between two batches of "who asked last"."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Metadata:
    server: imds.Server
    url: Callable[[Machine], str]  # where a machine finds its own document
    book: imds.Playbook | None  # None: this fleet's clients are not to be tried


@asynccontextmanager
async def serving_metadata(core: Core) -> AsyncIterator[Metadata]:
    options, engine = core.options, core.engine
    host, port = options.metadata
    _, _, name = options.identity.partition("=")
    identity = identity_called(options.identity, await engine.store.read(lambda r: machines_called(r, name)))
    listener = listen(host, port, identity, core.fleet.addresses, wildcard=options.any_address)
    core.own_ports.add(listener.port)
    more = await _socket_files(engine, options.sockets) if options.sockets else []
    tried = options.faults or not core.clock.is_real
    server = (imds.TrialServer if tried else imds.Server)(
        fleet=core.fleet,
        backend=engine,
        clock=core.clock,
        seed=new_id().lower(),
        identities=_Identities(core.access),
        limits=options.limits,
        rules=options.rules,
    )
    core.clock.on_set(server.beat)  # the Date of the next answer is the new time
    try:
        for each in (listener, *more):
            await server.serve(each)
        yield Metadata(
            server=server,
            url=url_maker(host, listener.port, identity),
            book=_playbook(core, server) if isinstance(server, imds.TrialServer) else None,
        )
    finally:
        await server.close()


def _playbook(core: Core, server: imds.TrialServer) -> imds.Playbook:
    return imds.Playbook(core.fleet, server, now=core.clock.now, monotonic=server.monotonic)


async def save_marks(engine: Engine, server: imds.Server) -> None:
    """Save who asked last, now and then; a restart forgets a minute of it at most."""
    try:
        while True:
            await asyncio.sleep(SAVE_MARKS_EVERY)
            with suppress(Unavailable):  # who asks again is marked again
                await engine.mark_seen(server.take_seen())
    finally:
        await engine.mark_seen(server.take_seen())


class _Identities:
    """Every machine has one, and may do nothing with it until somebody gives it a role."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def client_id(self, machine: Machine) -> str:
        return self._access.object_id(principal_of(machine))

    async def issue_token(self, machine: Machine, resource: str) -> Token:
        """Signing takes a millisecond, which others need not wait for."""
        grant = await asyncio.to_thread(self._access.issue, principal_of(machine), name=machine.name, audience=resource)
        return Token(
            access_token=grant.token,
            client_id=self.client_id(machine),
            resource=resource,
            issued=grant.issued,
            expires=grant.expires,
        )


async def _socket_files(engine: Engine, directory: Path) -> list[Listener]:
    return socket_files(directory, await engine.store.read(lambda reader: list(every_machine(reader))))
