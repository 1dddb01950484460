"""Microsoft.ResourceGraph: asking after events and resources with a query, over all groups that the caller may read."""

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.arm.paging import read_token, token_of
from forewarn.arm.routing import Row, Rows
from forewarn.domain.access import Right
from forewarn.domain.notices import KEPT, Notice
from forewarn.domain.resources import GROUP, Resource
from forewarn.domain.subscriptions import EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION
from forewarn.engine.ports import Reader
from forewarn.wire import eventgrid, kql

MOST = 1000
HIDDEN = frozenset({GROUP, EVENT_SUBSCRIPTION, TOPIC_SUBSCRIPTION})
"""Types that Azure's table of resources does not have either."""


async def query(desk: Desk, ask: Ask) -> Reply:
    text, options = ask.body.get("query"), ask.body.get("options") or {}
    if not isinstance(text, str) or not isinstance(options, dict):
        raise _bad('Say what is asked: {"query": "maintenanceresources | take 10", "options": {}}.')
    top, skip = _number(options, "$top", MOST, 1, MOST), _skip(options)
    as_table = _wants_table(options)
    try:
        asked = kql.parse(text)
        table = TABLES.get(asked.table)
        if table is None:
            raise kql.QueryError(f"There is no table '{asked.table[:50]}' here: use {' or '.join(TABLES)}.")
    except kql.QueryError as error:
        raise ArmError(400, "InvalidQuery", f"The query is not understood. {error}") from None
    now = desk.clock.now()
    reach = _Reach(desk, ask)
    rows = await desk.engine.store.read(lambda reader: kql.run(asked, table(reader, reach, now), now))
    return Reply(body=_page(rows, top, skip, as_table=as_table))


class _Reach:
    """What the caller may see: groups are asked after once each."""

    def __init__(self, desk: Desk, ask: Ask) -> None:
        self._desk = desk
        self._ask = ask
        self._seen: dict[str, bool] = {}
        given = ask.body.get("subscriptions")
        named = [str(one).lower() for one in given] if isinstance(given, list) else []
        self.is_here = not named or desk.subscription.lower() in named
        self.tenant = desk.access.tenant

    def holds(self, resource_id: str) -> bool:
        place = "/".join(resource_id.split("/")[:5]).lower()  # /subscriptions/S/resourceGroups/G
        if place not in self._seen:
            self._seen[place] = self.is_here and self._desk.access.may(self._ask.caller, Right.READ, place)
        return self._seen[place]


def _events(reader: Reader, reach: _Reach, now: datetime) -> Iterator[Json]:
    after = ""
    while page := reader.list_published(after=after):
        yield from (eventgrid.graph_row(n, reach.tenant) for n in page if _lately(n, now) and reach.holds(n.owner))
        after = page[-1].event.id


def _lately(notice: Notice, now: datetime) -> bool:
    ended = notice.event.ended_at
    return ended is None or now - ended <= KEPT


def _resources(reader: Reader, reach: _Reach, now: datetime) -> Iterator[Json]:
    after = ""
    while page := reader.list_resources(after=after):
        yield from (_row(r, reach.tenant) for r in page if r.type not in HIDDEN and reach.holds(r.id))
        after = page[-1].key


def _row(resource: Resource, tenant: str) -> Json:
    parts = resource.id.split("/")
    body = resource.body
    return {
        "id": resource.id,
        "name": resource.name,
        "type": resource.type.lower(),
        "tenantId": tenant,
        "location": resource.location,
        "resourceGroup": parts[4].lower() if len(parts) > 4 else "",
        "subscriptionId": parts[2],
        "properties": body.get("properties", {}),
        "tags": body.get("tags"),
        "sku": body.get("sku"),
        "identity": body.get("identity"),
        "zones": body.get("zones"),
    }


TABLES = {"maintenanceresources": _events, "resources": _resources}


# Pages


def _page(rows: list[kql.Row], top: int, skip: int, *, as_table: bool) -> Json:
    shown = rows[skip : skip + top]
    more = skip + len(shown) < len(rows)
    body: Json = {
        "totalRecords": len(rows),
        "count": len(shown),
        "data": _table(shown) if as_table else shown,
        "facets": [],
        "resultTruncated": "false",
    }
    if more:
        body["$skipToken"] = token_of(str(skip + len(shown)))
    return body


def _table(rows: Iterable[kql.Row]) -> Json:
    rows = list(rows)
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = [
        {"name": name, "type": _type(next((r[name] for r in rows if r.get(name) is not None), ""))} for name in names
    ]
    return {"columns": columns, "rows": [[row.get(name) for name in names] for row in rows]}


def _type(value: Any) -> str:
    match value:
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case _:
            return "object"


def _wants_table(options: Json) -> bool:
    given = str(options.get("resultFormat") or "objectArray").lower()
    if given not in ("objectarray", "table"):
        raise _bad(f"resultFormat is objectArray or table, not '{given[:40]}'.")
    return given == "table"


def _skip(options: Json) -> int:
    token = options.get("$skipToken")
    if token is None:
        return _number(options, "$skip", 0, 0, 10**9)
    try:
        return max(int(read_token(str(token))), 0)
    except ValueError:
        raise _bad("The $skipToken is not one of this server's.") from None


def _number(options: Json, name: str, default: int, least: int, most: int) -> int:
    given = options.get(name)
    if given is None:
        return default
    if isinstance(given, bool) or not isinstance(given, int) or not least <= given <= most:
        raise _bad(f"{name} is a whole number from {least} to {most}.")
    return given


def _bad(message: str) -> ArmError:
    return ArmError(400, "BadRequest", message)


ROWS: Rows = (Row(method="POST", path="/providers/Microsoft.ResourceGraph/resources", handler=query, open=True),)
