"""A real server on real sockets, in a thread of its own, with its clocks in the test's hand."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Self, TypeVar

import uvloop
from msgspec.structs import replace

from forewarn.domain.errors import NotFound
from forewarn.domain.events import Actor, Announcement, Document, Event, EventType, Phase, Readiness, Source
from forewarn.domain.faults import Fault, FaultKind, Seen
from forewarn.domain.machines import Machine, Profile
from forewarn.imds import Fleet, Limits, Playbook, Rules, Server, TrialServer
from forewarn.imds.listeners import Listener, on_loopback
from forewarn.testing.builders import an_event
from forewarn.wire.identity import Token

T = TypeVar("T")

SEED = "9b4ffef5-1f8a-4c10-8d0e-000000000000"
NOW = datetime(2021, 7, 22, 4, 35, 17, tzinfo=UTC)
PATIENCE = 20.0  # seconds; nobody waits that long unless something is broken
REBOOT = "4CAEA225-A741-474D-A72E-428C86FCD853"
PATH = "/metadata/scheduledevents?api-version=2020-07-01"


def announcement(event: str = REBOOT, *, type: EventType = EventType.REBOOT, name: str = "vm1") -> Announcement:
    return Announcement(
        id=event,
        phase=Phase.SCHEDULED,
        type=type,
        source=Source.USER,
        resources=(name,),
        not_before=datetime(2021, 7, 22, 4, 50, 17, tzinfo=UTC),
        description="",
        duration=-1,
    )


def document(
    scope: str = "alpha", incarnation: int = 1, *events: Announcement, epoch: int = 1, enrolled: bool = True
) -> Document:
    return Document(scope=scope, epoch=epoch, incarnation=incarnation, enrolled=enrolled, announcements=tuple(events))


def machine(name: str = "vm1", scope: str = "alpha", address: str = "") -> Machine:
    return Machine(scope=scope, name=name, address=address, profile=Profile(private_ip="10.0.0.4"))


class Backend:
    """Stands at the port: enrols by publishing, knows one event, and can be held up or made to fail."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet
        self.documents: dict[str, Document] = {}  # what enrolling a scope publishes
        self.known: set[str] = {REBOOT}
        self.enrolled: list[tuple[str, str]] = []
        self.approved: list[tuple[str, tuple[str, ...], str]] = []
        self.events = {REBOOT: an_event(REBOOT, "alpha", resources=("vm1", "vm2"))}
        self.said: list[tuple[str, str, str, bool]] = []
        self.failure: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    async def enrol(self, scope: str, by: Actor) -> None:
        self.enrolled.append((scope, str(by)))
        await self.open.wait()
        if self.failure:
            raise self.failure
        if scope in self.documents:
            self._fleet.publish(documents=[self.documents[scope]])

    async def approve(self, scope: str, ids: Sequence[str], by: Actor) -> tuple[str, ...]:
        await self.open.wait()
        if self.failure:
            raise self.failure
        self.approved.append((scope, tuple(ids), str(by)))
        return tuple(id for id in ids if id not in self.known)

    async def say_ready(self, scope: str, event_id: str, machine: str, ready: bool) -> Event:
        await self.open.wait()
        self.said.append((scope, event_id, machine, ready))
        event = await self.readiness(scope, event_id)
        said = Readiness(machine=machine, ready=ready, at=NOW, times=1)
        self.events[event_id] = replace(event, readiness=(*event.readiness, said))
        return self.events[event_id]

    async def readiness(self, scope: str, event_id: str) -> Event:
        if self.failure:
            raise self.failure
        if event_id not in self.events:
            raise NotFound(f"There is no event {event_id} here.")
        return self.events[event_id]


class Identities:
    """Stands at the port: says whose token it would be, and can be held up or made to fail."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.failure: Exception | None = None
        self.open = asyncio.Event()
        self.open.set()

    def client_id(self, machine: Machine) -> str:
        return f"0A1B-{machine.name}"

    async def issue_token(self, machine: Machine, resource: str) -> Token:
        self.asked.append(machine.name)
        await self.open.wait()
        if self.failure:
            raise self.failure
        return Token(
            access_token=f"token of {machine.name} for {resource}",
            client_id=self.client_id(machine),
            resource=resource,
            issued=NOW,
            expires=NOW + timedelta(days=1),
        )


class World:
    """What a test holds. Everything of the server's happens in its own thread, through `do`."""

    fleet: Fleet
    backend: Backend
    identities: Identities
    server: Server
    book: Playbook
    listener: Listener
    port: int

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.seconds = 1000.0  # of real time, as the server knows it
        self.time = NOW  # by the fleet's clock

    def now(self) -> datetime:
        return self.time

    def do(self, work: Callable[[], T]) -> T:
        async def call() -> T:
            return work()

        return asyncio.run_coroutine_threadsafe(call(), self._loop).result(PATIENCE)

    def publish(self, *documents: Document) -> None:
        self.do(lambda: self.fleet.publish(documents=documents))

    def fault(self, kind: FaultKind, *, lasts: timedelta | None = None, **how: Any) -> str:
        """For every machine of the scope alpha, unless it says something else."""
        id = str(len(self.book.faults) + 1)
        told = {"scope": "alpha", "since": self.time, "until": lasts and self.time + lasts, **how}
        self.do(lambda: self.book.add([Fault(id=id, kind=kind, **told)]))
        return id

    def log(self) -> list[Seen]:
        return self.do(lambda: list(self.book.requests()))

    def at(self, minutes: float) -> None:
        """The fleet's clock says that so much has passed since the beginning."""

        def move() -> None:
            self.time = NOW + timedelta(minutes=minutes)
            self.server.beat()

        self.do(move)

    def pass_time(self, seconds: float) -> None:
        """Real time goes by, and the server notices."""

        def pass_by() -> None:
            self.seconds += seconds
            self.server.beat()

        self.do(pass_by)

    def until(self, condition: Callable[[], bool]) -> None:
        """Give the server's thread its turns until the condition holds."""
        deadline = threading.Event()
        timer = threading.Timer(PATIENCE, deadline.set)
        timer.start()
        try:
            while not self.do(condition):
                assert not deadline.is_set(), "it never came true"
        finally:
            timer.cancel()

    def connect(self, address: str = "127.0.0.1", *, source: str | None = None) -> "Client":
        bound = (source, 0) if source else None
        connection = socket.create_connection((address, self.port), PATIENCE, bound)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Client(connection)

    def ask(self, raw: bytes, address: str = "127.0.0.1") -> "Response":
        with self.connect(address) as client:
            client.send(raw)
            return client.receive()


