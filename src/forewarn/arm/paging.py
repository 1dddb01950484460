"""Lists: `{"value": […]}`, with a nextLink where there is more."""

import base64
from collections.abc import Callable
from urllib.parse import quote

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.domain.resources import Resource
from forewarn.engine.ports import Reader

PAGE = 1000


async def listed(
    desk: Desk, ask: Ask, tell: Callable[[Resource], Json], *, group: str | None = None, kind: str | None = None
) -> Reply:
    return await looked_up(desk, ask, lambda reader: tell, group=group, kind=kind)


async def looked_up(
    desk: Desk,
    ask: Ask,
    tell: Callable[[Reader], Callable[[Resource], Json]],
    *,
    group: str | None = None,
    kind: str | None = None,
) -> Reply:
    """The same, of resources that are told together with what stands behind them."""
    after = resumed(ask)

    def read(reader: Reader) -> Json:
        page = reader.list_resources(group=group, kind=kind, after=after, limit=PAGE + 1)
        told = tell(reader)
        body: Json = {"value": [told(resource) for resource in page[:PAGE]]}
        if len(page) > PAGE:
            body["nextLink"] = next_link(ask, page[PAGE - 1].key)
        return body

    return Reply(body=await desk.estate.store.read(read))


def next_link(ask: Ask, after: str) -> str:
    token = base64.urlsafe_b64encode(after.encode()).decode()
    kept = {name: value for name, value in ask.query.items() if name not in ("api-version", "$skiptoken")}
    more = "".join(f"&{quote(name)}={quote(value)}" for name, value in kept.items())
    return f"{ask.base}{quote(ask.url)}?api-version={ask.version}{more}&$skiptoken={quote(token)}"


def resumed(ask: Ask) -> str:
    """Where the page before this one ended; "" at the beginning."""
    token = ask.query.get("$skiptoken", "")
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except ValueError:
        raise ArmError(400, "InvalidSkipToken", "The $skiptoken is not one of this server's.") from None
