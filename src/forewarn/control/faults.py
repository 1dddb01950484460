"""The playbook of faults: for those who try a client, not for a fleet at work."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from forewarn.control.bodies import Nothing, duration
from forewarn.control.desk import Book, Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints, Made
from forewarn.control.naming import SHORTEST, find_machine, find_scopes
from forewarn.control.views import View, tell
from forewarn.domain.errors import Conflict, Invalid
from forewarn.domain.faults import Asked, Fault, FaultKind, check


class NewFault(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    kind: FaultKind
    machine: Annotated[str | None, Meta(description="a name, or SCOPE/NAME")] = None
    scope: Annotated[str | None, Meta(description="or a scale set, for all its scopes")] = None
    asked: Annotated[Asked, Meta(description="at which requests")] = Asked.ANY
    status: Annotated[int, Meta(description="for the kind status")] = 500
    by: Annotated[str | None, Meta(description="how much, such as 30s; or -5m where times are told wrong")] = None
    value: Annotated[str, Meta(description="for the kind content-type")] = "text/plain"
    requests: Annotated[int | None, Meta(description="how many of each machine; absent: any number")] = None
    skip: Annotated[int, Meta(ge=0, description="so many of each machine are left alone first")] = 0
    lasts: Annotated[str | None, Meta(description="such as 5m, by the fleet's clock; absent: until taken back")] = None
    probability: float = 1.0
    seed: Annotated[int, Meta(description="of the chance: the same seed, the same faults")] = 0


class FaultView(View, frozen=True):
    id: str
    kind: FaultKind
    scope: str
    machine: str | None
    asked: Asked
    status: int
    by: timedelta
    value: str
    since: datetime
    until: datetime | None
    requests: int | None
    skip: int
    probability: float
    seed: int
    met: Annotated[int, Meta(description="how many requests it has spoilt")] = 0
    over: Annotated[bool, Meta(description="it has lasted for its time")] = False


class Faults(View, frozen=True):
    items: list[FaultView]


def book_of(desk: Desk) -> Book:
    if desk.book is None:
        raise Conflict(
            "Clients of this fleet are not to be tried: faults and the log of requests are for a fleet on a virtual "
            "clock (--clock manual or 60x), or one that was started with --faults."
        )
    return desk.book


async def list_faults(desk: Desk, ask: Ask[Nothing, Nothing]) -> Faults:
    book = book_of(desk)
    return _told(desk, book, book.faults)


async def add_fault(desk: Desk, ask: Ask[Nothing, NewFault]) -> Made:
    book, body = book_of(desk), ask.body
    faults = [fault for fault in book.faults if ask.key is not None and fault.key == ask.key]
    if not faults:
        concerned = await _concerned(desk, body)
        faults = [_fault(desk, body, scope, machine, ask.key) for scope, machine in concerned]
        check(faults[0])  # they differ in their scopes only
        book.add(faults)
    return Made(body=_told(desk, book, faults), location=f"/forewarn/v1/faults/{faults[0].id}")


async def remove_fault(desk: Desk, ask: Ask[Nothing, Nothing]) -> Faults:
    book = book_of(desk)
    book.remove(_called(book, ask.path["fault"]))
    return _told(desk, book, book.faults)


async def clear_faults(desk: Desk, ask: Ask[Nothing, Nothing]) -> Faults:
    book = book_of(desk)
    book.clear()
    return _told(desk, book, book.faults)


def _called(book: Book, text: str) -> str:
    """By its id, or by an unambiguous beginning of one."""
    found = [fault.id for fault in book.faults if fault.id.startswith(text.upper())]
    if len(found) > 1 and len(text) >= SHORTEST:
        raise Conflict(f"{len(found)} faults begin with {text[:200]}: give more of the id.")
    return found[0] if found and len(text) >= SHORTEST else text


async def _concerned(desk: Desk, body: NewFault) -> list[tuple[str, str | None]]:
    if (body.machine is None) == (body.scope is None):
        raise Invalid('Say for whom: {"machine": "web_0"}, or {"scope": "web:0"}.')
    if body.scope is not None:
        return [(scope, None) for scope in await find_scopes(desk.engine, [body.scope])]
    machine = await find_machine(desk.engine, body.machine or "")
    return [(machine.scope, machine.name)]


def _fault(desk: Desk, body: NewFault, scope: str, machine: str | None, key: str | None) -> Fault:
    now, lasts = desk.clock.now(), duration("lasts", body.lasts)
    return Fault(
        id=desk.new_id(),
        kind=body.kind,
        scope=scope,
        machine=machine,
        asked=body.asked,
        status=body.status,
        by=_shift(body.by),
        value=body.value,
        since=now,
        until=None if lasts is None else now + lasts,
        requests=body.requests,
        skip=body.skip,
        probability=body.probability,
        seed=body.seed,
        key=key,
    )


def _shift(text: str | None) -> timedelta:
    if text is None:
        return timedelta(0)
    length = duration("by", text.removeprefix("-")) or timedelta(0)
    return -length if text.startswith("-") else length


def _told(desk: Desk, book: Book, faults: Sequence[Fault]) -> Faults:
    now = desk.clock.now()
    return Faults(
        items=[
            replace(
                tell(FaultView, fault),
                met=book.spoilt(fault.id),
                over=fault.until is not None and now >= fault.until,
            )
            for fault in faults
        ]
    )


ENDPOINTS: Endpoints = (
    Endpoint(
        method="GET",
        path="/forewarn/v1/faults",
        does="The playbook: what is made to go wrong at the metadata endpoint, and how often it has.",
        handler=list_faults,
        answer=Faults,
    ),
    Endpoint(
        method="POST",
        path="/forewarn/v1/faults",
        does="Make something go wrong for a machine or a scope. Not for a fleet at work: see docs/reference/faults.md.",
        handler=add_fault,
        body=NewFault,
        answer=Faults,
        status=201,
        keyed=True,
    ),
    Endpoint(
        method="DELETE",
        path="/forewarn/v1/faults/{fault}",
        does="Take one back, by its id or the beginning of it.",
        handler=remove_fault,
        answer=Faults,
    ),
    Endpoint(
        method="DELETE",
        path="/forewarn/v1/faults",
        does="Take all back.",
        handler=clear_faults,
        answer=Faults,
    ),
)
