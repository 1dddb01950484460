"""For those who look after the process: is it alive, is it ready, and its figures."""

import asyncio
from collections.abc import Iterable
from datetime import datetime

from starlette.responses import Response

from forewarn.control import exposition
from forewarn.control.bodies import Nothing
from forewarn.control.desk import Desk
from forewarn.control.endpoints import Ask, Endpoint, Endpoints
from forewarn.control.exposition import Family, single
from forewarn.control.views import View
from forewarn.domain.errors import ForewarnError, Unavailable

PATIENCE = 2.0
"""Seconds of real time in which the store must answer."""


class Health(View, frozen=True):
    status: str
    version: str


class Readiness(View, frozen=True):
    ready: bool
    parts: list[str]


async def health(desk: Desk, ask: Ask[Nothing, Nothing]) -> Health:
    return Health(status="ok", version=desk.version)


async def ready(desk: Desk, ask: Ask[Nothing, Nothing]) -> Readiness:
    parts = desk.alive()
    dead = [name for name, runs in parts.items() if not runs]
    if dead:
        raise Unavailable(f"Not ready: {', '.join(dead)} ended. The log says why; start Forewarn again.")
    try:
        async with asyncio.timeout(PATIENCE):
            await desk.engine.store.read(lambda r: r.last_entry())
    except (TimeoutError, ForewarnError) as error:
        raise Unavailable(f"Not ready: the store does not answer ({error or f'within {PATIENCE:g} s'}).") from None
    return Readiness(ready=True, parts=["store", *parts])


async def metrics(desk: Desk, ask: Ask[Nothing, Nothing]) -> Response:
    await desk.census.complete()
    due = await desk.engine.store.read(lambda r: (r.next_due(), r.next_action()))
    families = [*_fleet(desk), *_work(desk, *due), *desk.more_metrics()]
    return Response(exposition.render(families), media_type=exposition.MEDIA_TYPE)


def _fleet(desk: Desk) -> Iterable[Family]:
    census = desk.census
    yield Family("forewarn_info", "gauge", "Always 1; the label tells.", [({"version": desk.version}, 1)])
    yield Family(
        "forewarn_machines",
        "gauge",
        "Machines, by the kind of their scope.",
        [({"kind": kind.value}, count) for kind, count in census.machines().items()],
    )
    yield Family(
        "forewarn_scopes",
        "gauge",
        "Scopes, by kind and whether somebody there polls.",
        [
            ({"kind": kind.value, "enrolled": str(enrolled).lower()}, count)
            for (kind, enrolled), count in census.scopes().items()
        ],
    )
    yield Family(
        "forewarn_approval_policies",
        "gauge",
        "Scopes, by the rule of their approval policy.",
        [({"rule": rule.value}, count) for rule, count in census.rules().items()],
    )
    yield Family(
        "forewarn_live_events",
        "gauge",
        "Events that machines can see now.",
        [({"type": kind.value, "phase": phase.value}, count) for (kind, phase), count in census.events().items()],
    )


def _work(desk: Desk, due: datetime | None, action: datetime | None) -> Iterable[Family]:
    census, now = desk.census, desk.clock.now()
    yield single("forewarn_commits_total", "counter", "Changes committed since the start.", census.commits)
    yield Family(
        "forewarn_history_entries_total",
        "counter",
        "Things that happened since the start.",
        [({"what": what.value}, count) for what, count in census.entries.items()],
    )
    yield single("forewarn_outbox_actions", "gauge", "Actions the drivers have not finished.", census.backlog())
    yield single("forewarn_due_late_seconds", "gauge", "How long the oldest due scope waits.", _late(due, now))
    yield single("forewarn_action_late_seconds", "gauge", "How long the oldest due action waits.", _late(action, now))
    yield single("forewarn_watchers", "gauge", "Connected readers of the stream of changes.", desk.hub.watchers)
    yield Family(
        "forewarn_control_requests_total",
        "counter",
        "Requests to the control port since the start.",
        [({"method": method, "status": status}, count) for (method, status), count in desk.served.items()],
    )


def _late(moment: datetime | None, now: datetime) -> float:
    return max((now - moment).total_seconds(), 0.0) if moment is not None else 0.0


ENDPOINTS: Endpoints = (
    Endpoint(method="GET", path="/healthz", does="The process is alive.", handler=health, answer=Health, public=True),
    Endpoint(
        method="GET",
        path="/readyz",
        does="The store answers and every part runs; 503 if not.",
        handler=ready,
        answer=Readiness,
        public=True,
    ),
    Endpoint(
        method="GET",
        path="/metrics",
        does="Figures in Prometheus' text format.",
        handler=metrics,
        answer=exposition.MEDIA_TYPE,
    ),
)