@contextmanager
def serving(
    *,
    machines: Sequence[Machine] = (machine(),),
    documents: Sequence[Document] = (document("alpha", 2, announcement()),),
    limits: Limits | None = None,
    rules: Rules | None = None,
    listen: Callable[[], Listener] = lambda: on_loopback(0),
    new_loop: Callable[[], asyncio.AbstractEventLoop] = uvloop.new_event_loop,
    make: type[Server] = Server,
) -> Iterator[World]:
    loop = new_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    world = World(loop)

    async def start() -> None:
        world.fleet = Fleet()
        world.fleet.publish(machines=machines, documents=documents)
        world.backend = Backend(world.fleet)
        world.identities = Identities()
        world.server = make(
            fleet=world.fleet,
            backend=world.backend,
            clock=world,
            seed=SEED,
            identities=world.identities,
            limits=limits,
            rules=rules,
            monotonic=lambda: world.seconds,
        )
        if isinstance(world.server, TrialServer):
            world.book = Playbook(world.fleet, world.server, now=world.now, monotonic=lambda: world.seconds)
        world.listener = listen()
        world.port = world.listener.port
        await world.server.serve(world.listener)

    try:
        asyncio.run_coroutine_threadsafe(start(), loop).result(PATIENCE)
        yield world
    finally:
        asyncio.run_coroutine_threadsafe(_stop(world), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


async def _stop(world: World) -> None:
    if hasattr(world, "server"):
        world.backend.open.set()
        world.identities.open.set()
        await world.server.close()


class Response:
    def __init__(self, head: bytes, body: bytes) -> None:
        status_line, *lines = head.decode("latin-1").split("\r\n")
        self.head = head
        self.body = body
        self.status = int(status_line.split(" ")[1])
        self.names = [line.partition(":")[0] for line in lines]
        self.fields = {line.partition(":")[0].lower(): line.partition(": ")[2] for line in lines}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Response) and (self.comparable, self.body) == (other.comparable, other.body)

    def __hash__(self) -> int:
        return hash((self.comparable, self.body))

    def __repr__(self) -> str:
        return f"<{self.head!r} {self.body!r}>"

    @property
    def comparable(self) -> list[str]:
        """The head without what is new each time."""
        return [line for line in self.head.decode("latin-1").split("\r\n") if not line.startswith(_NEW_EACH_TIME)]


_NEW_EACH_TIME = ("x-ms-request-id: ", "Date: ")


class Client:
    """A client that sends what it is told, byte for byte."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self._came = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(self, raw: bytes) -> None:
        self.socket.sendall(raw)

    def receive(self, *, to_head: bool = False) -> Response:
        """The next response; AssertionError if the connection ends first."""
        while b"\r\n\r\n" not in self._came:
            self._more()
        head, _, self._came = self._came.partition(b"\r\n\r\n")
        response = Response(head, b"")
        bodiless = to_head or response.status in (100, 304)
        length = 0 if bodiless else int(response.fields["content-length"])
        while len(self._came) < length:
            self._more()
        response.body, self._came = self._came[:length], self._came[length:]
        return response

    def is_closed(self) -> bool:
        """Whether the server has ended the connection, without a further byte. Waits for it to say something."""
        if self._came:
            return False
        try:
            self._came = self.socket.recv(65536)
        except ConnectionResetError:
            return True
        return not self._came

    def _more(self) -> None:
        data = self.socket.recv(65536)
        assert data, f"the connection ended after {self._came!r}"
        self._came += data


def get(
    path: str = PATH, *fields: str, host: str | None = "127.0.0.1", metadata: str | None = "true", version: str = "1.1"
) -> bytes:
    return request("GET", path, *fields, host=host, metadata=metadata, version=version)


def post(body: bytes, path: str = PATH, *fields: str, metadata: str | None = "true") -> bytes:
    head = request("POST", path, *fields, f"Content-Length: {len(body)}", metadata=metadata)
    return head + body


def request(
    method: str,
    path: str = PATH,
    *fields: str,
    host: str | None = "127.0.0.1",
    metadata: str | None = "true",
    version: str = "1.1",
) -> bytes:
    lines = [f"{method} {path} HTTP/{version}"]
    lines += [f"Host: {host}"] if host is not None else []
    lines += [f"Metadata: {metadata}"] if metadata is not None else []
    return "\r\n".join([*lines, *fields, "", ""]).encode("latin-1")


trying = partial(serving, make=TrialServer)
"""A server whose clients are on trial; the world's `book` is its playbook."""
