"""Lists: `{"value": […]}`, with a nextLink where there is more."""

import base64
import re
from collections.abc import Callable, Sequence
from functools import cache
from urllib.parse import quote

from forewarn.arm.asking import Ask, Desk, Json, Reply
from forewarn.arm.errors import ArmError
from forewarn.domain.access import Right
from forewarn.domain.resources import Resource
from forewarn.engine.ports import Reader

PAGE = 1000

_NUMBER = re.compile("[1-9][0-9]{0,8}")

Keep = Callable[[Resource], bool]


async def listed(
    desk: Desk,
    ask: Ask,
    tell: Callable[[Resource], Json],
    *,
    group: str | None = None,
    kind: str | None = None,
    keep: Keep = lambda resource: True,
) -> Reply:
    """What is there and the caller may see, `$top` of them at a time."""
    return await looked_up(desk, ask, lambda reader: tell, group=group, kind=kind, keep=keep)


async def looked_up(
    desk: Desk,
    ask: Ask,
    tell: Callable[[Reader], Callable[[Resource], Json]],
    *,
    group: str | None = None,
    kind: str | None = None,
    keep: Keep = lambda resource: True,
) -> Reply:
    """The same, of resources that are told together with what stands behind them."""
    after, size, seen = resumed(ask), _size(ask), _visible(desk, ask)

    def read(reader: Reader) -> Json:
        page, more = _page(reader, group, kind, after, size, lambda resource: keep(resource) and seen(resource))
        told = tell(reader)
        body: Json = {"value": [told(resource) for resource in page]}
        if more:
            body["nextLink"] = next_link(ask, page[-1].key)
        return body

    return Reply(body=await desk.estate.store.read(read))


def next_link(ask: Ask, after: str) -> str:
    kept = {name: value for name, value in ask.query.items() if name not in ("api-version", "$skiptoken")}
    more = "".join(f"&{quote(name, safe='$')}={quote(value, safe='')}" for name, value in kept.items())
    return f"{ask.base}{quote(ask.url)}?api-version={ask.version}{more}&$skiptoken={quote(token_of(after))}"


def _page(
    reader: Reader, group: str | None, kind: str | None, after: str, size: int, keep: Keep
) -> tuple[Sequence[Resource], bool]:
    """The next of those to keep, and whether there are more."""
    kept: list[Resource] = []
    while page := reader.list_resources(group=group, kind=kind, after=after, limit=PAGE):
        for resource in filter(keep, page):
            if len(kept) == size:
                return kept, True
            kept.append(resource)
        after = page[-1].key
    return kept, False


def _visible(desk: Desk, ask: Ask) -> Keep:
    """Of the whole subscription, a caller with a role in one group sees that group's."""
    if desk.access.may(ask.caller, Right.READ, desk.access.subscription):
        return lambda resource: True

    @cache
    def holds(place: str) -> bool:
        return desk.access.may(ask.caller, Right.READ, place)

    return lambda resource: holds("/".join(resource.id.split("/")[:5]).lower())  # /subscriptions/S/resourceGroups/G


def resumed(ask: Ask) -> str:
    """Where the page before this one ended; "" at the beginning."""
    try:
        return read_token(ask.query.get("$skiptoken", ""))
    except ValueError:
        raise ArmError(400, "InvalidSkipToken", "The $skiptoken is not one of this server's.") from None


def token_of(place: str) -> str:
    """So that nobody reads anything into it."""
    return base64.urlsafe_b64encode(place.encode()).decode()


def read_token(token: str) -> str:
    """ValueError if it is none."""
    return base64.urlsafe_b64decode(token.encode()).decode()


def _size(ask: Ask) -> int:
    top = ask.query.get("$top", "")
    if not top:
        return PAGE
    if not _NUMBER.fullmatch(top):
        raise ArmError(400, "InvalidTopParameter", f"The $top '{top[:40]}' is not valid: it is a number from 1.")
    return min(int(top), PAGE)
